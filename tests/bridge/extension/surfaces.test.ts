// Promise: every method that shows something does in Pi what it does without us, whatever becomes of the look at it.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { LOOK_MS, UPDATE_MS } from "../../../bridge/extension/limits.ts";
import { MEMBERS, type Member } from "../../../bridge/extension/members.ts";
import { performed } from "../../../bridge/extension/step.ts";
import { Surfaces } from "../../../bridge/extension/surfaces.ts";
import { BoardStage } from "./board_stage.ts";
import { StackMode, type Ui } from "./pi_fakes.ts";

let stage: BoardStage;
let pi: StackMode;
let ui: unknown;
let surfaces: Surfaces;

beforeEach(() => {
  stage = new BoardStage();
  pi = new StackMode();
  ui = pi.createExtensionUIContext();
  const { board, sources } = stage;
  surfaces = new Surfaces({ sink: stage, board, sources, ui: () => ui, sees: () => true, gaveWay: () => {} });
});

afterEach(() => {
  surfaces.stop();
  stage.end();
});

const SHOWING = (Object.keys(MEMBERS) as Member[]).filter((name) => ["told", "drawn", "theme"].includes(MEMBERS[name]));
const ARGUMENTS: Partial<Record<Member, unknown[]>> = {
  setWidget: ["key", () => ({ render: () => ["drawn"] }), { placement: "belowEditor" }],
  setHeader: [() => ({ render: () => ["drawn"] })],
  setFooter: [() => ({ render: () => ["drawn"] })],
};

for (const method of SHOWING) {
  test(`${method} reaches Pi once, as it was called, and gives what Pi gives`, () => {
    const args = ARGUMENTS[method] ?? ["first", "second"];
    const calls: [unknown, unknown[]][] = [];
    const self = {};
    const original = function (this: unknown, ...given: unknown[]): unknown {
      calls.push([this, given]);
      return "given";
    };
    assert.equal(surfaces.intercept(method, { self, original, args }), "given");
    assert.deepEqual([calls.length, calls[0]?.[0] === self, calls[0]?.[1].length], [1, true, args.length]);
    for (const [at, arg] of args.entries()) if (typeof arg !== "function") assert.equal(calls[0]?.[1][at], arg);
  });

  test(`${method} throws what Pi throws, and once`, () => {
    let calls = 0;
    const original = (): void => {
      calls += 1;
      throw new Error("Pi's own");
    };
    assert.throws(() => surfaces.intercept(method, { self: {}, original, args: ARGUMENTS[method] ?? [{}] }), /Pi's own/);
    assert.equal(calls, 1);
  });
}

test("a look that fails, before or behind, leaves the call as it is", () => {
  const original = (...given: unknown[]): unknown => given;
  const call = { self: undefined, original, args: ["a"] };
  assert.deepEqual(performed("ui.told", () => assert.fail("before"), call), ["a"]);
  assert.deepEqual(performed("ui.told", () => ({ args: ["b"], done: () => assert.fail("behind") }), call), ["b"]);
});

test("texts that cannot be made leave the call as it is", () => {
  const hostile = { toString: () => assert.fail("asked") };
  for (const method of SHOWING) assert.equal(surfaces.intercept(method, { self: {}, original: () => "given", args: [hostile, hostile] }), "given");
});

/** Calls the method on Pi's own `ctx.ui`, as the hook does. */
function call(method: keyof Ui & Member, ...args: unknown[]): void {
  const self = pi.createExtensionUIContext();
  surfaces.intercept(method, { self, original: self[method] as never, args });
}

test("who comes later is told all that is shown, colours first", () => {
  ui = { ...pi.createExtensionUIContext(), theme: { fg: (_token: string, text: string) => `\u001b[31m${text}` } };
  stage.linked = false;
  call("setHeader", () => ({ render: () => ["header"] }));
  call("setWidget", "key", ["widget"]);
  call("setWorkingMessage", "busy");
  call("setHiddenThinkingLabel", "hm");
  pi.draw(80);
  stage.linked = true;
  const types = stage.resynced(surfaces.states()).map(({ type }) => type);
  assert.equal(types[0], "palette");
  assert.deepEqual(types.sort(), ["palette", "region", "thinking_label", "tools_expanded", "widget", "working_row"]);
  surfaces.forget();
  assert.deepEqual(stage.resynced(surfaces.states()).map(({ type }) => type), ["palette", "tools_expanded"]);
});

test("a theme that an extension sets is told at once, one that a person chooses within LOOK_MS", () => {
  let red = 31;
  ui = { theme: { fg: (_token: string, text: string) => `\u001b[${red}m${text}` } };
  surfaces.start();
  assert.equal(stage.said().length, 1);
  stage.pass(UPDATE_MS);
  red = 32;
  call("setTheme", "light");
  assert.equal(stage.said().length, 1);
  red = 33;
  stage.pass(LOOK_MS);
  assert.equal(stage.said().length, 1);
});

test("a look at a session that is gone is none", () => {
  surfaces = new Surfaces({
    sink: stage,
    board: stage.board,
    sources: stage.sources,
    ui: () => assert.fail("stale"),
    sees: () => true,
    gaveWay: () => {},
  });
  surfaces.start();
  stage.pass(LOOK_MS);
  assert.deepEqual(stage.resynced(surfaces.states()), []);
});

test("after the end no timer goes on", () => {
  surfaces.start();
  stage.said();
  surfaces.stop();
  pi.isExpanded = true;
  stage.pass(2 * LOOK_MS);
  assert.deepEqual(stage.said(), []);
});
