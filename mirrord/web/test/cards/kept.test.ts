/** Promise: every text that was typed in vain can be read, under the question it was typed for. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { keptTexts } from "../../src/cards/kept.ts";

const QUESTIONS = [
  { id: "bed", question: "Which bed?" },
  { id: "name", question: "Its name?" },
];

test("texts come in the order of the questions", () => {
  assert.deepEqual(keptTexts({ title: "2 questions", questions: QUESTIONS }, { name: "Ada", bed: "Both" }), [
    { label: "Which bed?", text: "Both", content: "Both" },
    { label: "Its name?", text: "Ada", content: "Ada" },
  ]);
});

test("a prompt whose questions are gone still has its texts", () => {
  assert.deepEqual(keptTexts({ title: "2 questions" }, { bed: "Both" }), [{ label: "2 questions", text: "Both", content: "Both" }]);
});

test("choices and empty texts are not kept", () => {
  assert.deepEqual(keptTexts({ title: "?" }, { "value#chosen": ["1"], value: "" }), []);
});

test("a text is whole, however long", () => {
  const text = "x\r\n".repeat(100_000);
  assert.equal(keptTexts({ title: "?" }, { value: text })[0]?.text, text);
});

test("what is copied of an editor has the characters back that its marks stand for", () => {
  const [kept] = keptTexts({ title: "Edit", prefill: "a\u001b[1m\r\n" }, { value: "a␛[1m!\n" });
  assert.deepEqual(kept, { label: "Edit", text: "a␛[1m!\n", content: "a\u001b[1m!\r\n" });
});
