// Promise: what is sent is well-formed and within its bound, cut between characters; what is shown in the terminal is printable.
import assert from "node:assert/strict";
import { test } from "node:test";

import { QUOTED_CHARS } from "../../../bridge/extension/limits.ts";
import { cut, isTypable, quoted, wellFormed } from "../../../bridge/extension/text.ts";

test("only halves of broken surrogate pairs are replaced", () => {
  assert.equal(wellFormed("a\ud800b\udc00c🍎\u001b[31m\u202e"), "a\uFFFDb\uFFFDc🍎\u001b[31m\u202e");
});

test("what is no string becomes one as in the terminal", () => {
  assert.deepEqual([5, null, undefined, true].map(wellFormed), ["5", "null", "undefined", "true"]);
});

test("a text of the limit is whole, one byte more is cut", () => {
  assert.deepEqual(cut("abcd", 4), { text: "abcd", shown: 4, total: 4 });
  assert.deepEqual(cut("abcde", 4), { text: "abcd", shown: 4, total: 5 });
});

test("a character is never cut in two", () => {
  for (let limit = 0; limit <= 10; limit += 1) {
    const { text, shown, total } = cut("aü🍎€", limit);
    assert.equal("aü🍎€".startsWith(text), true, `${limit}`);
    assert.equal(shown, Buffer.byteLength(text));
    assert.ok(shown <= limit && total === 10);
  }
});

test("a pair that lies across the limit leaves no half behind", () => {
  assert.deepEqual(cut("x🍎".repeat(100), 2), { text: "x", shown: 1, total: 500 });
});

test("an input takes what a person could have typed into one line", () => {
  assert.deepEqual(["Ada 🍎", "", "a\u00a0b\u200d"].map(isTypable), [true, true, true]);
  assert.deepEqual(["a\nb", "\r", "\t", "\u001b", "\u007f", "\u009b", "\ud800"].map(isTypable), Array(7).fill(false));
});

test("a text from elsewhere cannot write to the terminal", () => {
  assert.equal(quoted("\u001b[31mred\u0007\nnext\u202e\u2028end"), "[31mred next end");
});

test("a text from elsewhere is cut to QUOTED_CHARS characters", () => {
  assert.equal(quoted("🍎".repeat(QUOTED_CHARS)), "🍎".repeat(QUOTED_CHARS));
  assert.equal(quoted("🍎".repeat(QUOTED_CHARS + 1)), `${"🍎".repeat(QUOTED_CHARS)}…`);
});
