/** Promise: whatever a daemon tells of a message, the screens are given one: what is wrong is left out, and nothing is thrown. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { readCommands, readFields, readMessage, readNotice, readPage, readReceipts, readRow } from "../../../src/core/chat/read.ts";
import type { RawMessage } from "../../../src/core/chat/reducer.ts";

type Json = Readonly<Record<string, unknown>>;

const WIRE = readFileSync(new URL("../../../../../fixtures/wire/messages.jsonl", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as { readonly message: Json });

/** Every message of the examples of the protocol. */
const EXAMPLES = WIRE.flatMap(({ message }) => {
  const snapshot = (message["snapshot"] ?? {}) as Json;
  const patches = (message["patches"] ?? []) as { readonly value?: unknown }[];
  const found = [...((snapshot["messages"] ?? []) as unknown[]), ...patches.map(({ value }) => value)];
  return message["type"] === "chat_event" ? (found.filter((one) => !Array.isArray(one) && one !== undefined) as RawMessage[]) : [];
});

const NONSENSE: readonly unknown[] = [null, 7, -0.5, "text", true, [], [null], [7], {}, { spans: 7 }, { type: 7 }, [{ text: {} }]];

test("every message of the protocol's examples is read with all that it says", () => {
  assert.ok(EXAMPLES.length > 4);
  for (const raw of EXAMPLES) {
    const { drawn, display, ...read } = readMessage(raw);
    const { drawn: told, ...rest } = raw as Json & { drawn?: { lines: { spans: unknown }[]; width: number } };
    assert.deepEqual([read, display], [{ parts: [], ...rest }, true]);
    assert.deepEqual(drawn, told === undefined ? undefined : { lines: told.lines.map(({ spans }) => spans), width: told.width });
  }
  assert.ok(EXAMPLES.some((raw) => readMessage(raw).drawn !== undefined));
});

test("the same message is the same object, under each name that it has", () => {
  const [raw] = EXAMPLES;
  assert.ok(raw !== undefined);
  const row = readRow(raw, "key");
  assert.equal(readRow(raw, "key"), row);
  assert.equal(readRow(raw, "other").message, row.message);
});

test("a message that says next to nothing is one, and so is one of a later daemon", () => {
  assert.deepEqual(readMessage({ id: "a" }), { id: "a", kind: "custom", at: 0, state: "done", parts: [], display: true });
  const later = readMessage({ id: "a", kind: "telepathy", state: "pondering", display: false, parts: [{ type: "smell", text: "roses" }] });
  assert.deepEqual([later.kind, later.state, later.display, later.parts], ["telepathy", "done", false, [{ type: "smell", text: "roses" }]]);
});

test("a part that cannot be read keeps its place, by which cuts are counted", () => {
  const truncated = [{ field: "parts.1", shown: 1, total: 2 }, 7];
  const read = readMessage({ id: "a", parts: [7, { type: "text", text: "t", bytes: "many" }], truncated });
  assert.deepEqual(read.parts, [{ type: "unreadable" }, { type: "text", text: "t" }]);
  assert.deepEqual(read.truncated, [{ field: "parts.1", shown: 1, total: 2 }]);
});

test("no field throws, whatever is in it", () => {
  const [first] = WIRE.filter(({ message }) => message["type"] === "chat_event");
  const snapshot = first?.message["snapshot"] as Json;
  for (const wrong of NONSENSE) {
    for (const raw of EXAMPLES) {
      for (const name of Object.keys({ ...raw, parts: [], drawn: {} })) {
        const read = readMessage({ ...raw, [name]: wrong, id: "a" } as RawMessage);
        const types = [typeof read.id, typeof read.kind, typeof read.at, typeof read.display];
        assert.deepEqual(types, ["string", "string", "number", "boolean"]);
        assert.ok(read.parts.every(({ type }) => typeof type === "string"));
      }
    }
    for (const name of Object.keys(snapshot)) {
      const read = readFields({ ...snapshot, [name]: wrong });
      assert.ok(Array.isArray(read.queue) && typeof read.streaming === "boolean" && typeof read.readOnly === "boolean");
      assert.ok(read.agent === undefined || (Array.isArray(read.agent.models) && Array.isArray(read.agent.levels)));
    }
    for (const read of [readNotice, readPage, readCommands, readReceipts]) assert.doesNotThrow(() => read(wrong));
  }
});

test("slash commands, receipts and pages are read as far as they can be", () => {
  const commands = readCommands({ commands: [{ name: "plant", source: "extension", description: 7 }, { description: "has no name" }] });
  assert.deepEqual(commands?.commands, [{ name: "plant", source: "extension" }]);
  const receipts = readReceipts({ receipts: [{ clientTurnId: "t1", stage: "consumed", at: 1 }, { stage: "queued" }] });
  assert.deepEqual(receipts?.receipts, [{ clientTurnId: "t1", stage: "consumed", at: 1 }]);
  const page = readPage({ messages: [{ id: "a" }, { id: 7 }, null], more: true, before: "a" });
  assert.deepEqual(page, { messages: [{ id: "a" }], more: true, before: "a" });
});
