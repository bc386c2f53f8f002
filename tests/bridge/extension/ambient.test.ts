// Promise: the working row, the label and the switch are told as extensions set them, within bounds, and as Pi's own when they are that.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { Ambient } from "../../../bridge/extension/ambient.ts";
import { INDICATOR_FRAME_BYTES, INDICATOR_FRAMES, INDICATOR_MS_LEAST, INDICATOR_MS_MOST, TEXT_BYTES, UPDATE_MS } from "../../../bridge/extension/limits.ts";
import type { Outgoing } from "../../../bridge/extension/protocol.ts";
import { BoardStage } from "./board_stage.ts";
import { StackMode } from "./pi_fakes.ts";

let stage: BoardStage;
let pi: StackMode;
let ambient: Ambient;

beforeEach(() => {
  stage = new BoardStage();
  pi = new StackMode();
  const ui = pi.createExtensionUIContext();
  ambient = new Ambient(stage.board, () => ui);
});

afterEach(() => stage.end());

function told(method: string, value?: unknown): Outgoing[] {
  ambient.told(method, value);
  stage.pass(UPDATE_MS);
  return stage.said();
}

const ROW = { type: "working_row", message: null, visible: true, frames: null, intervalMs: null };

test("message, visibility and indicator are one row, and each is Pi's own again", () => {
  assert.deepEqual(told("setWorkingMessage", "Checking…"), [{ ...ROW, message: "Checking…" }]);
  assert.deepEqual(told("setWorkingVisible", false), [{ ...ROW, message: "Checking…", visible: false }]);
  const frames = ["·", "\u001b[36m•\u001b[39m"];
  assert.deepEqual(told("setWorkingIndicator", { frames, intervalMs: 120 }), [
    { ...ROW, message: "Checking…", visible: false, frames, intervalMs: 120 },
  ]);
  assert.deepEqual(told("setWorkingIndicator"), [{ ...ROW, message: "Checking…", visible: false }]);
  assert.deepEqual(told("setWorkingMessage"), [{ ...ROW, visible: false }]);
  assert.deepEqual(told("setWorkingVisible", true), [ROW]);
  assert.deepEqual(told("setWorkingVisible", true), []);
});

test("no frames are no indicator, which is not Pi's own", () => {
  assert.deepEqual(told("setWorkingIndicator", { frames: [] }), [{ ...ROW, frames: [] }]);
});

test("an interval alone is that of Pi's own frames, and stays within bounds", () => {
  const interval = (intervalMs: unknown) => told("setWorkingIndicator", { intervalMs }).map((row) => "intervalMs" in row && row.intervalMs);
  assert.deepEqual(interval(INDICATOR_MS_LEAST), [INDICATOR_MS_LEAST]);
  assert.deepEqual(interval(INDICATOR_MS_LEAST - 1), []);
  assert.deepEqual(interval(INDICATOR_MS_MOST), [INDICATOR_MS_MOST]);
  assert.deepEqual(interval(INDICATOR_MS_MOST + 1), []);
  assert.deepEqual(interval(100.4), [100]);
  assert.deepEqual(interval("100"), [null]);
  for (const odd of [NaN, Infinity, {}]) assert.deepEqual(interval(odd), []);
});

test("INDICATOR_FRAMES of INDICATOR_FRAME_BYTES are told, and what an author changes later is not", () => {
  const frames = Array.from({ length: INDICATOR_FRAMES + 1 }, () => "x".repeat(INDICATOR_FRAME_BYTES + 1));
  ambient.told("setWorkingIndicator", { frames });
  frames[0] = "changed";
  const [row] = stage.said();
  assert.ok(row?.type === "working_row");
  assert.deepEqual([row.frames?.length, row.frames?.[0]], [INDICATOR_FRAMES, "x".repeat(INDICATOR_FRAME_BYTES)]);
});

test("the words for hidden thinking are told, and Pi's own when they are back", () => {
  assert.deepEqual(told("setHiddenThinkingLabel", "Pondering…"), [{ type: "thinking_label", label: "Pondering…" }]);
  assert.deepEqual(told("setHiddenThinkingLabel"), [{ type: "thinking_label", label: null }]);
  assert.deepEqual(told("setHiddenThinkingLabel"), []);
});

test("texts are cut to TEXT_BYTES, and whatever is given is a text", () => {
  assert.deepEqual(told("setHiddenThinkingLabel", "x".repeat(TEXT_BYTES + 1)), [{ type: "thinking_label", label: "x".repeat(TEXT_BYTES) }]);
  assert.deepEqual(told("setWorkingMessage", 5), [{ ...ROW, message: "5" }]);
});

test("whether tools show all is what Pi says, also when a person has changed it", () => {
  ambient.look();
  assert.deepEqual(stage.said(), [{ type: "tools_expanded", expanded: false }]);
  stage.pass(UPDATE_MS);
  pi.isExpanded = true;
  assert.deepEqual(told("setToolsExpanded", true), [{ type: "tools_expanded", expanded: true }]);
  pi.isExpanded = false;
  ambient.look();
  assert.deepEqual(stage.said(), [{ type: "tools_expanded", expanded: false }]);
  ambient.look();
  assert.deepEqual(stage.said(), []);
});

test("where Pi does not say it, it is what extensions set", () => {
  ambient = new Ambient(stage.board, () => ({}));
  ambient.look();
  assert.deepEqual(stage.said(), []);
  assert.deepEqual(told("setToolsExpanded", true), [{ type: "tools_expanded", expanded: true }]);
});

test("who comes later is told what is not Pi's own, and the switch; what is forgotten is Pi's own", () => {
  told("setWorkingMessage", "busy");
  told("setHiddenThinkingLabel", "hm");
  ambient.look();
  assert.deepEqual(stage.resynced(ambient.states()), [
    { ...ROW, message: "busy" },
    { type: "thinking_label", label: "hm" },
    { type: "tools_expanded", expanded: false },
  ]);
  ambient.forget();
  assert.deepEqual(stage.resynced(ambient.states()), []);
});
