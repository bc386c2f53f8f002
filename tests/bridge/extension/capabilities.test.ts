// Promise: what can be mirrored is looked for in the `ctx.ui` at hand; what is not there is not claimed.
import assert from "node:assert/strict";
import { test } from "node:test";

import { capabilitiesOf } from "../../../bridge/extension/capabilities.ts";
import { StackMode } from "./pi_fakes.ts";

const whole = () => ({
  ...new StackMode().createExtensionUIContext(),
  theme: { fg: (_token: string, text: string) => `\u001b[31m${text}\u001b[39m` },
});

test("all that both generations have is there", () => {
  const names =
    "activity editor-text notify palette prompt:confirm prompt:custom prompt:editor prompt:input prompt:select provenance region:footer region:header " +
    "screen-share status stop thinking-label title tools-expanded view:custom widget widget:component widget:native working";
  assert.deepEqual(capabilitiesOf(whole()).sort(), names.split(" "));
});

test("ask is there when somebody has added it", () => assert.ok(capabilitiesOf({ ...whole(), ask: () => {} }).includes("prompt:ask")));

test("a method that is missing takes with it what needs it, and nothing else", () => {
  const all = capabilitiesOf(whole());
  const without = (name: string) => all.filter((one) => !capabilitiesOf({ ...whole(), [name]: undefined }).includes(one));
  assert.deepEqual(without("setWidget"), ["widget", "widget:component", "widget:native"]);
  assert.deepEqual(without("custom"), ["prompt:custom", "view:custom"]);
  assert.deepEqual(without("setWorkingIndicator"), ["working"]);
  assert.deepEqual(without("pasteToEditor"), ["editor-text"]);
  assert.deepEqual(without("theme"), ["palette"]);
});

test("without a `ctx.ui` only what needs none is there", () => {
  assert.deepEqual(capabilitiesOf(undefined).sort(), ["activity", "provenance", "screen-share", "stop"]);
});
