// Promise: a daemon is told what is true now, never the same twice, and nothing about what it has never heard of.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import type { Manner, State } from "../../../bridge/extension/board.ts";
import { UPDATE_MS } from "../../../bridge/extension/limits.ts";
import { BoardStage } from "./board_stage.ts";

let stage: BoardStage;
let value: string | null | undefined;

beforeEach(() => {
  stage = new BoardStage();
  value = undefined;
});

afterEach(() => stage.end());

/** As a thinking label: null is what is there without us, undefined what is not known yet. */
function look(): State | undefined {
  return value === undefined ? undefined : { message: { type: "thinking_label", label: value }, isDefault: value === null };
}

function put(next: string | null | undefined, manner?: Manner): void {
  value = next;
  stage.board.put("label", look, manner);
}

/** The labels that were told since the last look. */
function labels(): (string | null)[] {
  return stage.said().map((message) => (message.type === "thinking_label" ? message.label : assert.fail(message.type)));
}

test("a value is told when it differs from what was told last", () => {
  put("a");
  assert.deepEqual(labels(), ["a"]);
  stage.pass(UPDATE_MS);
  put("a");
  stage.pass(UPDATE_MS);
  put("b");
  assert.deepEqual(labels(), ["b"]);
});

test("a value that came and went within the period is not told", () => {
  put("a");
  labels();
  put("b");
  put("a");
  stage.pass(UPDATE_MS);
  assert.deepEqual(labels(), []);
});

test("what waits for room is told with its last value", () => {
  put("a");
  put("b");
  stage.pass(UPDATE_MS);
  assert.deepEqual(labels(), ["b"]);
});

test("the default is told to whom another value was told, once", () => {
  put(null);
  assert.deepEqual(labels(), []);
  stage.pass(UPDATE_MS);
  put("a");
  assert.deepEqual(labels(), ["a"]);
  stage.pass(UPDATE_MS);
  put(null);
  assert.deepEqual(labels(), [null]);
  stage.pass(UPDATE_MS);
  put(null);
  assert.deepEqual(labels(), []);
});

test("of what is not known yet nothing is told", () => {
  put(undefined);
  assert.deepEqual(labels(), []);
});

test("who listens anew is told everything, and then again only what changes", () => {
  put("a");
  labels();
  stage.pass(UPDATE_MS);
  assert.deepEqual(stage.resynced([["label", look]]), [{ type: "thinking_label", label: "a" }]);
  put("a");
  assert.deepEqual(labels(), []);
  value = null;
  assert.deepEqual(stage.resynced([["label", look]]), []);
});

test("while nobody is told things, nothing is made", () => {
  stage.linked = false;
  put("a", { before: () => assert.fail("for nobody") });
  stage.pass(UPDATE_MS);
  assert.equal(stage.outbox.size, 0);
});

test("what has to be done before is done at the pace of the key, and apart from the call where that is asked", () => {
  let times = 0;
  const before = (): void => void (times += 1);
  put("a", { apart: true, before });
  assert.equal(times, 0);
  stage.pass(1);
  for (let n = 0; n < UPDATE_MS; n += 1) {
    put(`${n}`, { apart: true, before });
    stage.pass(1);
  }
  assert.equal(times, 2);
});

test("what is gone before anybody heard of it leaves nothing behind", () => {
  put("a");
  value = null;
  stage.board.remove("label", look);
  stage.pass(UPDATE_MS);
  assert.deepEqual([stage.outbox.size, labels()], [0, []]);
});

test("what is gone is told to whom it was told", () => {
  put("a");
  labels();
  value = null;
  stage.board.remove("label", look);
  stage.pass(UPDATE_MS);
  assert.deepEqual(labels(), [null]);
});

test("what is closed is told to its last value first, without waiting", () => {
  put("a");
  labels();
  put("b");
  stage.board.close("label");
  assert.deepEqual(labels(), ["b"]);
});
