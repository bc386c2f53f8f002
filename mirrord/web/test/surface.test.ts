/** Promise: a native surface is read whole, a block of a later contract stays in its place, and nothing that is read ever throws. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { isKnown, nativeSurface, type Block } from "../src/surface.ts";

function surface(...blocks: readonly unknown[]): unknown {
  return { version: 1, id: "widget:a", source: "widget", presentation: { style: "surfacePanel" }, blocks };
}

function read(...blocks: readonly unknown[]): readonly Block[] {
  return nativeSurface(surface(...blocks))?.blocks ?? assert.fail("not read");
}

const EXAMPLES = readFileSync(new URL("../../../fixtures/wire/surfaces.jsonl", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as { readonly name: string; readonly native: unknown });

for (const { name, native } of EXAMPLES) {
  test(`the contract's example ${name} is read whole`, () => {
    assert.deepEqual(nativeSurface(native), native);
    assert.ok(nativeSurface(native)?.blocks.every(isKnown));
  });
}

const KNOWN: readonly object[] = [
  { type: "text", spans: [{ text: "a", role: "success", traits: ["bold"], link: "https://a.example/" }] },
  { type: "markdown", markdown: "*a*" },
  { type: "section", title: "t", subtitle: "s", blocks: [{ type: "divider" }] },
  { type: "activityList", rows: [{ id: "r", title: "t", state: "running", progress: 0.5, children: [{ id: "c", title: "t" }] }] },
  { type: "progress", label: "l", value: 0.5, indeterminate: false },
  { type: "terminal", lines: [[{ text: "a" }], []], caret: { row: 0, column: 1 }, columns: 80 },
  { type: "code", language: "sh", text: "ls" },
  { type: "divider", id: "d", accessibility: { label: "l", value: "v", hint: "h" } },
  { type: "spacer", size: "large" },
];

for (const block of KNOWN) {
  test(`a block of type ${(block as { type: string }).type} is read whole`, () => {
    assert.deepEqual(read(block), [block]);
    assert.ok(read(block).every(isKnown));
  });
}

test("a block that is not known stays in its place as it came, one that is broken leaves a mark", () => {
  const later = { type: "chart", points: [1, 2], accessibility: { label: "Rain" } };
  const blocks = read({ type: "divider" }, later, { type: "text" }, 7, { type: "constructor" }, { type: "divider" });
  assert.deepEqual(blocks, [
    { type: "divider" },
    later,
    { type: "unreadable" },
    { type: "unreadable" },
    { type: "constructor" },
    { type: "divider" },
  ]);
  assert.deepEqual(blocks.map(isKnown), [true, false, false, false, false, true]);
});

test("a name of a later contract and a wrong value count as none", () => {
  assert.deepEqual(read({ type: "text", id: 3, spans: [{ text: "a", role: "neon", traits: ["bold", "wobbly", 4], link: 7 }, { role: "code" }] }), [
    { type: "text", spans: [{ text: "a", traits: ["bold"] }] },
  ]);
  assert.deepEqual(read({ type: "progress", value: Number.NaN, indeterminate: "yes" }), [{ type: "progress" }]);
  assert.deepEqual(read({ type: "activityList", rows: [{ title: "t", state: "asleep", progress: "half" }, { id: "no title" }, null] }), [
    { type: "activityList", rows: [{ title: "t" }] },
  ]);
  assert.deepEqual(read({ type: "terminal", lines: [[{ text: "a" }]], columns: -1, caret: { row: 0.5, column: 0 } }), [
    { type: "terminal", lines: [[{ text: "a" }]] },
  ]);
});

test("a surface of another version is not read: its lines are shown instead", () => {
  for (const instead of [{ version: 2 }, { version: "1" }, { id: 3 }, { blocks: null }]) {
    assert.equal(nativeSurface({ ...(surface() as object), ...instead }), undefined);
  }
});

test("what is nested a thousand deep is cut, not followed", () => {
  let sections: unknown = { type: "divider" };
  let rows: object = { title: "t" };
  for (let depth = 0; depth < 1_000; depth += 1) {
    sections = { type: "section", blocks: [sections] };
    rows = { title: "t", children: [rows] };
  }
  assert.ok(JSON.stringify(read(sections)).length < 1_000);
  assert.ok(JSON.stringify(read({ type: "activityList", rows: [rows] })).length < 1_000);
});
