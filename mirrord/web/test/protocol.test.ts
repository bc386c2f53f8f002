/** Promise: every message of the wire's fixtures is read whole; what cannot be read is left alone and never throws. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { decode } from "../src/protocol.ts";

interface Line {
  readonly name: string;
  readonly from: "client" | "server";
  readonly message: Record<string, unknown>;
}

const LINES = readFileSync(new URL("../../../fixtures/wire/messages.jsonl", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as Line);
const FROM_SERVER = LINES.filter((line) => line.from === "server");

for (const { name, message } of FROM_SERVER) {
  test(`${name} is read whole`, () => {
    assert.deepEqual(decode(JSON.stringify(withoutNulls(message))), withoutNulls(message));
  });
}

/** An absent text and null say the same. */
function withoutNulls(message: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(message).filter(([, value]) => value !== null));
}

test("null counts as absent", () => {
  const snapshot = FROM_SERVER.find((line) => line.name === "snapshot")?.message;
  assert.equal(snapshot?.["title"], null);
  const read = decode(JSON.stringify(snapshot));
  assert.ok(read?.type === "snapshot" && !("title" in read));
});

test("what is no message of this build is undefined", () => {
  for (const frame of [
    "",
    "{",
    "null",
    "3",
    "[]",
    '"text"',
    "{}",
    '{"type":3}',
    '{"type":"later"}',
    '{"type":"__proto__"}',
    new ArrayBuffer(3),
    undefined,
  ]) {
    assert.equal(decode(frame), undefined);
  }
});

test("fields of a later daemon are kept, names of a later daemon are unknown", () => {
  const read = decode(
    JSON.stringify({
      type: "session",
      change: "reborn",
      session: { sessionId: "1", status: { state: "dreaming", since: 1, depth: 3 }, colour: "red" },
    }),
  );
  assert.deepEqual(read, {
    type: "session",
    change: "changed",
    session: { sessionId: "1", status: { state: "unknown", since: 1, depth: 3 }, colour: "red" },
  });
});

test("an optional field that is wrong counts as absent, a mask that is wrong masks", () => {
  const prompt = { type: "extension_ui_request", sessionId: "1", id: "2", method: "input", title: "t" };
  assert.deepEqual(decode(JSON.stringify({ ...prompt, message: 3, options: "none", timeoutAt: null })), prompt);
  assert.deepEqual(decode(JSON.stringify({ ...prompt, masked: "yes" })), { ...prompt, masked: true });
});

test("options keep their places: a list with one that is no text is not read", () => {
  const prompt = { type: "extension_ui_request", sessionId: "1", id: "2", method: "select", title: "t" };
  assert.deepEqual(decode(JSON.stringify({ ...prompt, options: ["a", 3, "c"] })), prompt);
});

test("every message with a field taken away or replaced is read or refused, without a throw", () => {
  for (const { message } of FROM_SERVER) {
    for (const field of Object.keys(message)) {
      for (const instead of [undefined, null, 3, "x", [], {}, [null], { type: "welcome" }]) {
        decode(JSON.stringify({ ...message, [field]: instead }));
      }
    }
  }
});
