// Promise: a daemon that follows shows what Pi holds, in Pi's order, at a pace and within bounds, whatever happens while it is told.
import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { Chat } from "../../../bridge/extension/chat.ts";
import type { ChatRow } from "../../../bridge/extension/chat_protocol.ts";
import { CHAT_CHANGED_MS, CHAT_DELTA_MS, CHAT_LOOK_MS, CHAT_WAITING, CHAT_WHOLE_MS } from "../../../bridge/extension/limits.ts";
import { Outbox } from "../../../bridge/extension/outbox.ts";
import type { Outgoing } from "../../../bridge/extension/protocol.ts";
import type { Registry } from "../../../bridge/extension/registry.ts";
import { blankRegistry } from "./blank.ts";
import { assistant, FakeSession, text, user, type Message } from "./chat_fakes.ts";

let session: FakeSession;
let shared: Registry;
let outbox: Outbox;
let hasRoom: boolean;
let told: Outgoing[];
let chat: Chat;
let now: number;

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  now = 0;
  mock.method(performance, "now", () => now);
  session = new FakeSession();
  shared = blankRegistry();
  shared.interactive = { session };
  outbox = new Outbox();
  hasRoom = true;
  told = [];
  chat = load();
  link();
});

afterEach(() => {
  chat.detach();
  mock.timers.reset();
  mock.restoreAll();
});

/** A load of the extension. */
function load(): Chat {
  const put = (key: string, make: Parameters<Outbox["put"]>[1]): void => {
    outbox.put(key, make);
    flush();
  };
  const one = new Chat(shared, undefined, () => ({}), put);
  one.attach("start");
  return one;
}

function link(): void {
  outbox.clear();
  chat.tell((key, make) => outbox.put(key, make));
  flush();
}

function flush(): void {
  for (let message = hasRoom ? outbox.next() : undefined; message !== undefined; message = outbox.next()) told.push(message);
}

function room(has: boolean): void {
  hasRoom = has;
  flush();
}

async function pass(ms: number): Promise<void> {
  await settled();
  now += ms;
  mock.timers.tick(ms);
  await settled();
}

/** What waits for what runs now to end has run. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
}

/** The rows that a daemon shows, each as its id, kind and text; what does not follow fails the test. */
function shown(): string[] {
  let rows: ChatRow[] = [];
  let coming: ChatRow[] | undefined;
  for (const message of told) {
    if (message.type === "chat_reset") coming = [];
    if (message.type === "chat_ready") [rows, coming] = [coming ?? [], undefined];
    if (message.type === "chat_row" && coming !== undefined) coming.push(message.row);
    else if (message.type === "chat_row") rows = placed(rows, message.row, message.after);
    if (message.type === "chat_remove") rows = rows.filter((row) => row.id !== message.id);
    if (message.type === "chat_confirm") one(rows, message.id).id = message.entryId;
    if (message.type === "chat_delta") {
      const parts = (one(rows, message.id).parts ??= []);
      if (message.start !== undefined) parts.push({ ...message.start, text: "" });
      const part = parts[message.part];
      assert.ok(part?.text !== undefined && message.offset <= part.text.length);
      part.text = part.text.slice(0, message.offset) + message.text;
    }
  }
  assert.equal(coming, undefined);
  return rows.map((row) => `${row.id} ${row.kind} ${row.state} ${(row.parts ?? []).map((part) => part.text).join("|")}`);
}

function placed(rows: ChatRow[], row: ChatRow, after: string | null): ChatRow[] {
  const rest = rows.filter(({ id }) => id !== row.id);
  const at = after === null ? 0 : rest.findIndex(({ id }) => id === after) + 1;
  assert.ok(after === null || at > 0, `${row.id} after ${after}`);
  return [...rest.slice(0, at), structuredClone(row), ...rest.slice(at)];
}

function one(rows: ChatRow[], id: string): ChatRow {
  const found = rows.filter((row) => row.id === id);
  assert.equal(found.length, 1, id);
  return found[0] as ChatRow;
}

function of<T extends Outgoing["type"]>(type: T): Extract<Outgoing, { type: T }>[] {
  return told.filter((message): message is Extract<Outgoing, { type: T }> => message.type === type);
}

function grow(message: Message): void {
  session.tell("message_update", { message });
}

