// Promise: remotes see "working" exactly while the agent works, on a Pi that says when it has settled and on one that does not.
import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { IDLE_LOOK_MS } from "../../../bridge/extension/limits.ts";
import { Working } from "../../../bridge/extension/working.ts";

mock.timers.enable({ apis: ["setTimeout"] });

let said: [boolean, string][];
let idle: unknown;
let working: Working;

beforeEach(() => {
  said = [];
  idle = false;
  working = new Working((now, cause) => void said.push([now, cause]), () => {
    if (idle === "stale") throw new Error("this context is stale");
    return idle;
  });
});

test("a run on a Pi that settles", () => {
  working.event("agent_start");
  working.event("turn_start");
  working.event("turn_end");
  working.event("agent_end");
  working.event("agent_settled");
  mock.timers.tick(10 * IDLE_LOOK_MS);
  assert.deepEqual(said, [
    [true, "agent_start"],
    [true, "turn_start"],
    [true, "turn_end"],
    [false, "agent_settled"],
  ]);
});

test("a run on a Pi that does not settle: it is asked until it rests", () => {
  working.event("agent_start");
  working.event("agent_end");
  mock.timers.tick(IDLE_LOOK_MS);
  assert.equal(said.length, 1);
  idle = true;
  mock.timers.tick(IDLE_LOOK_MS);
  mock.timers.tick(10 * IDLE_LOOK_MS);
  assert.deepEqual(said.slice(1), [[false, "agent_end"]]);
});

test("a retry goes on working", () => {
  working.event("agent_start");
  working.event("agent_end");
  working.event("agent_start");
  idle = true;
  mock.timers.tick(10 * IDLE_LOOK_MS);
  assert.deepEqual(said.map(([now]) => now), [true, true]);
});

test("a context that cannot be asked any more counts as rest", () => {
  working.event("agent_start");
  idle = "stale";
  working.event("agent_end");
  assert.deepEqual(said.at(-1), [false, "agent_end"]);
});

test("after the end of the session nobody is asked", () => {
  working.event("agent_end");
  working.stop();
  idle = true;
  mock.timers.tick(10 * IDLE_LOOK_MS);
  assert.deepEqual(said, []);
});
