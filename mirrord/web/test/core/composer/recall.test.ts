/** Promise: the arrow keys bring back what was sent, newest first, none twice, and nothing that was kept from Pi. */

import assert from "node:assert/strict";
import { test } from "node:test";

import type { ChatMessage, Row } from "../../../src/chat/contract.ts";
import { newer, older, recallable, RECALLED, type Recalling } from "../../../src/core/composer/recall.ts";

const row = (at: number, more: Partial<ChatMessage>): Row => ({
  key: `${at}`,
  message: { id: `${at}`, kind: "user", at, state: "done", display: true, parts: [], ...more },
});
const said = (at: number, text: string): Row => row(at, { parts: [{ type: "text", text }] });

test("messages of the conversation and what was sent here, by time", () => {
  const rows = [said(1, "first"), row(2, { kind: "assistant", parts: [{ type: "text", text: "answer" }] }), said(3, "third")];
  assert.deepEqual(recallable(rows, [{ text: "second", at: 2 }, { text: "fourth", at: 4 }]), ["fourth", "third", "second", "first"]);
});

test("none comes twice", () => {
  assert.deepEqual(recallable([said(1, "a"), said(2, "b"), said(3, "a")], [{ text: "a", at: 3 }]), ["a", "b"]);
});

test("a shell command comes back as it was typed, and one that was kept from Pi does not", () => {
  const rows = [row(1, { kind: "bash", command: "ls" }), row(2, { kind: "bash", command: "env", excluded: true })];
  assert.deepEqual(recallable(rows, []), ["!ls"]);
});

test("there are no more than a person walks through", () => {
  const rows = Array.from({ length: 3 * RECALLED }, (_, at) => said(at, `${at}`));
  assert.equal(recallable(rows, []).length, RECALLED);
});

test("up goes back to the oldest and stays there; down comes back to what was typed", () => {
  const all = ["c", "b", "a"];
  const walk: (string | undefined)[] = [];
  let now: Recalling | undefined;
  for (let step = 0; step < 4; step += 1) {
    const next = older(all, now);
    walk.push(next?.text);
    now = next ?? now;
  }
  for (let step = 0; step < 3 && now !== undefined; step += 1) {
    now = newer(all, now);
    walk.push(now?.text);
  }
  assert.deepEqual(walk, ["c", "b", "a", undefined, "b", "c", undefined]);
});

test("a message that comes meanwhile does not make one be shown twice", () => {
  const first = older(["b", "a"], undefined);
  assert.equal(older(["c", "b", "a"], first)?.text, "a");
});
