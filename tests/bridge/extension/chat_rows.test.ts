// Promise: each entry of Pi that shows is one row with all that Pi has, within its bounds; a page costs what it has.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Branch } from "../../../bridge/extension/chat_branch.ts";
import { bytesOf, entryDraft, finish } from "../../../bridge/extension/chat_rows.ts";
import type { ChatRow } from "../../../bridge/extension/chat_protocol.ts";
import { CHAT_PAGE_BYTES, CHAT_ROW_BYTES, CHAT_TEXT_BYTES, KIB } from "../../../bridge/extension/limits.ts";
import { assistant, FakeManager, text, user, type Message } from "./chat_fakes.ts";

function rowOf(type: string, fields: object): ChatRow | undefined {
  const draft = entryDraft({ type, id: "e", parentId: null, timestamp: new Date(5_000).toISOString(), ...fields }, undefined);
  return draft && finish(draft, { id: "e" });
}

function message(fields: Message): ChatRow | undefined {
  return rowOf("message", { message: fields });
}

test("what a person wrote, with an image by its size alone", () => {
  const content = [...text("look"), { type: "image", mimeType: "image/png", data: "AAAA" }];
  assert.deepEqual(message({ role: "user", content, timestamp: 7 }), {
    id: "e",
    kind: "user",
    at: 7,
    state: "done",
    parts: [
      { type: "text", text: "look" },
      { type: "image", mimeType: "image/png", bytes: 3 },
    ],
  });
});

test("an answer with thinking and a call, and how it ended", () => {
  const content = [
    { type: "thinking", thinking: "hm" },
    { type: "toolCall", id: "c", name: "bash", arguments: { command: "ls" } },
  ];
  assert.deepEqual(message(assistant(content, { provider: "p", model: "m", stopReason: "toolUse" })), {
    id: "e",
    kind: "assistant",
    at: 2_000,
    state: "done",
    parts: [
      { type: "thinking", text: "hm" },
      { type: "tool_call", toolCallId: "c", name: "bash", args: '{"command":"ls"}' },
    ],
    provider: "p",
    model: "m",
    startedAt: 2_000,
    stopReason: "toolUse",
    durationMs: 3_000,
  });
  assert.partialDeepStrictEqual(message(assistant([], { stopReason: "error", errorMessage: "no" })), { state: "error", error: "no" });
  assert.partialDeepStrictEqual(message(assistant([], { stopReason: "aborted" })), { state: "aborted" });
});

test("commands of a person, messages of extensions, and what Pi made of the past", () => {
  const ran = { role: "bashExecution", command: "ls", output: "a", timestamp: 3 };
  assert.partialDeepStrictEqual(message({ ...ran, exitCode: 0 }), { kind: "bash", command: "ls", exitCode: 0, state: "done" });
  assert.partialDeepStrictEqual(message({ ...ran, exitCode: 2 }), { state: "error" });
  const cancelled = message({ ...ran, cancelled: true, excludeFromContext: true });
  assert.partialDeepStrictEqual(cancelled, { state: "aborted", cancelled: true, excluded: true });
  const custom = { customType: "plan", content: "do it", display: false };
  const row = { kind: "custom", customType: "plan", display: false, at: 5_000 };
  assert.partialDeepStrictEqual(rowOf("custom_message", custom), row);
  assert.partialDeepStrictEqual(rowOf("compaction", { summary: "so far", tokensBefore: 9 }), { kind: "compaction", tokensBefore: 9 });
  const parts = [{ type: "text", text: "there" }];
  assert.partialDeepStrictEqual(rowOf("branch_summary", { summary: "there" }), { kind: "branch_summary", parts });
});

test("what shows nothing is no row", () => {
  const types = ["model_change", "thinking_level_change", "label", "session_info", "custom", "of a later Pi"];
  for (const type of types) assert.equal(rowOf(type, {}), undefined);
  assert.equal(message({ role: "system", content: "be kind" }), undefined);
});

