// Promise: content travels whole or not at all, in pieces that fit and that join to what they were made of.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Assembly, fitsInline, jsonBytes, obstacle, pieces } from "../../../bridge/extension/content.ts";
import { CONTENT_BYTES, INLINE_BYTES, PIECE_BYTES } from "../../../bridge/extension/limits.ts";
import { hasHalfCharacter } from "../../../bridge/extension/text.ts";

test("content of CONTENT_BYTES travels, one byte more does not", () => {
  assert.equal(obstacle("x".repeat(CONTENT_BYTES)), undefined);
  assert.equal(obstacle("x".repeat(CONTENT_BYTES + 1)), "too_large");
  assert.equal(obstacle("ü".repeat(CONTENT_BYTES / 2)), undefined);
  assert.equal(obstacle(`${"ü".repeat(CONTENT_BYTES / 2)}x`), "too_large");
});

test("half of a character stops content, whole ones and all else do not", () => {
  assert.equal(obstacle("a\ud800b"), "half_characters");
  assert.equal(obstacle("\r\n\t\u001b[31m\u202e\u0000🍎"), undefined);
});

test("content of INLINE_BYTES as JSON fits its prompt, one byte more comes in pieces", () => {
  assert.equal(fitsInline("x".repeat(INLINE_BYTES - 2)), true);
  assert.equal(fitsInline("x".repeat(INLINE_BYTES - 1)), false);
});

for (const [name, content] of [
  ["letters", "x".repeat(CONTENT_BYTES)],
  ["characters of four bytes", "🍎".repeat(CONTENT_BYTES / 4)],
  ["characters that JSON escapes", "\u0001".repeat(CONTENT_BYTES)],
  ["one letter before pairs", `x${"🍎".repeat(CONTENT_BYTES / 8)}`],
  ["lines", "a line\r\n\t".repeat(CONTENT_BYTES / 16)],
  ["a single letter", "x"],
] as const) {
  test(`pieces of ${name} fit, end between characters and join again`, () => {
    const cut = pieces(content);
    assert.ok(cut.every((piece) => jsonBytes(piece) <= PIECE_BYTES && !hasHalfCharacter(piece)));
    assert.ok(cut.join("") === content);
    const assembly = new Assembly();
    for (const [part, text] of cut.entries()) assembly.add({ type: "response_part", responseId: "r", part, parts: cut.length, text });
    assert.ok(assembly.take("r", cut.length) === content);
    assert.equal(assembly.take("r", cut.length), undefined);
  });
}

type Part = readonly [responseId: string, part: number, parts: number, text?: string];

for (const [name, parts, expected] of [
  ["all in order", [["r", 0, 2], ["r", 1, 2]], "xx"],
  ["begun again", [["r", 0, 2], ["r", 0, 2], ["r", 1, 2]], "xx"],
  ["after another that never ended", [["q", 0, 3], ["r", 0, 2], ["r", 1, 2]], "xx"],
  ["one missing", [["r", 0, 3], ["r", 2, 3]], undefined],
  ["the first missing", [["r", 1, 2]], undefined],
  ["too few", [["r", 0, 2]], undefined],
  ["too many", [["r", 0, 1], ["r", 1, 1]], undefined],
  ["of another name between", [["r", 0, 2], ["q", 1, 2], ["r", 1, 2]], undefined],
  ["of another number", [["r", 0, 2], ["r", 1, 3]], undefined],
  ["larger than CONTENT_BYTES", [["r", 0, 2, "x".repeat(CONTENT_BYTES)], ["r", 1, 2]], undefined],
] as readonly (readonly [string, readonly Part[], string | undefined])[]) {
  test(`pieces ${name} give ${expected === undefined ? "nothing" : "the text"}`, () => {
    const assembly = new Assembly();
    for (const [responseId, part, of, text = "x"] of parts) assembly.add({ type: "response_part", responseId, part, parts: of, text });
    assert.equal(assembly.take("r", parts.at(-1)?.[2] ?? 0), expected);
  });
}
