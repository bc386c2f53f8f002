// Promise: a header or footer of an extension is told as the terminal draws it, until Pi's own is back.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { Recorder } from "../../../bridge/extension/components.ts";
import { UPDATE_MS } from "../../../bridge/extension/limits.ts";
import type { Outgoing } from "../../../bridge/extension/protocol.ts";
import { Regions } from "../../../bridge/extension/regions.ts";
import { performed } from "../../../bridge/extension/step.ts";
import { BoardStage } from "./board_stage.ts";
import { StackMode, type ComponentFactory } from "./pi_fakes.ts";

let stage: BoardStage;
let pi: StackMode;
let recorder: Recorder;
let regions: Regions;
let colours: number;

beforeEach(() => {
  stage = new BoardStage();
  pi = new StackMode();
  recorder = new Recorder();
  colours = 0;
  const { board, sources } = stage;
  regions = new Regions({ board, recorder, sources, drawn: () => (colours += 1) });
});

afterEach(() => stage.end());

function set(name: "header" | "footer", factory: ComponentFactory | undefined): void {
  const ui = pi.createExtensionUIContext();
  const original = (name === "header" ? ui.setHeader : ui.setFooter) as (...args: unknown[]) => unknown;
  performed("ui.drawn", () => regions.step(name, [factory]), { self: ui, original, args: [factory] });
}

/** After a frame, and the time in which what was drawn is told. */
function drawn(width = 80): Outgoing[] {
  pi.draw(width);
  stage.pass(UPDATE_MS);
  return stage.said();
}

const text = (...lines: string[]): ComponentFactory => () => ({ render: () => lines });

test("each is told when it is drawn, and that Pi's own is back", () => {
  stage.source = "custom-footer";
  set("footer", text("main"));
  set("header", text("π"));
  assert.deepEqual(stage.said(), []);
  assert.deepEqual(drawn(), [
    { type: "region", name: "footer", lines: ["main"], width: 80, source: "custom-footer" },
    { type: "region", name: "header", lines: ["π"], width: 80, source: "custom-footer" },
  ]);
  assert.equal(colours, 2);
  set("footer", undefined);
  assert.deepEqual(drawn(), [{ type: "region", name: "footer", lines: null, width: null }]);
  set("footer", undefined);
  assert.deepEqual(drawn(), []);
});

test("the factory gets what Pi gives it, and one that throws throws to its caller", () => {
  const given: unknown[] = [];
  set("footer", (...args) => (given.push(...args), { render: () => [] }));
  assert.equal(given.length, 3);
  assert.throws(() => set("footer", () => assert.fail("no footer")), /no footer/);
});

test("one takes the other's place without Pi's own in between", () => {
  set("header", text("one"));
  drawn();
  set("header", text("two"));
  stage.pass(UPDATE_MS);
  assert.deepEqual(stage.said(), []);
  assert.deepEqual(drawn(), [{ type: "region", name: "header", lines: ["two"], width: 80 }]);
});

test("a Pi that has no header yet does not call the factory, and nothing is told", () => {
  pi.hasHeader = false;
  set("header", text("early"));
  assert.deepEqual([drawn(), stage.resynced(regions.states())], [[], []]);
});

test("one that cannot be watched is not told, and what it took the place of is gone", () => {
  set("footer", text("main"));
  drawn();
  set("footer", () => Object.freeze({ render: () => ["frozen"] }));
  assert.deepEqual(drawn(), [{ type: "region", name: "footer", lines: null, width: null }]);
});

test("a text field in it shows what a person types: its lines are not told", () => {
  set("footer", () => ({ render: () => (recorder.field(), ["> secret"]) }));
  const truncated = [{ field: "lines", shown: 0, total: 1 }];
  assert.deepEqual(drawn(), [{ type: "region", name: "footer", lines: [], width: 80, truncated }]);
});

test("who comes later is told what is there; what is forgotten is told to nobody", () => {
  set("header", text("π"));
  drawn();
  assert.deepEqual(stage.resynced(regions.states()), [{ type: "region", name: "header", lines: ["π"], width: 80 }]);
  regions.forget();
  assert.deepEqual([drawn(70), stage.resynced(regions.states())], [[], []]);
});
