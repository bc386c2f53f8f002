/** Promise: a card that fits stays above the composer, and one that does not is opened on the whole screen, at any size of text. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { fits, type Room } from "../../src/cards/fit.ts";
import type { ExtensionUIRequest } from "../../src/protocol.ts";
import { cpuMs } from "../cpu.ts";

const PHONE: Room = { width: 358, height: 557, scale: 1 };
const DESKTOP: Room = { width: 704, height: 528, scale: 1 };
const prompt = (asked: Partial<ExtensionUIRequest> & Pick<ExtensionUIRequest, "method">): ExtensionUIRequest => ({
  type: "extension_ui_request",
  sessionId: "s",
  id: "p",
  title: "Which one?",
  ...asked,
});
const select = (count: number, total = count) => prompt({ method: "select", options: Array.from({ length: count }, (_, at) => `option ${at}`), optionCount: total });

test("a few short choices, a confirm and an input fit a phone", () => {
  assert.equal(fits(select(4), PHONE), true);
  assert.equal(fits(prompt({ method: "confirm", message: "They are gone from origin too." }), PHONE), true);
  assert.equal(fits(prompt({ method: "input" }), PHONE), true);
});

test("many choices, or some that are not here yet, do not", () => {
  assert.equal(fits(select(12), PHONE), false);
  assert.equal(fits(select(3, 3_000), PHONE), false);
});

test("a long text fits a desktop before it fits a phone", () => {
  const long = prompt({ method: "confirm", message: "word ".repeat(120) });
  assert.equal(fits(long, PHONE), false);
  assert.equal(fits(long, DESKTOP), true);
});

test("with text at 200 % less fits", () => {
  assert.equal(fits(select(4), { ...PHONE, scale: 2 }), false);
});

test("of several questions the tallest decides", () => {
  const short = { id: "a", question: "A?" };
  const tall = { id: "b", question: "B?", options: Array.from({ length: 12 }, (_, at) => ({ value: `${at}`, label: `${at}` })) };
  assert.equal(fits(prompt({ method: "ask", questions: [short, short] }), PHONE), true);
  assert.equal(fits(prompt({ method: "ask", questions: [short, tall] }), PHONE), false);
});

test("an editor is always a sheet, but not where there is nothing to edit", () => {
  assert.equal(fits(prompt({ method: "editor", prefill: "" }), DESKTOP), false);
  assert.equal(fits(prompt({ method: "editor", terminalOnly: "Too large." }), PHONE), true);
});

test("a megabyte is judged by its beginning", () => {
  const long = prompt({ method: "confirm", title: "x".repeat(1_000_000), message: "\n".repeat(1_000_000) });
  assert.ok(cpuMs(() => assert.equal(fits(long, PHONE), false)) < 50);
});
