// Promise: lines travel as they were drawn, as many as a frame of the wire holds, and what was cut is said.
import assert from "node:assert/strict";
import { test } from "node:test";

import { asField, bounded, linesOf } from "../../../bridge/extension/drawn.ts";
import { DRAWN_BYTES, DRAWN_LINES, FRAME_BYTES, KEY_BYTES, LINE_BYTES, NATIVE_BYTES } from "../../../bridge/extension/limits.ts";
import { encode } from "../../../bridge/extension/protocol.ts";

const lines = (given: readonly unknown[]) => bounded(linesOf(given));

test("lines keep their colours, links, carets and blanks", () => {
  const drawn = ["\u001b[38;2;1;2;3mred\u001b[39m  ", "", "\u001b]8;;https://example.org\u0007a\u001b]8;;\u0007", "> \u001b_pi:c\u0007"];
  assert.deepEqual(lines(drawn), { lines: drawn, truncated: [] });
});

test("DRAWN_LINES are told, one more is not", () => {
  assert.deepEqual(lines(Array(DRAWN_LINES).fill("x")).truncated, []);
  const { lines: kept, truncated } = lines(Array(DRAWN_LINES + 1).fill("x"));
  assert.deepEqual([kept.length, truncated], [DRAWN_LINES, [{ field: "lines", shown: DRAWN_LINES, total: DRAWN_LINES + 1 }]]);
});

test("a line of LINE_BYTES is whole, one byte more is cut, between two characters", () => {
  assert.deepEqual(lines(["x".repeat(LINE_BYTES)]).truncated, []);
  const { lines: kept, truncated } = lines(["a", `${"x".repeat(LINE_BYTES - 1)}é`]);
  assert.deepEqual([kept[1]?.length, truncated], [LINE_BYTES - 1, [{ field: "lines.1", shown: LINE_BYTES - 1, total: LINE_BYTES + 1 }]]);
});

test("all lines take DRAWN_BYTES as JSON, where an escape takes six", () => {
  const line = "\u001b".repeat(1_000);
  const { lines: kept, truncated } = lines(Array(100).fill(line));
  assert.deepEqual(kept.length, Math.floor(DRAWN_BYTES / (6_000 + 3)));
  assert.deepEqual(truncated, [{ field: "lines", shown: kept.length, total: 100 }]);
});

test("what is no text is an empty line, and half of a character is replaced", () => {
  assert.deepEqual(lines([1, undefined, { toString: () => assert.fail("asked") }, "\ud800x"]).lines, ["", "", "", "\ufffdx"]);
});

test("of ten thousand lines only those that are told are looked at", () => {
  let looks = 0;
  const many = new Proxy(Array(10_000).fill("x"), { get: (target, name) => (/^\d+$/.test(String(name)) && (looks += 1), Reflect.get(target, name)) });
  assert.deepEqual([lines(many).lines.length, looks], [DRAWN_LINES, DRAWN_LINES]);
});

test("nothing was cut: the field is not there", () => {
  assert.deepEqual([asField([]), asField([{ field: "lines", shown: 0, total: 1 }])], [{}, { truncated: [{ field: "lines", shown: 0, total: 1 }] }]);
});

test("the largest of everything fits a frame", () => {
  const { lines: drawn, truncated } = lines(Array(DRAWN_LINES).fill("\u001b".repeat(1_228)));
  const key = "\u0001".repeat(KEY_BYTES);
  const native = { blocks: ["x".repeat(NATIVE_BYTES)] };
  const line = encode(Number.MAX_SAFE_INTEGER, { type: "widget", key, placement: "aboveEditor", lines: drawn, width: 1, native, truncated });
  assert.ok(line !== undefined && Buffer.byteLength(line) < FRAME_BYTES);
});
