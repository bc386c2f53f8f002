// Promise: a text for the editor reaches a daemon that listens once and whole, or it is said why not; nothing piles up.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { Handoffs } from "../../../bridge/extension/handoff.ts";
import { CONTENT_BYTES, HANDOFFS, PIECE_BYTES, UPDATE_MS } from "../../../bridge/extension/limits.ts";
import type { EditorText, Outgoing } from "../../../bridge/extension/protocol.ts";
import { BoardStage } from "./board_stage.ts";

let stage: BoardStage;
let handoffs: Handoffs;

beforeEach(() => {
  stage = new BoardStage();
  handoffs = new Handoffs(stage, stage.sources);
});

afterEach(() => {
  handoffs.stop();
  stage.end();
});

function add(text: unknown, paste = false): Outgoing[] {
  handoffs.add(text, paste);
  return stage.said();
}

const texts = (messages: Outgoing[]): EditorText[] => messages.filter((message) => message.type === "editor_text");

test("a text is told as it is, with who gave it, under an id of its own", () => {
  stage.source = "handoff";
  const [one] = texts(add("line\n\u001b[31m\u202e"));
  assert.match(one?.id ?? "", /^[0-9a-f-]{36}$/);
  assert.deepEqual(one, { type: "editor_text", id: one?.id, paste: false, text: "line\n\u001b[31m\u202e", source: "handoff" });
  stage.pass(UPDATE_MS);
  const [two] = texts(add("", true));
  assert.deepEqual([two?.text, two?.paste, two?.id === one?.id], ["", true, false]);
});

test("a long one comes in pieces before it", () => {
  const text = "é".repeat(PIECE_BYTES);
  const messages = add(text);
  const parts = messages.filter((message) => message.type === "editor_text_part");
  const [whole] = texts(messages.slice(-1));
  assert.equal(parts.map((part) => part.text).join(""), text);
  assert.deepEqual([whole?.parts, whole?.text, new Set(parts.map(({ id }) => id)).has(whole?.id ?? "")], [parts.length, undefined, true]);
  assert.deepEqual(parts.map(({ part }) => part), [...parts.keys()]);
});

test("a text of CONTENT_BYTES travels, one of more, or with half of a character, is only said to be there", () => {
  assert.equal(texts(add("x".repeat(CONTENT_BYTES))).length, 1);
  stage.pass(UPDATE_MS);
  assert.deepEqual(add("x".repeat(CONTENT_BYTES + 1)), [{ type: "notice", code: "editor_text", detail: "too_large" }]);
  stage.pass(UPDATE_MS);
  assert.deepEqual(add("\ud800"), [{ type: "notice", code: "editor_text", detail: "half_characters" }]);
});

test("what is no text is none", () => assert.deepEqual([add(undefined), add(5), add({})], [[], [], []]));

test("of those that wait the last that replaces is told, and what was pasted after it", () => {
  add("first");
  for (const [text, paste] of [["lost", true], ["replaced", false], ["kept", false], ["and this", true], ["too", true]] as const) add(text, paste);
  stage.pass(UPDATE_MS);
  assert.deepEqual(texts(stage.said()).map(({ text, paste }) => [text, paste]), [["kept", false], ["and this", true], ["too", true]]);
});

test("HANDOFFS wait, and CONTENT_BYTES in all; the oldest are lost", () => {
  add("first");
  for (let n = 0; n <= HANDOFFS; n += 1) add(`${n}`, true);
  stage.pass(UPDATE_MS);
  assert.deepEqual(texts(stage.said()).map(({ text }) => text), Array.from({ length: HANDOFFS }, (_, n) => `${n + 1}`));
  const half = "x".repeat(CONTENT_BYTES / 2);
  for (const text of [half, half, "y"]) add(text, true);
  stage.pass(UPDATE_MS);
  assert.deepEqual(texts(stage.said()).map(({ text, parts }) => [text, parts !== undefined]), [[undefined, true], ["y", false]]);
});

test("one for whom nobody listens is lost; one that waits for the link comes with it, once", () => {
  stage.hopeful = false;
  add("unheard");
  stage.hopeful = true;
  const once = (): string[] => {
    handoffs.tellOnce((key, make) => stage.put(key, make));
    return texts(stage.said()).map(({ text }) => text ?? "");
  };
  assert.deepEqual(once(), []);
  handoffs.add("waits", false);
  stage.outbox.clear();
  assert.deepEqual([once(), once()], [["waits"], []]);
  handoffs.add("lost", false);
  stage.outbox.clear();
  handoffs.unheard();
  assert.deepEqual(once(), []);
});
