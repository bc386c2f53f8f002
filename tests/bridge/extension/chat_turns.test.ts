// Promise: what a remote sends reaches Pi once, as what it was meant as, and what became of it is told as it was.
import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { Chat } from "../../../bridge/extension/chat.ts";
import type { ChatRow, Turn, TurnKind } from "../../../bridge/extension/chat_protocol.ts";
import { CHAT_CHANGED_MS, CHAT_LOOK_MS, CHAT_TURNS } from "../../../bridge/extension/limits.ts";
import { Outbox } from "../../../bridge/extension/outbox.ts";
import type { Outgoing } from "../../../bridge/extension/protocol.ts";
import type { Registry } from "../../../bridge/extension/registry.ts";
import { blankRegistry } from "./blank.ts";
import { FakeSession, FakeTerminal, user, type Message } from "./chat_fakes.ts";

const BY = { name: "phone", kind: "test" };

let session: FakeSession;
let terminal: FakeTerminal;
let shared: Registry;
let told: Outgoing[];
let chat: Chat;

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  session = new FakeSession();
  shared = blankRegistry();
  terminal = new FakeTerminal(session);
  terminal.handlers = [(event) => chat.bashBegins(event)];
  shared.interactive = terminal;
  told = [];
  chat = load();
});

afterEach(() => {
  chat.detach();
  mock.timers.reset();
});

function load(): Chat {
  const outbox = new Outbox();
  const flush = (): void => {
    for (let message = outbox.next(); message !== undefined; message = outbox.next()) told.push(message);
  };
  const put = (key: string, make: Parameters<Outbox["put"]>[1]): void => {
    outbox.put(key, make);
    flush();
  };
  const one = new Chat(shared, undefined, () => ({}), put);
  one.attach("start");
  one.tell(put);
  return one;
}

function send(id: string, text: string, kind: TurnKind = "prompt", fields: Partial<Turn> = {}): void {
  chat.take({ type: "turn", clientTurnId: id, kind, by: BY, text, ...fields });
}

async function pass(ms = CHAT_CHANGED_MS): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  mock.timers.tick(ms);
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
}

function stages(id: string): string[] {
  return told.flatMap((message) => (message.type === "turn_result" && message.clientTurnId === id ? [message.stage] : []));
}

function last(id: string): Outgoing | undefined {
  return told.findLast((message) => message.type === "turn_result" && message.clientTurnId === id);
}

/** The rows of shell commands as the daemon knows them: command, turn, state. */
function bashRows(): unknown[] {
  const rows = new Map<string, ChatRow>();
  for (const message of told) {
    if (message.type === "chat_reset") rows.clear();
    if (message.type === "chat_remove") rows.delete(message.id);
    if (message.type === "chat_confirm") rows.delete(message.id);
    if (message.type === "chat_row") rows.set(message.row.id, message.row);
  }
  return [...rows.values()].filter(({ kind }) => kind === "bash").map(({ command, clientTurnId, state }) => [command, clientTurnId, state]);
}

function queue(): unknown {
  const newest = told.findLast((message) => message.type === "chat_queue");
  return newest?.items.map(({ kind, text, clientTurnId }) => [kind, text, clientTurnId]);
}

/** Pi takes a message out of its queue and delivers it. */
function deliver(messages: Message[], index = 0): string {
  const [message] = messages.splice(index, 1);
  session.tell("queue_update");
  return session.say(message as Message);
}

test("a prompt begins a turn and is its row", async () => {
  send("t", "hello");
  const [given] = session.given;
  assert.deepEqual([given?.text, given?.options.expandPromptTemplates], ["hello", false]);
  session.say(user("hello"));
  await pass();
  given?.resolve();
  await pass();
  assert.deepEqual(stages("t"), ["accepted", "consumed"]);
  assert.partialDeepStrictEqual(last("t"), { rowId: "e1" });
  const row = told.findLast((message) => message.type === "chat_row");
  assert.equal(row?.row.clientTurnId, "t");
});