test("what an extension has put into an entry makes a row or none, never an error", () => {
  const contents = [7, null, [null, 7, { type: 7 }], [{ type: "toolCall" }], [{ type: "image", data: 7 }]];
  for (const odd of [undefined, null, 7, "text", { role: 7 }, ...contents.map((content) => ({ role: "assistant", content }))]) {
    assert.doesNotThrow(() => rowOf("message", { message: odd }));
  }
});

test("a text is cut at its bound and says so", () => {
  const row = message(user("x".repeat(CHAT_TEXT_BYTES + 1)));
  assert.equal(row?.parts?.[0]?.text?.length, CHAT_TEXT_BYTES);
  assert.deepEqual(row?.truncated, [{ field: "parts.0", shown: CHAT_TEXT_BYTES, total: CHAT_TEXT_BYTES + 1 }]);
});

test("a row fits a frame, whatever is in it", () => {
  for (const [count, unit] of [[1, "\u0001"], [3, "x"], [600, "🌷"], [5, "\ud800"]] as const) {
    const content = Array.from({ length: count }, () => ({ type: "text", text: unit.repeat(200 * KIB) }));
    const row = message(assistant(content));
    assert.ok(row !== undefined && bytesOf(row) <= CHAT_ROW_BYTES, `${count} of ${unit}`);
    assert.ok((row.truncated ?? []).length > 0);
  }
});

// ---- pages -------------------------------------------------------------------------------------------------------------

function branch(count: number): { manager: FakeManager; branch: Branch } {
  const manager = new FakeManager();
  for (let number = 0; number < count; number += 1) {
    manager.appendMessage(user(`number ${number}`));
    manager.append("label", {});
  }
  return { manager, branch: new Branch(manager, () => ({})) };
}

test("a page has the newest rows that show, and says whether there are more", () => {
  const { branch: long } = branch(10);
  const { rows, more } = long.page(long.entry(long.leaf), 3);
  assert.deepEqual([rows.map((row) => row.parts?.[0]?.text), more], [["number 7", "number 8", "number 9"], true]);
  assert.equal(long.before(long.entry(rows[0]?.id)), "e13");
  const all = long.page(long.entry(long.leaf), 10);
  assert.deepEqual([all.rows.length, all.more], [10, false]);
  assert.deepEqual(long.page(undefined, 10), { rows: [], more: false });
});

test("a page costs its rows, however long the session is", () => {
  const { manager, branch: long } = branch(20_000);
  manager.looks = 0;
  long.page(long.entry(long.leaf), 100);
  assert.ok(manager.looks < 300, String(manager.looks));
});

test("a page keeps to its bytes, with at least one row", () => {
  const manager = new FakeManager();
  for (let number = 0; number < 5; number += 1) manager.appendMessage(user("x".repeat(200 * KIB)));
  const long = new Branch(manager, () => ({}));
  const { rows, more } = long.page(long.entry(long.leaf), 100);
  assert.deepEqual([rows.length, more], [2, true]);
  assert.ok(rows.reduce((sum, row) => sum + bytesOf(row), 0) <= CHAT_PAGE_BYTES);
  assert.equal(long.page(long.entry(long.leaf), 100, 1).rows.length, 1);
});

test("a tool's result has the call that it answers, also when others ran beside it", () => {
  const manager = new FakeManager();
  const calls = ["a", "b"].map((id) => ({ type: "toolCall", id, name: "bash", arguments: { of: id } }));
  manager.appendMessage(assistant(calls, { stopReason: "toolUse" }));
  for (const id of ["b", "a"]) {
    manager.appendMessage({ role: "toolResult", toolCallId: id, toolName: "bash", content: text(id), timestamp: 3 });
  }
  const long = new Branch(manager, () => ({}));
  const { rows } = long.page(long.entry(long.leaf), 100);
  assert.deepEqual(rows.map((row) => row.args), [undefined, '{"of":"b"}', '{"of":"a"}']);
});