test("a row is there as it begins, grows by what is added, and becomes its entry in its place", async () => {
  session.say(user("hello"));
  await settled();
  session.tell("message_start", { message: assistant([]) });
  for (const value of ["Ec", "Echo", "Echo: hello"]) {
    grow(assistant(text(value)));
    await pass(CHAT_CHANGED_MS);
  }
  assert.deepEqual(shown(), ["e1 user done hello", "live:2 assistant streaming Echo: hello"]);
  assert.deepEqual(of("chat_delta").map(({ text: added }) => added), ["Ec", "ho", ": hello"]);
  session.end(assistant(text("Echo: hello")));
  await settled();
  assert.deepEqual(shown(), ["e1 user done hello", "e2 assistant done Echo: hello"]);
  assert.deepEqual(of("chat_confirm").map(({ id, entryId }) => [id, entryId]), [["live:1", "e1"], ["live:2", "e2"]]);
});

test("deltas of a row are at least so long apart, and none is lost", async () => {
  session.tell("message_start", { message: assistant([]) });
  for (let count = 1; count <= 100; count += 1) {
    grow(assistant(text("x".repeat(count))));
    await pass(1);
  }
  await pass(CHAT_CHANGED_MS);
  const most = Math.ceil((100 + CHAT_CHANGED_MS) / CHAT_DELTA_MS);
  assert.ok(of("chat_delta").length <= most && most < 100, String(of("chat_delta").length));
  assert.deepEqual(shown(), [`live:1 assistant streaming ${"x".repeat(100)}`]);
});

test("a character that comes in halves is told whole", async () => {
  session.tell("message_start", { message: assistant([]) });
  for (const value of ["a\ud83c", "a\ud83c\udf37", "a\ud83c\udf37\ud83c"]) {
    grow(assistant(text(value)));
    await pass(CHAT_CHANGED_MS);
  }
  assert.deepEqual(shown(), ["live:1 assistant streaming a🌷"]);
  for (const delta of of("chat_delta")) assert.equal(delta.text.includes("\ufffd"), false);
});

test("a text that does not only grow is told whole", async () => {
  session.tell("message_start", { message: assistant([]) });
  grow(assistant(text("first thought")));
  await pass(CHAT_CHANGED_MS);
  grow(assistant(text("another")));
  await pass(CHAT_LOOK_MS);
  assert.deepEqual(shown(), ["live:1 assistant streaming another"]);
});

/** What Pi 1.6.0 has of a call that it still writes: the arguments so far, whose JSON is made by `made` each time. */
function writing(content: string, made: () => void): object {
  return { type: "toolCall", id: "a", name: "write", arguments: { toJSON: () => (made(), { path: "a.ts", content }) } };
}

test("of a call that streams its JSON is made twice in CHAT_WHOLE_MS, however many pieces come", async () => {
  let made = 0;
  session.tell("message_start", { message: assistant([]) });
  for (let piece = 1; piece <= 4 * CHAT_WHOLE_MS; piece += 1) {
    grow(assistant([writing("x".repeat(piece), () => (made += 1))]));
    await pass(1);
  }
  assert.ok(of("chat_row").length >= 4, String(of("chat_row").length));
  // Once to see that it does not only grow, once to tell it; and the first time it is new.
  assert.ok(made <= 2 * 5, String(made));
  await pass(CHAT_WHOLE_MS);
  assert.ok(JSON.stringify(of("chat_row").at(-1)).includes("x".repeat(4 * CHAT_WHOLE_MS)));
});

test("what waits for room is not made for each piece", async () => {
  let made = 0;
  session.tell("message_start", { message: assistant([]) });
  await pass(CHAT_WHOLE_MS);
  room(false);
  for (let piece = 1; piece <= CHAT_WHOLE_MS; piece += 1) {
    grow(assistant([writing("x".repeat(piece), () => (made += 1)), { type: "text", text: "y" }]));
    await pass(1);
  }
  assert.equal(made, 0);
  room(true);
  assert.equal(made, 1);
});

test("a row that is rewritten holds up no other", async () => {
  const call = (id: string): object => ({ toolCallId: id, toolName: "bash", args: {} });
  const says = (id: string, value: string): void => session.tell("tool_execution_update", { ...call(id), partialResult: { content: text(value) } });
  for (const id of ["a", "b"]) session.tell("tool_execution_start", call(id));
  says("a", "first");
  says("b", "one");
  await pass(CHAT_DELTA_MS);
  await pass(CHAT_DELTA_MS);
  says("a", "another");
  says("b", "one two");
  says("b", "one two three");
  await pass(CHAT_DELTA_MS);
  assert.deepEqual(shown(), ["live:1 tool streaming first", "live:2 tool streaming one two three"]);
  await pass(CHAT_WHOLE_MS);
  assert.deepEqual(shown(), ["live:1 tool streaming another", "live:2 tool streaming one two three"]);
});