test("the same id never acts twice, also after a reload, and gets its stage again", async () => {
  send("t", "hello");
  session.say(user("hello"));
  await pass();
  send("t", "hello");
  chat.detach(false);
  chat = load();
  send("t", "something else");
  assert.equal(session.given.length, 1);
  assert.equal(stages("t").at(-1), "consumed");
});

test("so many turns are remembered", async () => {
  for (let count = 0; count < CHAT_TURNS + 10; count += 1) send(`t${count}`, "!no");
  assert.equal(shared.chat?.turns.size, CHAT_TURNS);
});

test("what is queued is known by its object: the same words from the terminal and from afar are told apart", async () => {
  session.isStreaming = true;
  const { messages } = session.agent.steeringQueue;
  await session.prompt("same", { streamingBehavior: "steer" });
  send("t", "same", "steer");
  await session.prompt("same", { streamingBehavior: "steer" });
  send("f", "after", "follow_up");
  await pass();
  assert.deepEqual(queue(), [
    ["steer", "same", undefined],
    ["steer", "same", "t"],
    ["steer", "same", undefined],
    ["follow_up", "after", "f"],
  ]);
  deliver(messages);
  await pass();
  assert.deepEqual(stages("t"), ["accepted", "queued"]);
  const row = deliver(messages);
  await pass();
  assert.deepEqual(stages("t"), ["accepted", "queued", "consumed"]);
  assert.partialDeepStrictEqual(last("t"), { rowId: row });
});

test("what comes while Pi looks at the message before waits, and is queued behind it", async () => {
  send("s", "first", "steer");
  send("f", "second", "follow_up");
  await pass();
  assert.deepEqual([session.given.map(({ text }) => text), stages("f")], [["first"], ["accepted"]]);
  session.isStreaming = true;
  session.say(user("first"));
  await pass();
  assert.deepEqual([stages("s"), stages("f")], [["accepted", "consumed"], ["accepted", "queued"]]);
  assert.deepEqual(queue(), [["follow_up", "second", "f"]]);
});

test("what waits behind a message that Pi refuses is given to Pi all the same", async () => {
  send("s", "first", "steer");
  send("f", "second", "follow_up");
  session.given[0]?.reject(new Error("No."));
  await pass();
  assert.deepEqual([stages("s"), session.given.map(({ text }) => text)], [["accepted", "rejected"], ["first", "second"]]);
});

test("a prompt that waited while another one began a turn is refused in a sentence, and Pi never sees it", async () => {
  send("one", "first");
  send("two", "second");
  session.isStreaming = true;
  session.say(user("first"));
  await pass();
  assert.deepEqual([stages("two"), session.given.map(({ text }) => text)], [["accepted", "rejected"], ["first"]]);
  assert.partialDeepStrictEqual(last("two"), { reason: "A turn is running: steer it, or follow up." });
});

test("what was taken out of the queue is unknown when Pi rests, and what still waits is not", async () => {
  session.isStreaming = true;
  send("out", "one", "steer");
  send("in", "two", "follow_up");
  await pass();
  session.agent.steeringQueue.messages.length = 0;
  session.isStreaming = false;
  session.tell("queue_update");
  session.tell("agent_end", { messages: [] });
  await pass();
  assert.deepEqual([stages("out").at(-1), stages("in").at(-1)], ["unknown", "queued"]);
});

test("what Pi refuses is rejected in its own words", async () => {
  session.refuses = "No API key found for loopback.";
  send("t", "hello");
  await pass();
  assert.deepEqual(stages("t"), ["accepted", "rejected"]);
  assert.partialDeepStrictEqual(last("t"), { reason: "No API key found for loopback." });
});

test("what is no prompt never reaches Pi", async () => {
  send("command", "/mirrord status");
  send("template", "/review this", "steer");
  send("shell", "!ls");
  send("blank command", " /compact");
  send("blank shell", "\n!ls");
  send("empty", "  ");
  send("lost", "", "prompt", { text: undefined as never, parts: 2 });
  send("none", "/nothing", "command");
  session.isStreaming = true;
  send("busy", "hello");
  session.isCompacting = true;
  send("compacting", "hello", "steer");
  await pass();
  for (const id of ["command", "template", "shell", "blank command", "blank shell", "empty", "lost", "none", "busy", "compacting"]) {
    assert.deepEqual(stages(id), ["rejected"], id);
  }
  assert.deepEqual(session.given, []);
});

