/** Promise: a card takes over the focus of the one before it, and of nothing else. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { cameWithFocus, leave } from "../../src/cards/focus.ts";

test("the focus of a card that goes is taken over once", () => {
  leave(true, 1_000);
  assert.equal(cameWithFocus(true, 1_010), true);
  assert.equal(cameWithFocus(true, 1_020), false);
});

test("a card that had no focus leaves none", () => {
  leave(false, 1_000);
  assert.equal(cameWithFocus(true, 1_010), false);
});

test("a focus that is elsewhere by now stays there", () => {
  leave(true, 1_000);
  assert.equal(cameWithFocus(false, 1_010), false);
});

test("a card that comes much later takes nothing", () => {
  leave(true, 1_000);
  assert.equal(cameWithFocus(true, 60_000), false);
});
