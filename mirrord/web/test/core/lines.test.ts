/** Promise: lines of a terminal keep every character, a screen reader is spared what only draws, and the caret stands where Pi put it. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { columnsOf, isFramed, linksIn, pieces, plain, splitAt, words } from "../../src/core/lines.ts";

test("what only draws is told apart from what is read", () => {
  assert.deepEqual(pieces("│ a ─╮"), [
    { text: "│", isDecoration: true },
    { text: " a ", isDecoration: false },
    { text: "─╮", isDecoration: true },
  ]);
  assert.deepEqual(pieces("plain"), [{ text: "plain", isDecoration: false }]);
  for (const text of ["│ a ─╮", "⣿ 40 %", "█▉▊", "", "✓ ok"]) assert.equal(pieces(text).map((piece) => piece.text).join(""), text);
  assert.equal(words("  ▄▄  Garden ─── 1.0 "), "Garden 1.0");
});

test("frames are noticed, words are not", () => {
  assert.ok(isFramed([[{ text: "a" }], [{ text: "╭──╮" }]]));
  assert.ok(!isFramed([[{ text: "a | b - c" }]]));
});

test("the width is that of what can be seen", () => {
  assert.equal(columnsOf([[{ text: "ab" }, { text: "c   " }], [{ text: "d" }]]), 3);
  assert.equal(columnsOf([[{ text: "日本" }]]), 4);
  assert.equal(columnsOf([]), 1);
});

const LINE = [{ text: "a𝒷" }, { text: "cd", role: "accent" }] as const;

for (const [column, before, after] of [
  [0, "", "a𝒷cd"],
  [1, "a", "𝒷cd"],
  [2, "a𝒷", "cd"],
  [3, "a𝒷c", "d"],
  [4, "a𝒷cd", ""],
  [9, "a𝒷cd", ""],
] as const) {
  test(`${column} characters stand before the caret`, () => {
    const [head, tail] = splitAt(LINE, column);
    assert.deepEqual([head, tail].map((spans) => spans.map(({ text }) => text).join("")), [before, after]);
    assert.ok(tail.every(({ text, role }) => role === "accent" || text.startsWith("a") || text.startsWith("𝒷")));
  });
}

test("links are found in their order, and plain lines have none", () => {
  const lines = [[{ text: "a", link: "1" }], [], [{ text: "b" }, { text: "c", link: "2" }]];
  assert.deepEqual([...linksIn(lines)], ["1", "2"]);
  assert.deepEqual(plain(["a", ""]), { type: "terminal", lines: [[{ text: "a" }], []] });
});
