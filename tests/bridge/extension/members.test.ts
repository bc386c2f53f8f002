// Promise: what a later Pi adds to ctx.ui is told and left alone; nothing of it is called.
import assert from "node:assert/strict";
import { test } from "node:test";

import { UNKNOWN_MEMBERS } from "../../../bridge/extension/limits.ts";
import { MEMBERS, METHODS, unknownMembers } from "../../../bridge/extension/members.ts";
import { StackMode } from "./pi_fakes.ts";

test("28 members are known in both generations of Pi, and ask", () => assert.equal(Object.keys(MEMBERS).length, 28 + 1));

test("each is asked about, told, drawn, or said to be the terminal's; only those are left alone", () => {
  const left = Object.entries(MEMBERS).flatMap(([name, treatment]) => (treatment === "terminal" ? [name] : []));
  assert.deepEqual(left, [
    "addAutocompleteProvider",
    "getAllThemes",
    "getEditorComponent",
    "getEditorText",
    "getTheme",
    "getToolsExpanded",
    "onTerminalInput",
    "setEditorComponent",
    "theme",
  ]);
  assert.deepEqual([...METHODS, ...left].sort(), Object.keys(MEMBERS).sort());
});

test("a Pi of today has nothing unknown", () => assert.deepEqual(unknownMembers(new StackMode().createExtensionUIContext()), []));

test("unknown functions are named; values, symbols and getters are not touched", () => {
  const ui = {
    ...new StackMode().createExtensionUIContext(),
    showMap: () => assert.fail("called"),
    version: 5,
    [Symbol.for("mark")]: () => {},
    get broken(): never {
      return assert.fail("read");
    },
  };
  assert.deepEqual(unknownMembers(ui), ["showMap"]);
});

test("UNKNOWN_MEMBERS are named, more are not; what is no object has none", () => {
  const many = Object.fromEntries(Array.from({ length: UNKNOWN_MEMBERS + 1 }, (_, n) => [`m${n}`, () => {}]));
  assert.equal(unknownMembers(many).length, UNKNOWN_MEMBERS);
  assert.deepEqual([unknownMembers(undefined), unknownMembers("ui")], [[], []]);
});
