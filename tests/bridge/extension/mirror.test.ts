// Promise: a remote that comes at any time learns what is true now; what is told once is told once, and lost ones are counted.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { NOTIFICATION_CHARS, NOTIFICATIONS, STATUSES, TEXT_BYTES } from "../../../bridge/extension/limits.ts";
import { Mirror } from "../../../bridge/extension/mirror.ts";
import { Outbox, type Maker } from "../../../bridge/extension/outbox.ts";
import type { Outgoing } from "../../../bridge/extension/protocol.ts";

class Sink {
  hopeful = true;
  readonly outbox = new Outbox();
  put(key: string, make: Maker): void {
    this.outbox.put(key, make);
  }
  drop(key: string): void {
    this.outbox.drop(key);
  }
  said(): Outgoing[] {
    const said = [];
    for (let next = this.outbox.next(); next !== undefined; next = this.outbox.next()) said.push(next);
    return said;
  }
}

let sink: Sink;
let mirror: Mirror;

beforeEach(() => {
  sink = new Sink();
  mirror = new Mirror(sink);
});

function told(): Outgoing[] {
  mirror.tell((key, make) => sink.put(key, make));
  return sink.said();
}

function statuses(messages: Outgoing[]): [string, string | null][] {
  return messages.flatMap((message) => (message.type === "status" ? [[message.key, message.text] as [string, string | null]] : []));
}

test("statuses, title and activity are there for whoever comes later", () => {
  mirror.told("setStatus", ["job", "building"]);
  mirror.told("setStatus", ["gone", "x"]);
  mirror.told("setStatus", ["gone", undefined]);
  mirror.told("setTitle", ["hello"]);
  mirror.setActivity(true, "turn_start", 3);
  sink.said();
  const [status, title, activity, ...rest] = told();
  assert.deepEqual(status, { type: "status", key: "job", text: "building" });
  assert.deepEqual(title, { type: "title", title: "hello" });
  assert.partialDeepStrictEqual(activity, { type: "activity", working: true, cause: "resync", turnIndex: 3 });
  assert.deepEqual(rest, []);
});

test("where nothing was said, the title is null and the agent rests", () => {
  const [title, activity] = told();
  assert.deepEqual(title, { type: "title", title: null });
  assert.partialDeepStrictEqual(activity, { type: "activity", working: false, cause: "resync" });
});

test("a status that is cleared is told as null", () => {
  mirror.told("setStatus", ["job", "x"]);
  sink.said();
  mirror.told("setStatus", ["job", undefined]);
  assert.deepEqual(sink.said(), [{ type: "status", key: "job", text: null }]);
});

test("of STATUSES and one more keys the oldest untouched gives way, and is told so", () => {
  for (let n = 0; n < STATUSES; n += 1) mirror.told("setStatus", [`k${n}`, "x"]);
  mirror.told("setStatus", ["k0", "touched"]);
  sink.said();
  mirror.told("setStatus", ["new", "y"]);
  assert.deepEqual(statuses(sink.said()), [
    ["new", "y"],
    ["k1", null],
  ]);
  const keys = statuses(told()).map(([key]) => key);
  assert.deepEqual([keys.length, keys.includes("k0"), keys.includes("k1")], [STATUSES, true, false]);
});

test("a notification is passed on as it was called", () => {
  mirror.told("notify", ["plain"]);
  mirror.told("notify", ["bad", "error"]);
  mirror.told("notify", ["odd", "shouting"]);
  assert.deepEqual(sink.said(), [
    { type: "notification", message: "plain" },
    { type: "notification", message: "bad", notifyType: "error" },
    { type: "notification", message: "odd" },
  ]);
});

test("a notification is never told again", () => {
  mirror.told("notify", ["once"]);
  sink.said();
  mirror.tellOnce((key, make) => sink.put(key, make));
  assert.deepEqual(sink.said(), []);
});

test("NOTIFICATIONS wait for room; older ones are lost and counted", () => {
  for (let n = 0; n < NOTIFICATIONS; n += 1) mirror.told("notify", [`${n}`]);
  mirror.told("notify", ["a"]);
  mirror.told("notify", ["b"]);
  const said = sink.said();
  assert.equal(said.length, NOTIFICATIONS + 1);
  assert.deepEqual(said[0], { type: "notification", message: "2" });
  assert.deepEqual(said.find(({ type }) => type === "notice"), { type: "notice", code: "dropped", count: 2 });
});

test("long notifications wait up to NOTIFICATION_CHARS in all; one that does not fit takes the place of older ones", () => {
  const long = "x".repeat(NOTIFICATION_CHARS / 4);
  for (let n = 0; n < 4; n += 1) mirror.told("notify", [long]);
  mirror.told("notify", ["y"]);
  const said = sink.said();
  const kept = said.flatMap((message) => (message.type === "notification" ? [message.message.length] : []));
  assert.deepEqual(kept, [long.length, long.length, long.length, 1]);
  assert.deepEqual(said.find(({ type }) => type === "notice"), { type: "notice", code: "dropped", count: 1 });
});

test("a notification while nobody listens is lost without a count", () => {
  sink.hopeful = false;
  mirror.told("notify", ["unheard"]);
  sink.hopeful = true;
  mirror.tellOnce((key, make) => sink.put(key, make));
  assert.deepEqual(sink.said(), []);
  mirror.told("notify", ["waits"]);
  sink.outbox.clear();
  mirror.unheard();
  mirror.tellOnce((key, make) => sink.put(key, make));
  assert.deepEqual(sink.said(), []);
});

test("a notification that waits for the link comes with it", () => {
  mirror.told("notify", ["early"]);
  sink.outbox.clear();
  mirror.tellOnce((key, make) => sink.put(key, make));
  assert.deepEqual(sink.said(), [{ type: "notification", message: "early" }]);
});

test("a notice is told on every link", () => {
  mirror.notice("copy", { type: "notice", code: "second_copy", detail: "/x" });
  assert.equal(sink.said().length, 1);
  mirror.tellOnce((key, make) => sink.put(key, make));
  assert.equal(sink.said().length, 1);
});

test("the conversation is told when it changed, and not the first time, which hello tells", () => {
  mirror.setConversation({ id: "c", cwd: "/" });
  mirror.setConversation({ id: "c", cwd: "/" });
  assert.deepEqual(sink.said(), []);
  mirror.setConversation({ id: "c", cwd: "/", name: "n" });
  assert.deepEqual(sink.said(), [{ type: "conversation", conversation: { id: "c", cwd: "/", name: "n" } }]);
});

test("texts are cut to TEXT_BYTES", () => {
  const long = "x".repeat(TEXT_BYTES + 1);
  mirror.told("notify", [long]);
  mirror.told("setStatus", ["k", long]);
  mirror.told("setTitle", [long]);
  for (const message of sink.said()) assert.ok(JSON.stringify(message).length < TEXT_BYTES + 100);
});

test("what is forgotten is told to nobody", () => {
  mirror.told("setStatus", ["job", "x"]);
  mirror.told("setTitle", ["t"]);
  mirror.told("notify", ["n"]);
  mirror.forget();
  sink.outbox.clear();
  const [title, activity, ...rest] = told();
  mirror.tellOnce((key, make) => sink.put(key, make));
  assert.deepEqual([title, activity?.type, rest, sink.said()], [{ type: "title", title: null }, "activity", [], []]);
});
