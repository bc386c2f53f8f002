/** Promise: an answer travels whole, in one frame or in pieces that fit the wire, and no character is cut. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { outgoing, PIECE_BYTES, PIECE_UNITS, pieces } from "../../src/core/content.ts";

test("a choice is one frame", () => {
  assert.deepEqual(outgoing("p", "r", { index: 2 }).frames, [{ type: "extension_ui_response", id: "p", responseId: "r", index: 2 }]);
});

for (const [name, text] of [
  ["escapes", "\u001b".repeat(PIECE_UNITS + 1)],
  ["emoji at the seam", `${"a".repeat(PIECE_UNITS - 1)}😀${"b".repeat(9)}`],
  ["a megabyte", "ä".repeat(512 * 1024)],
] as const) {
  test(`a long text of ${name} comes in pieces before the answer and is the same put together`, () => {
    const { frames } = outgoing("p", "r", { value: text });
    const parts = frames.slice(0, -1).map((frame) => {
      assert.equal(frame.type, "content_part");
      return frame.type === "content_part" ? frame : assert.fail();
    });
    assert.equal(parts.map((part) => part.text).join(""), text);
    assert.deepEqual(
      parts.map(({ part, parts: all }) => [part, all]),
      parts.map((_, place) => [place, parts.length]),
    );
    assert.ok(parts.every((part) => Buffer.byteLength(JSON.stringify(part.text)) <= PIECE_BYTES + 2));
    assert.deepEqual(frames.at(-1), { type: "extension_ui_response", id: "p", responseId: "r", parts: parts.length });
  });
}

test("a text of one piece has one piece, an empty one none", () => {
  assert.equal(pieces("a".repeat(PIECE_UNITS)).length, 1);
  assert.deepEqual(pieces(""), []);
  assert.equal(outgoing("p", "r", { value: "" }).frames.length, 1);
});
