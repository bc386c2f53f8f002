/** Promise: storage holds the turns that are not over, each tab changes one and leaves the others, and it does not grow without bound. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { JOURNAL_MS, JOURNAL_UNITS, load, save, sessionOf, sessions } from "../../../src/core/chat/journal.ts";
import type { Turn } from "../../../src/core/chat/turns.ts";
import { FakeShelf } from "../../edge/browser.ts";

const S = "4242-1";

function turn(id: string, more: Partial<Turn> = {}): Turn {
  return { id, kind: "prompt", text: `Plant ${id}`, at: 1_000, stage: "open", ...more };
}

function keyOf(shelf: FakeShelf): string {
  const [key] = shelf.items.keys();
  assert.ok(key !== undefined);
  return key;
}

test("what is kept of a turn comes back whole, and nothing is left when all are over", () => {
  const shelf = new FakeShelf();
  const all = [
    turn("a", { kind: "bash", excluded: true, literal: true }),
    turn("b", { stage: "rejected", code: "refused", reason: "No." }),
    turn("c", { stage: "unknown", discarding: true, text: "🌷\n\u0000" }),
  ];
  for (const one of all) save(shelf, S, one.id, one);
  assert.deepEqual(load(shelf, S), all);
  assert.equal(sessionOf(keyOf(shelf)), S);
  assert.deepEqual([load(shelf, "other"), sessionOf("mirrord.sound"), sessionOf(null)], [[], undefined, undefined]);
  save(shelf, S, "b", undefined);
  save(shelf, S, "a", turn("a", { stage: "queued" }));
  assert.deepEqual(load(shelf, S).map(({ id, stage }) => [id, stage]), [
    ["a", "queued"],
    ["c", "unknown"],
  ]);
  for (const id of ["a", "c", "c"]) save(shelf, S, id, undefined);
  assert.equal(shelf.length, 0);
});

test("what another page wrote there, or nobody of ours, is read as nothing", () => {
  const shelf = new FakeShelf();
  save(shelf, S, "a", turn("a"));
  const key = keyOf(shelf);
  for (const json of ["", "{", "[]", "null", '{"version":"2","turns":[]}', '{"version":"1","turns":[{"id":1}]}', '{"version":"1"}']) {
    shelf.items.set(key, json);
    assert.deepEqual(load(shelf, S), [], json);
  }
  shelf.items.set(key, JSON.stringify({ version: "1", turns: [turn("a", { stage: "pondering" as Turn["stage"] })] }));
  assert.equal(load(shelf, S)[0]?.stage, "unknown", "a stage of a later page");
});

test("of more text than may be kept the newest stays, and a full storage keeps what it has room for", () => {
  const shelf = new FakeShelf();
  const text = "x".repeat(JOURNAL_UNITS / 2);
  for (const id of ["a", "b", "c"]) save(shelf, S, id, turn(id, { text }));
  assert.deepEqual(load(shelf, S).map(({ id }) => id), ["b", "c"]);
  shelf.room = JOURNAL_UNITS;
  assert.deepEqual(save(shelf, S, "d", turn("d")).map(({ id }) => id), ["c", "d"]);
  shelf.room = 10;
  assert.deepEqual([save(shelf, S, "e", turn("e")), load(shelf, S)], [[], []]);
  assert.deepEqual(save(undefined, S, "e", turn("e")), []);
});

test("sessions of which nobody decided for long are swept away, and no key of anybody else", () => {
  const shelf = new FakeShelf();
  save(shelf, "old", "a", turn("a", { at: 0 }));
  save(shelf, S, "b", turn("b", { at: JOURNAL_MS }));
  shelf.setItem("mirrord.sound", "true");
  assert.deepEqual(sessions(shelf, JOURNAL_MS), [S]);
  assert.equal(shelf.length, 2);
  assert.deepEqual(sessions(undefined, 0), []);
});
