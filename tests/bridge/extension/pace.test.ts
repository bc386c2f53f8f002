// Promise: the first change is told at once, the last one always and soon, and no more than one a period in between.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { Pace } from "../../../bridge/extension/pace.ts";
import { BoardStage } from "./board_stage.ts";

const PERIOD = 50;

let stage: BoardStage;
let pace: Pace;
let told: string[];

beforeEach(() => {
  stage = new BoardStage();
  pace = new Pace(PERIOD);
  told = [];
});

afterEach(() => {
  pace.stop();
  stage.end();
});

function touch(what: string, key = "k", apart = false): void {
  pace.touch(key, () => told.push(what), apart);
}

test("the first is told at once, and of those that follow within the period the last", () => {
  touch("a");
  assert.deepEqual(told, ["a"]);
  touch("b");
  touch("c");
  stage.pass(PERIOD - 1);
  assert.deepEqual(told, ["a"]);
  stage.pass(1);
  assert.deepEqual(told, ["a", "c"]);
});

test("after a period of rest the next is told at once again", () => {
  touch("a");
  stage.pass(PERIOD);
  touch("b");
  assert.deepEqual(told, ["a", "b"]);
});

test("keys do not wait for each other", () => {
  touch("a", "one");
  stage.pass(30);
  touch("b", "two");
  touch("c", "one");
  touch("d", "two");
  stage.pass(20);
  assert.deepEqual(told, ["a", "b", "c"]);
  stage.pass(30);
  assert.deepEqual(told, ["a", "b", "c", "d"]);
});

test("a change every millisecond for a second is told 20 times, and then the last", () => {
  for (let n = 0; n < 1_000; n += 1) {
    touch(`${n}`);
    stage.pass(1);
  }
  stage.pass(PERIOD);
  assert.deepEqual([told.length, told.at(-1)], [21, "999"]);
});

test("what must be apart is never told within the call, and at once after it", () => {
  touch("a", "k", true);
  assert.deepEqual(told, []);
  stage.pass(1);
  assert.deepEqual(told, ["a"]);
  touch("b", "k", true);
  stage.pass(PERIOD - 1);
  assert.deepEqual(told, ["a"]);
  stage.pass(1);
  assert.deepEqual(told, ["a", "b"]);
});

test("what waits can be had at once, once", () => {
  touch("a");
  touch("b");
  pace.flush("k");
  pace.flush("k");
  pace.flush("unknown");
  stage.pass(2 * PERIOD);
  assert.deepEqual(told, ["a", "b"]);
});

test("what is dropped, or stopped, is not told", () => {
  touch("a", "one");
  touch("b", "one");
  pace.drop("one");
  touch("c", "two");
  touch("d", "two");
  pace.stop();
  stage.pass(10 * PERIOD);
  assert.deepEqual(told, ["a", "c"]);
  touch("e", "two");
  assert.deepEqual(told, ["a", "c", "e"]);
});

test("one that throws keeps none of the others from being told", () => {
  for (const key of ["one", "two"]) touch("first", key);
  pace.touch("one", () => assert.fail("no"));
  touch("second", "two");
  stage.pass(PERIOD);
  assert.deepEqual(told, ["first", "first", "second"]);
});

test("a key that rests is forgotten, and no timer goes on", () => {
  for (let n = 0; n < 100; n += 1) touch("x", `${n}`);
  stage.pass(2 * PERIOD);
  assert.equal((pace as unknown as { slots: Map<string, unknown> }).slots.size, 0);
});
