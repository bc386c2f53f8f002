/** Promise: numbers choose, arrows move, Enter goes on, Esc steps out; writing is never taken for any of it. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { keyAction, type Key, type Place } from "../../src/cards/keys.ts";

const ROWS: Place = { field: "none", isButton: false, count: 3, current: -1, several: false };
const press = (key: string, place: Partial<Place> = {}, how: Partial<Key> = {}) =>
  keyAction({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, repeat: false, isComposing: false, keyCode: 0, ...how }, { ...ROWS, ...place });

test("a number chooses that choice, and only where there is one", () => {
  assert.deepEqual(press("1"), { kind: "choose", index: 0 });
  assert.deepEqual(press("3"), { kind: "choose", index: 2 });
  assert.equal(press("4"), undefined);
  assert.equal(press("0"), undefined);
});

test("arrows go around, and choose where one of several is meant", () => {
  assert.deepEqual(press("ArrowDown"), { kind: "move", index: 0, choose: true });
  assert.deepEqual(press("ArrowDown", { current: 2 }), { kind: "move", index: 0, choose: true });
  assert.deepEqual(press("ArrowUp", { current: 0 }), { kind: "move", index: 2, choose: true });
  assert.deepEqual(press("End"), { kind: "move", index: 2, choose: true });
  assert.deepEqual(press("ArrowDown", { current: 0, several: true }), { kind: "move", index: 1, choose: false });
  assert.equal(press("ArrowDown", { count: 0 }), undefined);
});

test("Enter goes on from a choice and from a field of one line", () => {
  assert.deepEqual(press("Enter"), { kind: "submit" });
  assert.deepEqual(press("Enter", { field: "line" }), { kind: "submit" });
});

test("Enter in a longer text is a new line; with Ctrl or Cmd it sends", () => {
  assert.equal(press("Enter", { field: "lines" }), undefined);
  assert.deepEqual(press("Enter", { field: "lines" }, { ctrlKey: true }), { kind: "submit" });
  assert.deepEqual(press("Enter", { field: "lines" }, { metaKey: true }), { kind: "submit" });
});

test("Enter on a button is the button's", () => {
  assert.equal(press("Enter", { isButton: true }), undefined);
});

test("Enter that ends a composition, or is held down, sends nothing", () => {
  assert.equal(press("Enter", { field: "line" }, { isComposing: true }), undefined);
  assert.equal(press("Enter", { field: "line" }, { keyCode: 229 }), undefined, "told after the composition has ended");
  assert.equal(press("Enter", { field: "lines" }, { ctrlKey: true, keyCode: 229 }), undefined);
  assert.equal(press("Escape", { field: "line" }, { keyCode: 229 }), undefined);
  assert.equal(press("Enter", {}, { repeat: true }), undefined);
  assert.equal(press("1", {}, { repeat: true }), undefined);
});

test("in a text field numbers, arrows and Home are writing", () => {
  for (const key of ["1", "ArrowUp", "ArrowDown", "Home", "End"]) {
    assert.equal(press(key, { field: "line" }), undefined);
    assert.equal(press(key, { field: "lines" }), undefined);
  }
});

test("keys with Ctrl, Cmd or Alt are the browser's", () => {
  assert.equal(press("1", {}, { ctrlKey: true }), undefined);
  assert.equal(press("1", {}, { metaKey: true }), undefined);
  assert.equal(press("1", {}, { altKey: true }), undefined);
  assert.equal(press("ArrowDown", {}, { altKey: true }), undefined);
});

test("Esc steps out, from a field too", () => {
  assert.deepEqual(press("Escape"), { kind: "leave" });
  assert.deepEqual(press("Escape", { field: "lines" }), { kind: "leave" });
});
