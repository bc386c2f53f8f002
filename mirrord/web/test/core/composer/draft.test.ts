/** Promise: what is sent is what was handed over or typed, also what cannot be seen; what is typed is never touched. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { contentOf, draftOf, EMPTY_DRAFT, isBlank, typed } from "../../../src/core/composer/draft.ts";

test("what cannot be seen stands as a mark and is sent as it is", () => {
  const draft = draftOf("one\u202etwo\u0007\u200b");
  assert.ok(draft !== undefined);
  assert.doesNotMatch(draft.text, /[\u202e\u0007\u200b]/u);
  assert.equal(contentOf(draft), "one\u202etwo\u0007\u200b");
});

test("line ends become one kind, as in Pi's own editor", () => {
  const draft = draftOf("a\r\nb\rc\nd");
  assert.equal(draft?.text, "a\nb\nc\nd");
  assert.equal(draft && contentOf(draft), "a\nb\nc\nd");
});

test("a mark that was deleted stands for nothing when it is typed later", () => {
  const draft = draftOf("a\u001bb") ?? EMPTY_DRAFT;
  const without = typed(draft, "ab");
  assert.equal(contentOf(typed(without, "a␛b")), "a␛b");
  assert.equal(contentOf(typed(draft, `${draft.text}!`)), "a\u001bb!");
});

test("what a person types is sent to the letter", () => {
  for (const text of ["", " a ", "👩‍👩‍👧", "می‌خواهم", "\u200b", "a\tb\n\n"]) assert.equal(contentOf(typed(EMPTY_DRAFT, text)), text);
});

test("blanks alone are no message", () => {
  assert.equal(isBlank(typed(EMPTY_DRAFT, " \n\t")), true);
  assert.equal(isBlank(typed(EMPTY_DRAFT, " x ")), false);
});
