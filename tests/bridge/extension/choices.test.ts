// Promise: whatever is pressed in an ask, what it gives is what the person sees as chosen; nothing is lost by going back.
import assert from "node:assert/strict";
import { test } from "node:test";

import { AskState } from "../../../bridge/extension/choices.ts";
import type { Question } from "../../../bridge/extension/protocol.ts";

const ONE: Question = { id: "one", question: "Which?", options: [{ value: "a", label: "A" }, { value: "b", label: "B" }] };
const MANY: Question = { ...ONE, id: "many", multiSelect: true };
const FREE: Question = { id: "free", question: "What?", options: [] };

function kinds(state: AskState): string[] {
  return state.rows().map(({ kind }) => kind);
}

/** Enter on the row at `place`. */
function enter(state: AskState, place: number): string {
  state.cursor = place;
  return state.enter();
}

test("each kind of question has its rows", () => {
  const rows = (question: Question, allowCustom: boolean): string[] => kinds(new AskState([question], allowCustom));
  assert.deepEqual(rows(ONE, true), ["option", "option", "typed", "skip"]);
  assert.deepEqual(rows(ONE, false), ["option", "option", "skip"]);
  assert.deepEqual(rows(MANY, true), ["option", "option", "typed", "done", "skip"]);
  assert.deepEqual(rows(FREE, false), ["typed", "skip"]);
});

test("a single question ends with its choice", () => {
  const state = new AskState([ONE], true);
  assert.equal(enter(state, 1), "submit");
  assert.deepEqual(state.answers(), { one: "b" });
});

test("of several, Done ends a single question; the space bar and Enter both choose", () => {
  const state = new AskState([MANY], true);
  state.toggle();
  assert.equal(enter(state, 1), "stay");
  assert.deepEqual(state.answers(), { many: ["a", "b"] });
  assert.equal(enter(state, 0), "stay");
  assert.equal(enter(state, 3), "submit");
  assert.deepEqual(state.answers(), { many: ["b"] });
});

test("the space bar chooses nothing where one may be chosen", () => {
  const state = new AskState([ONE], true);
  state.toggle();
  assert.deepEqual([state.answers(), state.page], [{}, 0]);
});

test("a typed answer takes the place of a choice, and joins the choices of several", () => {
  const state = new AskState([ONE, MANY], true);
  enter(state, 0);
  state.back();
  assert.equal(enter(state, 2), "type");
  assert.equal(state.typed("own"), "stay");
  enter(state, 0);
  enter(state, 2);
  state.typed("more");
  assert.deepEqual(state.answers(), { one: "own", many: ["a", "more"] });
});

test("a blank answer takes back what was typed and goes nowhere", () => {
  const state = new AskState([FREE, ONE], true);
  enter(state, 0);
  state.typed("own");
  state.back();
  state.typed("  ");
  assert.deepEqual([state.answers(), state.page], [{}, 0]);
});

test("a typed text that is an option's value counts once", () => {
  const state = new AskState([MANY], true);
  enter(state, 0);
  state.typed("a");
  assert.deepEqual(state.answers(), { many: ["a"] });
});

test("skipping takes an answer back and goes on; the page with all answers submits or goes back", () => {
  const state = new AskState([ONE, MANY], true);
  enter(state, 0);
  state.back();
  assert.equal(state.cursor, 0, "the cursor is on what was chosen");
  enter(state, 3);
  assert.deepEqual([state.page, state.answers()], [1, {}]);
  enter(state, 4);
  assert.deepEqual([state.question, kinds(state)], [undefined, ["submit", "back"]]);
  assert.equal(enter(state, 1), "stay");
  assert.equal(state.page, 1);
  state.next();
  assert.equal(enter(state, 0), "submit");
});

test("skipping a single question submits no answer", () => {
  const state = new AskState([ONE], true);
  assert.equal(enter(state, 3), "submit");
  assert.deepEqual(state.answers(), {});
});

test("answers stay when the person goes to and fro", () => {
  const state = new AskState([ONE, MANY], true);
  enter(state, 1);
  state.toggle();
  state.back();
  state.back();
  assert.deepEqual([state.page, state.cursor], [0, 1]);
  state.next();
  state.next();
  state.next();
  assert.deepEqual([state.page, state.answers(), state.summary(0), state.summary(1)], [2, { one: "b", many: ["a"] }, "B", "A"]);
});

test("the cursor goes round both ends", () => {
  const state = new AskState([ONE], false);
  state.move(-1);
  assert.equal(state.cursor, 2);
  state.move(1);
  assert.equal(state.cursor, 0);
});
