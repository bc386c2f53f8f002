/** Promise: Enter sends where it is meant to, and never half a word of an input method. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { enterDoes, type EnterKey } from "../../../src/core/composer/enter.ts";

const ENTER: EnterKey = { key: "Enter", shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, repeat: false, isComposing: false, keyCode: 13 };

for (const [name, key, sends, does] of [
  ["Enter where it sends", {}, true, "send"],
  ["Enter on a phone", {}, false, undefined],
  ["Shift+Enter", { shiftKey: true }, true, undefined],
  ["Ctrl+Enter", { ctrlKey: true }, true, "send"],
  ["Ctrl+Enter on a phone's keyboard", { ctrlKey: true }, false, "send"],
  ["Cmd+Enter", { metaKey: true }, false, "send"],
  ["Ctrl+Shift+Enter", { ctrlKey: true, shiftKey: true }, true, undefined],
  ["Alt+Enter", { altKey: true }, true, undefined],
  ["Enter that ends a composition", { isComposing: true }, true, undefined],
  ["Enter that an input method took", { keyCode: 229 }, true, undefined],
  ["Ctrl+Enter in a composition", { ctrlKey: true, isComposing: true }, true, undefined],
  ["Enter that is held down", { repeat: true }, true, "held"],
  ["Enter that is held down on a phone", { repeat: true }, false, undefined],
  ["another key", { key: "a" }, true, undefined],
] as const) {
  test(`${name}: ${does ?? "the browser's own"}`, () => assert.equal(enterDoes({ ...ENTER, ...key }, sends), does));
}
