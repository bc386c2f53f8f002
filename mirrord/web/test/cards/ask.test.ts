/** Promise: what is sent is what is shown as chosen, and nothing that was typed is lost by choosing something else. */

import assert from "node:assert/strict";
import { test } from "node:test";

import * as ask from "../../src/cards/ask.ts";

const BED = { id: "bed", question: "Which bed?", options: [{ value: "n", label: "North" }, { value: "s", label: "South" }] };
const FLOWERS = { id: "flowers", question: "Which flowers?", multiSelect: true, options: [{ value: "t", label: "Tulips" }, { value: "r", label: "Roses" }] };
const NAME = { id: "name", question: "Its name?" };
const begin = (...questions: readonly object[]) => ask.begin({ questions } as Parameters<typeof ask.begin>[0], {});

test("one choice takes the place of another", () => {
  const state = ask.choose(ask.choose(begin(BED), 0, 0), 0, 1);
  assert.deepEqual(ask.answers(state), { bed: "s" });
  assert.equal(ask.sendLabel(state), "Send “South”");
});

test("of several, each is taken back by a second tap, and they go in the order of the options", () => {
  let state = begin(FLOWERS);
  for (const option of [1, 0, 1, 1]) state = ask.choose(state, 0, option);
  assert.deepEqual(ask.answers(state), { flowers: ["t", "r"] });
  assert.equal(ask.sendLabel(state), "Send 2 choices");
  assert.deepEqual(ask.answers(ask.choose(ask.choose(state, 0, 0), 0, 1)), {});
});

test("typing is the answer, until an option is chosen; the text stays and can be taken again", () => {
  const typed = ask.type(ask.choose(begin(BED), 0, 0), 0, "Both, half each");
  assert.deepEqual(ask.answers(typed), { bed: "Both, half each" });
  const chosen = ask.choose(typed, 0, 1);
  assert.deepEqual(ask.answers(chosen), { bed: "s" });
  assert.equal(ask.entryOf(chosen, 0).typed, "Both, half each");
  assert.deepEqual(ask.answers(ask.useTyped(chosen, 0)), { bed: "Both, half each" });
});

test("of several, a typed answer goes with the others, once, and can be left out", () => {
  const state = ask.type(ask.choose(begin(FLOWERS), 0, 0), 0, "my own rose");
  assert.deepEqual(ask.answers(state), { flowers: ["t", "my own rose"] });
  assert.deepEqual(ask.answers(ask.useTyped(state, 0)), { flowers: ["t"] });
  assert.deepEqual(ask.answers(ask.type(state, 0, "t")), { flowers: ["t"] });
});

test("what is typed is sent as it is, and blanks are no answer", () => {
  assert.deepEqual(ask.answers(ask.type(begin(NAME), 0, "  two\nlines ")), { name: "  two\nlines " });
  assert.deepEqual(ask.answers(ask.type(begin(NAME), 0, " \n")), {});
});

test("a question is skipped by leaving it out, and its text is kept", () => {
  const state = ask.skip(ask.type(begin(BED, FLOWERS), 0, "Both"), 0);
  assert.deepEqual(ask.answers(state), {});
  assert.equal(state.page, 1);
  assert.equal(ask.entryOf(state, 0).typed, "Both");
});

test("several questions end in a review, one does not", () => {
  let state = begin(BED, FLOWERS);
  for (let times = 0; times < 5; times += 1) state = ask.turn(state, state.page + 1);
  assert.equal(state.page, 2);
  assert.equal(ask.isReview(state), true);
  assert.equal(ask.turn(state, -3).page, 0);
  assert.equal(ask.isReview(ask.turn(begin(BED), 1)), false);
});

test("the button says how many of how many", () => {
  const state = begin(BED, FLOWERS, NAME);
  assert.equal(ask.sendLabel(state), "Send no answers");
  assert.equal(ask.sendLabel(ask.choose(state, 0, 0)), "Send 1 of 3 answers");
  assert.equal(ask.sendLabel(ask.type(ask.choose(ask.choose(state, 0, 0), 1, 0), 2, "Ada")), "Send 3 answers");
});

test("an own answer is offered where it is allowed, and where there is nothing else", () => {
  const strict = ask.begin({ questions: [BED, NAME], allowCustom: false }, {});
  assert.equal(ask.takesTyped(strict, BED), false);
  assert.equal(ask.takesTyped(strict, NAME), true);
  assert.equal(ask.takesTyped(begin(BED), BED), true);
});

test("a text that Pi would not take is told, but not while it is not what is sent", () => {
  const state = ask.type(begin(BED), 0, "x".repeat(70_000));
  assert.match(ask.obstacleAt(state, 0) ?? "", /64 KB/);
  assert.equal(ask.obstacleAt(ask.choose(state, 0, 0), 0), undefined);
});

test("what is kept brings everything back", () => {
  let state = begin(BED, FLOWERS, NAME);
  state = ask.choose(ask.type(state, 0, "Both"), 0, 1);
  state = ask.type(ask.choose(state, 1, 1), 1, "my own");
  state = ask.type(state, 2, "Ada");
  const kept = JSON.parse(JSON.stringify(ask.fields(state)));
  const again = ask.begin({ questions: state.questions }, kept);
  assert.deepEqual(again.entries, state.entries);
});

test("a typed text that was not used is kept and still not used", () => {
  const state = ask.skip(ask.type(begin(NAME, BED), 0, "Ada"), 0);
  const again = ask.begin({ questions: state.questions }, ask.fields(state));
  assert.equal(ask.entryOf(again, 0).typed, "Ada");
  assert.deepEqual(ask.answers(again), {});
});

test("a question may be called __proto__, and constructor is no answer to it", () => {
  const question = { id: "__proto__", question: "?", options: [{ value: "constructor", label: "C" }] };
  const state = ask.begin({ questions: [question] }, {});
  assert.equal(ask.entryOf(state, 0).typed, "");
  assert.equal(JSON.stringify(ask.answers(ask.choose(state, 0, 0))), '{"__proto__":"constructor"}');
});

test("no questions at all is no error", () => {
  const state = ask.begin({}, {});
  assert.deepEqual(ask.answers(state), {});
  assert.equal(ask.turn(state, 3).page, 0);
  assert.deepEqual(ask.labelsAt(state, 0), []);
});
