// Promise: the state that a daemon is told is Pi's, also what a person chooses at a Pi that rests, and a reload forgets none of it.
import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { Chat } from "../../../bridge/extension/chat.ts";
import type { ChatState } from "../../../bridge/extension/chat_protocol.ts";
import { CHAT_ASK_MS, CHAT_CHANGED_MS, CHAT_WATCH_MS } from "../../../bridge/extension/limits.ts";
import { Outbox } from "../../../bridge/extension/outbox.ts";
import type { Registry } from "../../../bridge/extension/registry.ts";
import { blankRegistry } from "./blank.ts";
import { assistant, FakeSession } from "./chat_fakes.ts";

let session: FakeSession;
let shared: Registry;
let told: ChatState[];
let chat: Chat;
let now: number;

beforeEach(() => {
  now = 1_000_000;
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"], now });
  mock.method(performance, "now", () => now);
  session = new FakeSession();
  shared = blankRegistry();
  shared.interactive = { session };
  told = [];
  chat = load();
});

afterEach(() => {
  chat.detach();
  mock.timers.reset();
  mock.restoreAll();
});

function load(): Chat {
  const outbox = new Outbox();
  const put = (key: string, make: Parameters<Outbox["put"]>[1]): void => {
    outbox.put(key, make);
    for (let message = outbox.next(); message !== undefined; message = outbox.next()) if (message.type === "chat_state") told.push(message);
  };
  const one = new Chat(shared, undefined, () => ({}), put);
  one.attach("start");
  one.tell(put);
  return one;
}

/** A /reload. */
function reload(): void {
  chat.detach(false);
  told = [];
  chat = load();
}

async function pass(ms = CHAT_CHANGED_MS): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  now += ms;
  mock.timers.tick(ms);
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
}

function state(): ChatState {
  return told.at(-1) as ChatState;
}

/** The agent has answered. */
async function answered(outcome = "stop", error = "overloaded"): Promise<void> {
  session.tell("agent_start");
  session.tell("agent_end", { messages: [assistant([], { stopReason: outcome, errorMessage: error })] });
  await pass();
}

test("what is chosen at a Pi that rests is told a little later, and nothing is told while nothing changes", async () => {
  await pass();
  session.model = { provider: "loopback", id: "two", name: "Two" };
  Object.assign(session, { steeringMode: "all", getContextUsage: () => ({ tokens: 10, contextWindow: 200, percent: 5 }) });
  await pass(CHAT_WATCH_MS);
  const { model, models, steeringMode, context } = state();
  assert.deepEqual([model?.id, models?.map(({ id }) => id), steeringMode, context?.window], ["two", ["two"], "all", 200]);
  const before = told.length;
  await pass(CHAT_WATCH_MS * 10);
  assert.equal(told.length, before);
});

test("the model is told at once where Pi tells of it", async () => {
  await pass();
  session.model = { provider: "loopback", id: "two", name: "Two" };
  chat.modelChanged();
  await pass();
  assert.equal(state().model?.id, "two");
});

test("a session that grows long is not measured again while Pi rests", async () => {
  await pass();
  const measured = mock.method(session, "getContextUsage");
  await pass(CHAT_WATCH_MS * 10);
  assert.equal(measured.mock.callCount(), 0);
});

test("Pi is not looked at while nobody listens", async () => {
  chat.unheard();
  await pass(CHAT_WATCH_MS);
  const looked = mock.method(session.sessionManager, "getLeafId");
  await pass(CHAT_WATCH_MS * 10);
  assert.equal(looked.mock.callCount(), 0);
});

test("a Pi that cannot work says why, and nothing is made up before it has", async () => {
  session.hasKey = false;
  reload();
  assert.equal(state().cannotRun, undefined);
  await pass();
  assert.equal(state().cannotRun, "No API key found for loopback.\n\nUse /login.");
});

test("a key that Pi finds only when it is asked is a key, and one that comes later is found", async () => {
  session.hasKey = false;
  const asked = mock.method(session, "_getRequiredRequestAuth");
  reload();
  await pass(CHAT_ASK_MS - CHAT_WATCH_MS);
  assert.deepEqual([asked.mock.callCount(), state().cannotRun !== undefined], [1, true]);
  asked.mock.mockImplementation(async () => ({ apiKey: "key" }) as never);
  await pass(CHAT_WATCH_MS);
  await pass(CHAT_WATCH_MS);
  assert.deepEqual([asked.mock.callCount(), state().cannotRun], [2, undefined]);
  reload();
  await pass();
  assert.equal(state().cannotRun, undefined);
});

test("a person who has logged in is believed at once", async () => {
  session.hasKey = false;
  reload();
  await pass();
  session.hasKey = true;
  await pass(CHAT_WATCH_MS);
  assert.equal(state().cannotRun, undefined);
});

test("how the last turn ended, and since when Pi rests, outlives a reload and not the session", async () => {
  await answered("error");
  const before = state();
  assert.deepEqual(before.lastTurn, { at: now - CHAT_CHANGED_MS, outcome: "error", error: "overloaded" });
  await pass(60_000);
  reload();
  assert.deepEqual([state().lastTurn, state().since], [before.lastTurn, before.since]);
  mock.method(session.sessionManager, "getSessionId", () => "another");
  reload();
  assert.deepEqual([state().lastTurn, state().since], [undefined, now]);
});
