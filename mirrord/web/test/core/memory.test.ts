/** Promise: what was opened stays open while its surface is replaced, and what is remembered is bounded. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { keep, namesOf, NEW_MEMORY, recall, REMEMBERED } from "../../src/core/memory.ts";

test("a choice is kept until it is forgotten", () => {
  const kept = keep(NEW_MEMORY, "a", "open");
  assert.equal(recall(kept, "a"), "open");
  assert.equal(recall(keep(kept, "a", undefined), "a"), undefined);
  assert.equal(recall(NEW_MEMORY, "a"), undefined);
});

test("the choices that were made last are remembered", () => {
  let memory = keep(NEW_MEMORY, "first", "open");
  for (let count = 0; count < REMEMBERED; count += 1) memory = keep(memory, `${count}`, "open");
  assert.equal(memory.size, REMEMBERED);
  assert.equal(recall(memory, "first"), undefined);
  assert.equal(recall(keep(memory, "0", "folded"), "0"), "folded");
});

test("a part keeps its name where the parts around it change", () => {
  const before = namesOf("w", [{ id: "a" }, {}, { id: "b" }]);
  const after = namesOf("w", [{ id: "b" }, { id: "new" }, { id: "a" }]);
  assert.deepEqual([before[0], before[2]], [after[2], after[0]]);
});

test("no two parts have the same name, whatever their ids are", () => {
  const ids = ["a", "a", "#1", "a/b", "%", "", "\ud800", "__proto__", "%2f"];
  const names = namesOf("w", [...ids.map((id) => ({ id })), {}, {}]);
  assert.equal(new Set(names).size, names.length);
  assert.notEqual(namesOf("w", [{ id: "a/b" }])[0], namesOf("w/a", [{ id: "b" }])[0]);
});
