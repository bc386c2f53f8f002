/** Promise: a text that is handed over comes into an empty draft or after what was typed, never over it, and can be taken out again. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { contentOf, draftOf, EMPTY_DRAFT, typed, type Draft } from "../../../src/core/composer/draft.ts";
import { insert, withdraw } from "../../../src/core/composer/handoff.ts";

const text = (of: string): Draft => typed(EMPTY_DRAFT, of);

test("it fills an empty draft", () => {
  for (const blank of ["", "  \n"]) assert.equal(insert(text(blank), "h", "Review it")?.draft.text, "Review it");
});

test("it comes after what was typed, on a line of its own", () => {
  assert.equal(insert(text("I typed"), "h", "Review it")?.draft.text, "I typed\nReview it");
  assert.equal(insert(text("I typed\n"), "h", "Review it")?.draft.text, "I typed\nReview it");
});

for (const [name, before, handed] of [
  ["typed text", "I typed", "Review it"],
  ["nothing", "", "Review it"],
  ["text with unseen characters", "I\u200b typed", "Re\u202eview\u0007"],
] as const) {
  test(`undo leaves ${name} as it was`, () => {
    const draft = before === "" ? EMPTY_DRAFT : (draftOf(before) ?? EMPTY_DRAFT);
    const inserted = insert(draft, "h", handed, "planner");
    assert.ok(inserted !== undefined);
    assert.equal(contentOf(inserted.draft), before === "" ? handed : `${before}\n${handed}`);
    const after = withdraw(inserted.draft, inserted.insertion);
    assert.equal(after && contentOf(after), before);
  });
}

test("undo takes out what came, also after more was typed around it", () => {
  const inserted = insert(text("a"), "h", "b");
  assert.ok(inserted !== undefined);
  const more = typed(inserted.draft, `x${inserted.draft.text}\nc`);
  assert.equal(withdraw(more, inserted.insertion)?.text, "xa\nc");
});

test("what was edited cannot be undone", () => {
  const inserted = insert(EMPTY_DRAFT, "h", "Review it");
  assert.ok(inserted !== undefined);
  assert.equal(withdraw(typed(inserted.draft, "Review that"), inserted.insertion), undefined);
});

test("it tells how many kinds of unseen characters it has, and who it is from", () => {
  const insertion = insert(text("a\u200b"), "h", "b\u202e\u202ec\u0007", "planner")?.insertion;
  assert.deepEqual({ id: insertion?.id, source: insertion?.source, marks: insertion?.marks }, { id: "h", source: "planner", marks: 2 });
});

test("nothing comes of an empty text", () => {
  assert.equal(insert(text("a"), "h", ""), undefined);
});
