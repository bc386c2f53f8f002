// Promise: who calls is looked up at little cost however often it is called, and what is not looked up is what was known.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { SOURCE_LOOKS, SOURCE_LOOKS_MS } from "../../../bridge/extension/limits.ts";
import { by, Sources } from "../../../bridge/extension/sources.ts";
import { BoardStage } from "./board_stage.ts";

let stage: BoardStage;

beforeEach(() => {
  stage = new BoardStage();
});

afterEach(() => stage.end());

test("SOURCE_LOOKS times within SOURCE_LOOKS_MS the stack is looked at, then it is who it was", () => {
  const sources = new Sources();
  const looks = Array.from({ length: SOURCE_LOOKS }, () => sources.look("before"));
  assert.deepEqual(new Set(looks), new Set(["sources.test"]));
  assert.deepEqual([sources.look("before"), sources.look()], ["before", undefined]);
  stage.pass(SOURCE_LOOKS_MS);
  assert.equal(sources.look("before"), "sources.test");
});

test("who is not known has no field", () => assert.deepEqual([by(undefined), by("snake")], [{}, { source: "snake" }]));
