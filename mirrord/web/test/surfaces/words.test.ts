/** Promise: what of a surface is not shown is said, once, and only where it is missing from what is seen. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { besides, cutsOf, titleOf } from "../../src/surfaces/words.ts";
import type { Truncation } from "../../src/surface.ts";

const DRAWN = { version: 1, id: "widget:a", blocks: [{ type: "terminal", lines: [] }] } as const;
const AUTHORED = { version: 1, id: "widget:a", blocks: [{ type: "divider" }] } as const;
const cut = (field: string, shown = 1_600, total = 10_000): Truncation => ({ field, shown, total });

test("lists are told by their numbers", () => {
  assert.deepEqual(cutsOf({ nativeSurface: AUTHORED, truncated: [cut("nativeSurface.rows"), cut("nativeSurface.blocks", 80, 90)] }), [
    "1,600 of 10,000 rows are shown.",
    "80 of 90 parts are shown.",
  ]);
});

test("texts, depth, looks and what a later daemon cuts are told in words, each once", () => {
  const truncated = ["nativeSurface", "nativeSurface.text", "nativeSurface.depth", "nativeSurface.spans", "of.later"].map((field) => cut(field));
  assert.deepEqual(cutsOf({ nativeSurface: AUTHORED, truncated }), [
    "Some of this is too long to be shown.",
    "What is nested too deep is not shown.",
    "Some text is shown without its looks.",
  ]);
});

test("cuts of a form that is not shown do not matter", () => {
  const truncated = [cut("widgetLines"), cut("nativeSurface.fallback"), cut("lines")];
  assert.deepEqual(cutsOf({ nativeSurface: AUTHORED, truncated }), []);
  assert.deepEqual(cutsOf({ nativeSurface: DRAWN, truncated }), ["1,600 of 10,000 lines are shown."]);
  assert.deepEqual(cutsOf({ widgetLines: ["a"], truncated: [cut("widgetLines")] }), ["1,600 of 10,000 lines are shown."]);
  assert.deepEqual(cutsOf({}), []);
});

test("a surface is called by its own title, else by its key", () => {
  const titled = (title: string) => ({ nativeSurface: { ...AUTHORED, presentation: { title } } });
  assert.deepEqual([titleOf(titled("Jobs"), "key"), titleOf(titled(" "), "key"), titleOf({}, "key")], ["Jobs", "key", "key"]);
});

test("besides its words a pill says that it is a status, and whose it is", () => {
  assert.equal(besides({ id: "widget:a", kind: "widget", key: "a", label: "Jobs", source: "planner" }), ", of planner");
  assert.equal(besides({ id: "status:b", kind: "status", key: "b", label: "main" }), ", status");
});