test("calls that run beside each other come in the order in which Pi appends their results", async () => {
  const call = (id: string): object => ({ toolCallId: id, toolName: "bash", args: { of: id } });
  const result = (id: string): Message => ({ role: "toolResult", toolCallId: id, toolName: "bash", content: text(id), timestamp: 3 });
  session.say(user("both"));
  for (const id of ["a", "b"]) session.tell("tool_execution_start", call(id));
  session.tell("tool_execution_update", { ...call("b"), partialResult: { content: text("half of b") } });
  await pass(CHAT_CHANGED_MS);
  assert.deepEqual(shown(), ["e1 user done both", "live:2 tool streaming ", "live:3 tool streaming half of b"]);
  for (const id of ["b", "a"]) session.tell("tool_execution_end", { ...call(id), result: { content: text(id) }, isError: false });
  for (const id of ["b", "a"]) {
    session.say(result(id));
    await settled();
  }
  assert.deepEqual(shown(), ["e1 user done both", "e2 tool done b", "e3 tool done a"]);
  assert.deepEqual(of("chat_row").at(-1)?.row.args, '{"of":"a"}');
});

test("a nested call is within its parent's row", async () => {
  session.tell("tool_execution_start", { toolCallId: "n", toolName: "read", args: {}, parentToolCallId: "c" });
  await settled();
  assert.deepEqual(shown(), []);
});

test("what never gets an entry is removed", async () => {
  session.tell("message_start", { message: assistant([]) });
  session.tell("tool_execution_start", { toolCallId: "a", toolName: "bash", args: {} });
  await settled();
  session.tell("agent_end", { messages: [assistant([], { stopReason: "aborted" })] });
  await pass(CHAT_CHANGED_MS);
  assert.deepEqual(shown(), []);
  assert.equal(of("chat_state").at(-1)?.lastTurn?.outcome, "aborted");
});

test("a shell command runs, shows what the terminal shows, and becomes the entry that Pi appends", async () => {
  let output = "";
  shared.interactive = { session, bashComponent: { getOutput: () => output } };
  session.isBashRunning = true;
  chat.bashBegins({ command: "ls" });
  output = "one\n";
  await pass(CHAT_CHANGED_MS);
  await pass(CHAT_LOOK_MS);
  assert.deepEqual(shown(), ["live:1 bash streaming one\n"]);
  session.isBashRunning = false;
  session.sessionManager.appendMessage({ role: "bashExecution", command: "ls", output: "one\ntwo\n", exitCode: 0, timestamp: 3 });
  await pass(CHAT_LOOK_MS);
  assert.deepEqual(shown(), ["e1 bash done one\ntwo\n"]);
});

test("a message of an extension is its entry by its content's identity", async () => {
  const content = text("noted");
  for (let time = 0; time < 2; time += 1) {
    session.tell("message_start", { message: { role: "custom", customType: "note", content, display: true, timestamp: 3 } });
    session.tell("message_end", { message: { role: "custom", customType: "note", content, display: true, timestamp: 3 } });
    session.sessionManager.append("custom_message", { customType: "note", content, display: true });
    await settled();
  }
  assert.deepEqual(shown(), ["e1 custom done noted", "e2 custom done noted"]);
});

test("without room nothing is made, and then only what is true", async () => {
  room(false);
  session.tell("message_start", { message: assistant([]) });
  for (let count = 1; count <= 50; count += 1) {
    grow(assistant(text("x".repeat(count))));
    await pass(CHAT_CHANGED_MS);
  }
  const before = told.length;
  room(true);
  assert.deepEqual(shown(), [`live:1 assistant streaming ${"x".repeat(50)}`]);
  assert.equal(told.slice(before).filter(({ type }) => type === "chat_row" || type === "chat_delta").length, 1);
});