test("no reason holds what was typed", () => {
  send("none", "canary", "command");
  send("slash", "/canary it is", "command");
  send("known", "/review canary");
  send("busy", "!canary");
  for (const id of ["none", "slash", "known", "busy"]) assert.doesNotMatch(JSON.stringify(last(id)), /canary/, id);
});

test("a text that looks like a command goes to the model when it is meant so, and is not expanded", async () => {
  send("t", "/mirrord status", "prompt", { literal: true });
  session.given[0]?.resolve();
  await pass();
  send("u", "/etc/hosts is wrong");
  assert.deepEqual(session.given.map(({ text, options }) => [text, options.expandPromptTemplates]), [
    ["/mirrord status", false],
    ["/etc/hosts is wrong", false],
  ]);
});

test("an extension's command has run when Pi says so; what it sends is not the remote's", async () => {
  send("t", "/mirrord status", "command");
  const [given] = session.given;
  assert.equal(given?.options.expandPromptTemplates, undefined);
  session.say(user("sent by the extension"));
  await pass();
  assert.deepEqual(stages("t"), ["accepted"]);
  given?.resolve();
  await pass();
  assert.deepEqual(stages("t"), ["accepted", "consumed"]);
  assert.equal((last("t") as { rowId?: string }).rowId, undefined);
});

test("Pi's own commands do what the action does, or are refused", async () => {
  send("name", "/name New", "command");
  send("quit", "/quit", "command");
  await pass();
  assert.deepEqual([stages("name").at(-1), stages("quit").at(-1), session.done], ["consumed", "rejected", ["name New"]]);
});

test("a command that is the terminal's is refused and never called accepted", () => {
  send("model", "/model", "command");
  send("name", "/name", "command");
  assert.deepEqual([stages("model"), stages("name")], [["rejected"], ["rejected"]]);
  assert.partialDeepStrictEqual(last("model"), { reason: "Pi has /model at the terminal only." });
});

test("a shell command runs in Pi's terminal and is its entry", async () => {
  send("t", "ls", "bash", { excluded: true });
  await pass();
  await pass();
  assert.deepEqual(terminal.ran, ["ls true"]);
  assert.deepEqual(stages("t"), ["accepted", "consumed"]);
  assert.partialDeepStrictEqual(last("t"), { rowId: "e1" });
  assert.deepEqual(bashRows(), [["ls", "t", "done"]]);
});

test("a shell command that another extension takes for its own is its entry too", async () => {
  terminal.handlers.unshift(() => ({ operations: {} }));
  send("t", "ls", "bash");
  await pass();
  assert.deepEqual(stages("t"), ["accepted", "consumed"]);
  assert.partialDeepStrictEqual(last("t"), { rowId: "e1" });
  assert.deepEqual(bashRows(), [["ls", "t", "done"]]);
});

test("a shell command that an extension thinks about for long is its entry all the same", async () => {
  let allow = (): void => {};
  terminal.handlers.push(() => new Promise<void>((resolve) => (allow = resolve)));
  send("t", "ls", "bash");
  await pass(CHAT_LOOK_MS * 4);
  assert.deepEqual([stages("t"), bashRows()], [["accepted"], [["ls", "t", "streaming"]]]);
  allow();
  await pass();
  assert.deepEqual(stages("t"), ["accepted", "consumed"]);
  assert.deepEqual(bashRows(), [["ls", "t", "done"]]);
});

test("a shell command of which Pi keeps no result is unknown and no row, and the next one's result is the next one's", async () => {
  terminal.runs = () => Promise.reject(new Error("Working directory does not exist: /gone"));
  send("t", "ls", "bash");
  await pass();
  assert.deepEqual([stages("t"), bashRows()], [["accepted", "unknown"], []]);
  assert.partialDeepStrictEqual(last("t"), { reason: "Pi kept no result of it: the terminal shows why." });
  terminal.handlers.unshift(() => {
    throw new Error("not this one");
  });
  send("u", "ls", "bash");
  await pass(0);
  terminal.handlers.shift();
  terminal.runs = async () => "done";
  void terminal.handleBashCommand("ls");
  await pass();
  assert.deepEqual([stages("u"), bashRows()], [["accepted", "unknown"], [["ls", undefined, "done"]]]);
});

