// Promise: the questions of an ask are read or refused with what is wrong; what a remote may answer is what the person may.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Budget } from "../../../bridge/extension/budget.ts";
import { PROMPT_BYTES, QUESTIONS, TYPED_BYTES, VALUE_BYTES } from "../../../bridge/extension/limits.ts";
import type { Display } from "../../../bridge/extension/prompt.ts";
import type { Answers, Question } from "../../../bridge/extension/protocol.ts";
import { asked, checked, labels, offer, readQuestions } from "../../../bridge/extension/questions.ts";

const ONE: Question = { id: "one", question: "Which?", options: [{ value: "a", label: "A" }, { value: "b", label: "B", description: "the second" }] };
const MANY: Question = { ...ONE, id: "many", multiSelect: true };
const FREE: Question = { id: "free", question: "What?", options: [] };
const ALL = [ONE, MANY, FREE];

function offered(questions: readonly Question[], allowCustom: unknown = undefined): { display: Display; title: string; budget: Budget } {
  const display: Display = { method: "ask", title: "" };
  const budget = new Budget();
  const title = offer(display, questions, allowCustom, budget);
  return { display, title, budget };
}

test("questions are read; what is not ours in them is left out", () => {
  assert.deepEqual(readQuestions([{ ...ONE, colour: "red" }, { id: "free", question: "What?" }]), [ONE, FREE]);
  assert.deepEqual(readQuestions([{ id: "x", question: "?", options: [{ value: "v" }], multiSelect: "yes" }]), [
    { id: "x", question: "?", options: [{ value: "v", label: "v" }] },
  ]);
});

for (const [given, message] of [
  ["which?", /questions is no array/],
  [[5], /questions\[0\]\.options is no array|questions\[0\]\.id is no text/],
  [[{ question: "?" }], /questions\[0\]\.id is no text/],
  [[{ id: "a" }], /questions\[0\]\.question is no text/],
  [[{ id: "a", question: "?", options: "b" }], /questions\[0\]\.options is no array/],
  [[{ id: "a", question: "?", options: [{ label: "b" }] }], /questions\[0\]\.options\[0\]\.value is no text/],
] as const) {
  test(`${JSON.stringify(given)} is refused`, () => assert.throws(() => readQuestions(given), { name: "TypeError", message }));
}

test("a remote is shown all of it", () => {
  const { display, title } = offered(ALL);
  assert.deepEqual([display.questions, display.allowCustom, display.terminalOnly, title], [ALL, true, undefined, "3 questions"]);
  assert.deepEqual([offered([ONE], false).display.allowCustom, offered([ONE]).title], [false, "Which?"]);
});

const named = (value: string): Question => ({ id: "q", question: "?", options: [{ value, label: "l" }] });

for (const [name, questions, reason] of [
  ["QUESTIONS of them", Array.from({ length: QUESTIONS }, () => ONE), undefined],
  ["one more than QUESTIONS", Array.from({ length: QUESTIONS + 1 }, () => ONE), "too_large"],
  ["a value of VALUE_BYTES", [named("x".repeat(VALUE_BYTES))], undefined],
  ["a value of one byte more", [named("x".repeat(VALUE_BYTES + 1))], "too_large"],
  ["an id of one byte more", [{ ...ONE, id: "x".repeat(VALUE_BYTES + 1) }], "too_large"],
  ["more text than fits a prompt", [{ ...ONE, question: "x".repeat(PROMPT_BYTES) }], "too_large"],
  ["half of a character in a value", [named("\ud800")], "half_characters"],
  ["half of a character in a label", [{ ...ONE, question: "\ud800" }], undefined],
] as const) {
  test(`an ask with ${name} ${reason === undefined ? "may be answered from afar" : `stays at the terminal: ${reason}`}`, () => {
    const { display, budget } = offered(questions);
    assert.equal(display.terminalOnly, reason);
    if (reason === undefined) return;
    assert.ok((display.questions ?? []).length <= QUESTIONS);
    assert.ok((display.questions ?? []).every(({ id, options }) => id === "" && options.every(({ value }) => value === "")));
    assert.ok(Buffer.byteLength(JSON.stringify(display)) <= 2 * PROMPT_BYTES);
    if (questions.length > QUESTIONS) assert.deepEqual(budget.truncated.at(-1), { field: "questions", shown: QUESTIONS, total: QUESTIONS + 1 });
  });
}

for (const [given, expected] of [
  [{}, {}],
  [{ one: "a" }, { one: "a" }],
  [{ many: ["b", "a"] }, { many: ["b", "a"] }],
  [{ many: "a" }, { many: ["a"] }],
  [{ many: [] }, {}],
  [{ one: "typed", many: ["a", "typed"], free: "typed" }, { one: "typed", many: ["a", "typed"], free: "typed" }],
] as const) {
  test(`the answers ${JSON.stringify(given)} suit`, () => assert.deepEqual(checked(ALL, true, given as unknown as Answers), expected));
}

for (const [name, given] of [
  ["a question that was not asked", { two: "a" }],
  ["a list where one may be chosen", { one: ["a"] }],
  ["an option twice", { many: ["a", "a"] }],
  ["nothing for an answer", { free: "" }],
  ["half of a character", { free: "\ud800" }],
  ["more than TYPED_BYTES", { free: "x".repeat(TYPED_BYTES + 1) }],
] as const) {
  test(`answers with ${name} do not suit`, () => assert.equal(checked(ALL, true, given as unknown as Answers), undefined));
}

test("without other answers only options suit, except where there are none", () => {
  assert.equal(checked(ALL, false, { one: "typed" }), undefined);
  assert.equal(checked(ALL, false, { many: ["a", "typed"] }), undefined);
  assert.deepEqual(checked(ALL, false, { one: "a", free: "x".repeat(TYPED_BYTES) }), { one: "a", free: "x".repeat(TYPED_BYTES) });
});

test("any text may be a question's id", () => {
  const answers = checked([{ ...ONE, id: "__proto__" }], true, JSON.parse('{"__proto__": "a"}') as Answers);
  assert.deepEqual(Object.entries(answers ?? {}), [["__proto__", "a"]]);
  assert.deepEqual(Object.entries(asked(answers ?? {}).answers), [["__proto__", "a"]]);
});

test("labels name what was chosen, never what was typed", () => {
  assert.deepEqual(labels(ALL, { one: "b", many: ["a", "canary"], free: "canary" }), ["B", "A"]);
  assert.deepEqual([labels(ALL, undefined), labels(ALL, {})], [[], []]);
});

test("no answer at all is told as such", () => {
  assert.deepEqual([asked({}), asked({ a: "b" })], [{ answers: {}, allIgnored: true }, { answers: { a: "b" }, allIgnored: false }]);
});
