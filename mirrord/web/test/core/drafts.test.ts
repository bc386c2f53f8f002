/** Promise: typed text survives a reload until it is taken away, and sensitive text is never stored. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Drafts } from "../../src/core/drafts.ts";
import type { ExtensionUIRequest } from "../../src/protocol.ts";
import { FakeShelf } from "../edge/browser.ts";

const PROMPT: ExtensionUIRequest = { type: "extension_ui_request", sessionId: "s", id: "p", method: "input", title: "Name" };

test("text comes back after a reload, with enough of its prompt to show it", () => {
  const shelf = new FakeShelf();
  new Drafts(shelf).of(PROMPT).save({ value: "Ada" });
  const reloaded = new Drafts(shelf);
  assert.deepEqual({ ...reloaded.of(PROMPT).read() }, { value: "Ada" });
  assert.deepEqual(
    reloaded.promptsIn("s").map(({ id, title }) => [id, title]),
    [["p", "Name"]],
  );
  reloaded.of(PROMPT).clear();
  assert.equal(shelf.length, 0);
  assert.equal(new Drafts(shelf).has("p"), false);
});

test("a masked field and a text that is said to be sensitive stay in memory", () => {
  const shelf = new FakeShelf();
  const drafts = new Drafts(shelf);
  drafts.of({ ...PROMPT, masked: true }).save({ value: "hunter2" });
  assert.equal(drafts.has("p"), true);
  assert.equal(shelf.length, 0);
  drafts.of(PROMPT).save({ value: "open" });
  drafts.of(PROMPT).save({ value: "hunter2" }, { sensitive: true });
  assert.equal(shelf.length, 0, "what was stored before it was known to be sensitive goes too");
});

test("empty fields are no text", () => {
  const drafts = new Drafts(undefined);
  drafts.of(PROMPT).save({ value: "", flowers: [] });
  assert.equal(drafts.has("p"), false);
  drafts.of(PROMPT).save({ value: "", flowers: ["tulip"] });
  assert.equal(drafts.has("p"), true);
});

test("a shelf that is full, forbidden or holds rubbish is no harm", () => {
  const full = new FakeShelf();
  full.setItem = () => {
    throw new DOMException("full", "QuotaExceededError");
  };
  const drafts = new Drafts(full);
  drafts.of(PROMPT).save({ value: "Ada" });
  assert.equal(drafts.has("p"), true);
  const rubbish = new FakeShelf([
    ["mirrord.draft.a", "{"],
    ["mirrord.draft.b", '{"prompt":{"id":3},"fields":{}}'],
    ["mirrord.draft.c", '{"prompt":{"sessionId":"s","id":"c","title":"t","method":"input"},"fields":{"__proto__":"x","value":3}}'],
  ]);
  assert.equal(new Drafts(rubbish).has("b"), false);
  assert.deepEqual(Object.keys(new Drafts(rubbish).of({ ...PROMPT, id: "c" }).read()), ["__proto__"]);
});

test("a change of which prompts have text is told, typing on is not", () => {
  const drafts = new Drafts(undefined);
  let told = 0;
  drafts.onChange = () => (told += 1);
  for (const value of ["A", "Ad", "Ada", ""]) drafts.of(PROMPT).save({ value });
  assert.equal(told, 2);
});