test("a shell command that ran within a turn is its entry when the turn is over", async () => {
  session.isStreaming = true;
  send("t", "ls", "bash");
  await pass(CHAT_LOOK_MS * 2);
  assert.deepEqual([stages("t"), bashRows()], [["accepted"], [["ls", "t", "streaming"]]]);
  session.isStreaming = false;
  terminal.flush();
  session.tell("agent_settled");
  await pass();
  assert.deepEqual([stages("t"), bashRows()], [["accepted", "consumed"], [["ls", "t", "done"]]]);
});

test("a shell command over whose end the extension was loaded anew is unknown", async () => {
  let end = (_output: string): void => {};
  terminal.runs = () => new Promise((resolve) => (end = resolve));
  send("t", "ls", "bash");
  await pass();
  chat.detach(false);
  chat = load();
  await pass();
  assert.deepEqual(new Set(stages("t")), new Set(["accepted"]));
  end("done");
  await pass();
  assert.equal(stages("t").at(-1), "unknown");
});

test("a long text comes in pieces", () => {
  const piece = { type: "turn_part", clientTurnId: "t", parts: 2 } as const;
  chat.take({ ...piece, part: 0, text: "hel" });
  chat.take({ ...piece, part: 1, text: "lo" });
  chat.take({ type: "turn", clientTurnId: "t", kind: "prompt", by: BY, parts: 2 });
  assert.equal(session.given[0]?.text, "hello");
});

test("when the session ends what was not done is unknown", async () => {
  send("t", "hello");
  chat.detach();
  assert.deepEqual(stages("t"), ["accepted", "unknown"]);
});

// ---- actions -----------------------------------------------------------------------------------------------------------

async function act(name: string, args: object = {}): Promise<unknown> {
  told = [];
  chat.take({ type: "action", requestId: name, name, by: BY, args: args as Record<string, unknown> });
  await pass();
  const results = told.filter((message) => message.type === "action_result");
  assert.equal(results.length, 1, name);
  const [result] = results;
  return result?.ok === true ? "ok" : result?.message;
}

test("each action is done, or refused in a sentence", async () => {
  assert.equal(await act("set_thinking_level", { level: "high" }), "ok");
  assert.equal(await act("set_thinking_level", { level: "utmost" }), "The model has no such thinking level.");
  assert.equal(await act("set_model", { provider: "loopback", id: "one" }), "No API key for loopback/one");
  assert.equal(await act("set_model", { provider: "loopback", id: "two" }), "Pi has no such model, or no key for it.");
  assert.equal(await act("abort_bash"), "No shell command is running.");
  assert.equal(await act("navigate_tree", { entryId: "gone" }), "The session has no such entry.");
  assert.equal(await act("set_steering_mode", { mode: "all" }), "This Pi cannot be told from afar to choose how it is steered.");
  assert.equal(await act("toString"), "The terminal's extension does not know this action.");
  session.say(user("hello"));
  assert.equal(await act("navigate_tree", { entryId: "e1" }), "ok");
  assert.equal(await act("reload"), "ok");
  assert.deepEqual(session.done, ["navigate e1", "reload"]);
  session.isStreaming = true;
  assert.match(String(await act("reload")), /^Wait for/);
  assert.match(String(await act("navigate_tree", { entryId: "e1" })), /^Wait for/);
});

test("what this Pi cannot be told is known before it is asked", async () => {
  await pass();
  const state = told.findLast((message) => message.type === "chat_state");
  assert.deepEqual(Object.keys(state?.refuses ?? {}).sort(), [
    "abort_retry",
    "compact",
    "set_auto_compaction",
    "set_auto_retry",
    "set_follow_up_mode",
    "set_steering_mode",
  ]);
});