test("with too much that waits for room the newest page is told anew", async () => {
  room(false);
  for (let count = 0; count < 2 * CHAT_WAITING; count += 1) {
    session.say(user(String(count)));
    await settled();
  }
  room(true);
  assert.equal(of("chat_reset").at(-1)?.reason, "resync");
  assert.equal(shown().length, 100);
  assert.equal(shown().at(-1), `e${2 * CHAT_WAITING} user done ${2 * CHAT_WAITING - 1}`);
});

test("a daemon that comes in the middle is told all, and what follows follows", async () => {
  chat.unheard();
  session.say(user("before"));
  session.tell("message_start", { message: assistant([]) });
  grow(assistant(text("half")));
  await pass(CHAT_CHANGED_MS);
  told = [];
  link();
  assert.deepEqual(shown(), ["e1 user done before", "live:2 assistant streaming half"]);
  grow(assistant(text("half and half")));
  await pass(CHAT_CHANGED_MS);
  assert.deepEqual(of("chat_delta").map(({ offset, text: added }) => [offset, added]), [[4, " and half"]]);
  chat.take({ type: "chat_resync" });
  assert.deepEqual(shown(), ["e1 user done before", "live:2 assistant streaming half and half"]);
});

test("another branch is a boundary, whether Pi says so or not", async () => {
  for (const value of ["one", "two", "three"]) session.say(user(value));
  await settled();
  session.sessionManager.leaf = "e1";
  chat.treeChanged();
  assert.deepEqual([of("chat_reset").at(-1)?.reason, shown()], ["tree", ["e1 user done one"]]);
  session.sessionManager.leaf = "e3";
  session.tell("turn_end");
  await settled();
  assert.deepEqual([of("chat_reset").at(-1)?.reason, shown().length], ["tree", 3]);
});

test("after a reload the earlier load hears nothing, and temporary ids go on", async () => {
  session.tell("message_start", { message: user("one") });
  await settled();
  chat.detach(false);
  assert.equal(session.listenerCount("event"), 0);
  chat = load();
  told = [];
  link();
  session.tell("message_start", { message: user("two") });
  await settled();
  assert.deepEqual(shown(), ["live:2 user done two"]);
});

test("a page of history, and none", () => {
  for (const value of ["one", "two", "three"]) session.say(user(value));
  chat.take({ type: "chat_history", requestId: "r", before: "e3", limit: 1 });
  chat.take({ type: "chat_history", requestId: "s", before: "gone", limit: 1 });
  const [page, none] = of("chat_page");
  assert.deepEqual([page?.requestId, page?.rows.map(({ id }) => id), page?.more], ["r", ["e2"], true]);
  assert.deepEqual([none?.requestId, none?.rows, typeof none?.error], ["s", [], "string"]);
});

test("a turn whose retry was stopped has failed", async () => {
  session.tell("agent_end", { messages: [assistant([], { stopReason: "error", errorMessage: "overloaded" })], willRetry: true });
  session.tell("auto_retry_start", { attempt: 1, maxAttempts: 3, delayMs: 2_000, errorMessage: "overloaded" });
  await pass(CHAT_CHANGED_MS);
  assert.equal(of("chat_state").at(-1)?.lastTurn, undefined);
  session.tell("auto_retry_end", { success: false, attempt: 1, finalError: "Retry cancelled" });
  await pass(CHAT_CHANGED_MS);
  const { lastTurn, retrying } = of("chat_state").at(-1) ?? {};
  assert.deepEqual([lastTurn?.outcome, lastTurn?.error, retrying], ["error", "overloaded", undefined]);
});

test("state is told when it changes and not otherwise; why Pi cannot run is in its own words", async () => {
  await pass(CHAT_CHANGED_MS);
  const before = of("chat_state").length;
  session.tell("thinking_level_changed");
  await pass(CHAT_CHANGED_MS);
  assert.equal(of("chat_state").length, before);
  session.hasKey = false;
  session.tell("thinking_level_changed");
  await pass(CHAT_CHANGED_MS);
  await pass(CHAT_CHANGED_MS);
  assert.equal(of("chat_state").at(-1)?.cannotRun, "No API key found for loopback.\n\nUse /login.");
  session.tell("auto_retry_start", { attempt: 1, maxAttempts: 3, delayMs: 2_000, errorMessage: "overloaded" });
  await pass(CHAT_CHANGED_MS);
  const waits = of("chat_state").at(-1);
  assert.deepEqual([waits?.idle, waits?.retrying], [false, { attempt: 1, maxAttempts: 3, delayMs: 2_000, error: "overloaded" }]);
});
