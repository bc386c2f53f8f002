/** Promise: what is shown of a conversation follows from the frames alone, by the contract's rules; each fixture says which it proves. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { connect, EMPTY_CHAT, end, reduce, type ChatView, type Step } from "../../../src/core/chat/reducer.ts";

// tests/client/test_chat_reducer.py plays the same files against the reducer in Python.
const FOLDER = new URL("../../../../../fixtures/chat/", import.meta.url);
const NAMES = readdirSync(FOLDER).filter((name) => name.endsWith(".jsonl"));

interface Line {
  readonly proves?: string;
  readonly do?: "connect" | "end";
  readonly frame?: Record<string, unknown>;
  readonly expect?: Record<string, unknown>;
}

for (const name of NAMES) {
  const [first, ...steps] = readFileSync(new URL(name, FOLDER), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
  const proved = `${name}: ${first?.proves ?? ""}`;
  test(`a fixture is shown as it says: ${proved}`, () => {
    let view = EMPTY_CHAT;
    let once: Step[] = [];
    steps.forEach((step, place) => {
      if (step.do === "connect") view = connect(view);
      else if (step.do === "end") view = end(view);
      else if (step.frame !== undefined) {
        const taken = reduce(view, step.frame);
        view = taken.view;
        once.push(taken);
      } else {
        check(step.expect ?? {}, view, once, `${name}:${place + 2}`);
        once = [];
      }
    });
  });
}

function check(expected: Record<string, unknown>, view: ChatView, once: readonly Step[], where: string): void {
  const parts = (message: Record<string, unknown>): Record<string, unknown>[] => (message["parts"] ?? []) as Record<string, unknown>[];
  const shown: Record<string, unknown> = {
    messages: view.messages,
    keys: view.keys,
    cursor: view.cursor ?? null,
    revision: view.revision ?? null,
    complete: view.complete,
    error: view.error ?? null,
    notices: once.flatMap(({ notice }) => (notice === undefined ? [] : [notice])),
    boundaries: once.flatMap(({ boundary }) => (boundary === undefined ? [] : [boundary])),
    gaps: once.flatMap(({ gap }) => (gap === undefined ? [] : [gap])),
    texts: view.messages.map((message) => parts(message).map((part) => part["text"] ?? part["args"])),
    ids: view.messages.map(({ id }) => id),
  };
  for (const [name, value] of Object.entries(expected)) {
    if (name === "fields") {
      for (const [field, given] of Object.entries(value as object)) assert.deepEqual(view.fields[field], given, where);
    } else assert.deepEqual(shown[name], value, where);
  }
}

test("the fixtures are there", () => {
  assert.ok(NAMES.length >= 8);
});

test("messages that did not change stay the same objects, so that nothing else is drawn anew", () => {
  const message = { id: "a", parts: [{ type: "text", text: "x" }] };
  const other = { id: "b", parts: [] };
  const event = { type: "chat_event", cursor: "e:1", revision: 1, snapshot: { messages: [other, message] } };
  const first = reduce(connect(EMPTY_CHAT), event).view;
  const appends = [{ message: 1, part: 0, offset: 1, text: "y" }];
  const second = reduce(first, { type: "chat_event", cursor: "e:2", revision: 2, appends }).view;
  assert.equal(second.messages[0], first.messages[0]);
  assert.notEqual(second.messages[1], first.messages[1]);
  assert.equal(second.keys, first.keys);
});
