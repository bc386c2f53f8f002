// Promise: a remote that comes at any time learns what is true now; what is told once is told once, and lost ones are counted.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { failures } from "../../../bridge/extension/guard.ts";
import { GAVE_WAY_MS, NOTIFICATION_CHARS, NOTIFICATIONS, NOTIFICATIONS_AT_ONCE, STATUSES, TEXT_BYTES, UPDATE_MS } from "../../../bridge/extension/limits.ts";
import { Mirror } from "../../../bridge/extension/mirror.ts";
import type { Outgoing } from "../../../bridge/extension/protocol.ts";
import { BoardStage } from "./board_stage.ts";

let stage: BoardStage;
let mirror: Mirror;

beforeEach(() => {
  stage = new BoardStage();
  mirror = new Mirror(stage, stage.board, stage.sources);
});

afterEach(() => stage.end());

/** A call of `ctx.ui`. */
function told(method: string, args: unknown[]): void {
  mirror.step(method, args)?.done();
}

/** What a daemon that comes now is told. */
function resynced(): Outgoing[] {
  return stage.resynced(mirror.states(), (say) => mirror.tell(say));
}

/** What is told once, to a daemon that comes now. */
function once(): Outgoing[] {
  mirror.tellOnce((key, make) => stage.put(key, make));
  return stage.said();
}

function statuses(messages: Outgoing[]): [string, string | null][] {
  return messages.flatMap((message) => (message.type === "status" ? [[message.key, message.text] as [string, string | null]] : []));
}

test("statuses, title and activity are there for whoever comes later", () => {
  told("setStatus", ["job", "building"]);
  told("setStatus", ["gone", "x"]);
  told("setStatus", ["gone", undefined]);
  told("setTitle", ["hello"]);
  mirror.setActivity(true, "turn_start");
  stage.said();
  const [status, title, activity, ...rest] = resynced();
  assert.deepEqual(status, { type: "status", key: "job", text: "building" });
  assert.deepEqual(title, { type: "title", title: "hello" });
  assert.partialDeepStrictEqual(activity, { type: "activity", working: true, cause: "resync" });
  assert.deepEqual(rest, []);
});

test("where nothing was said, the title is null and the agent rests", () => {
  const [title, activity] = resynced();
  assert.deepEqual(title, { type: "title", title: null });
  assert.partialDeepStrictEqual(activity, { type: "activity", working: false, cause: "resync" });
});

test("a status that is cleared is told as null", () => {
  told("setStatus", ["job", "x"]);
  stage.said();
  stage.pass(UPDATE_MS);
  told("setStatus", ["job", undefined]);
  assert.deepEqual(stage.said(), [{ type: "status", key: "job", text: null }]);
});

test("of STATUSES and one more keys the oldest untouched gives way, and is told so", () => {
  for (let n = 0; n < STATUSES; n += 1) told("setStatus", [`k${n}`, "x"]);
  told("setStatus", ["k0", "touched"]);
  stage.said();
  stage.pass(UPDATE_MS);
  told("setStatus", ["new", "y"]);
  const said = stage.said();
  assert.deepEqual(statuses(said), [
    ["new", "y"],
    ["k1", null],
  ]);
  assert.deepEqual(said.at(-1), { type: "notice", code: "gave_way", detail: "status", count: 1 });
  const keys = statuses(resynced()).map(([key]) => key);
  assert.deepEqual([keys.length, keys.includes("k0"), keys.includes("k1")], [STATUSES, true, false]);
});

test("how many keys gave way is counted, and said rarely; a key that no daemon has heard of is not cleared", () => {
  for (let n = 0; n < 10 * STATUSES; n += 1) told("setStatus", [`k${n}`, "x"]);
  const said = stage.said();
  assert.deepEqual(statuses(said).map(([, text]) => text), Array(STATUSES).fill("x"));
  assert.equal(stage.said().length, 0);
  stage.pass(GAVE_WAY_MS);
  assert.deepEqual(stage.said(), [{ type: "notice", code: "gave_way", detail: "status", count: 9 * STATUSES }]);
});

test("of a thousand changes of a status and a title in a second a daemon hears 20 of each, and the last", () => {
  let heard: Outgoing[] = [];
  for (let n = 0; n < 1_000; n += 1) {
    told("setStatus", ["job", `${n}`]);
    told("setTitle", [`${n}`]);
    stage.pass(1);
    heard = [...heard, ...stage.said()];
  }
  stage.pass(UPDATE_MS);
  heard = [...heard, ...stage.said()];
  assert.deepEqual([statuses(heard).length, heard.length, statuses(heard).at(-1)], [21, 42, ["job", "999"]]);
});

test("a status that is set as it is, or that comes back to what it was, is not told", () => {
  told("setStatus", ["job", "x"]);
  stage.said();
  told("setStatus", ["job", "y"]);
  told("setStatus", ["job", "x"]);
  stage.pass(2 * UPDATE_MS);
  told("setStatus", ["job", "x"]);
  assert.deepEqual(stage.said(), []);
});

test("who set or gave it is told with it", () => {
  stage.source = "plan-mode";
  told("setStatus", ["job", "x"]);
  told("setTitle", ["t"]);
  told("notify", ["n"]);
  assert.deepEqual(stage.said(), [
    { type: "status", key: "job", text: "x", source: "plan-mode" },
    { type: "title", title: "t", source: "plan-mode" },
    { type: "notification", message: "n", source: "plan-mode" },
  ]);
});

test("a notification is passed on as it was called", () => {
  told("notify", ["plain"]);
  told("notify", ["bad", "error"]);
  told("notify", ["odd", "shouting"]);
  assert.deepEqual(stage.said(), [
    { type: "notification", message: "plain" },
    { type: "notification", message: "bad", notifyType: "error" },
    { type: "notification", message: "odd" },
  ]);
});

test("a notification is never told again", () => {
  told("notify", ["once"]);
  stage.said();
  assert.deepEqual(once(), []);
});

test("NOTIFICATIONS wait for room; older ones are lost and counted", () => {
  for (let n = 0; n < NOTIFICATIONS; n += 1) told("notify", [`${n}`]);
  told("notify", ["a"]);
  told("notify", ["b"]);
  let said: Outgoing[] = [];
  for (let turn = 0; turn <= NOTIFICATIONS / NOTIFICATIONS_AT_ONCE; turn += 1) {
    const now = stage.said();
    assert.ok(now.length <= NOTIFICATIONS_AT_ONCE + 1);
    said = [...said, ...now];
    stage.pass(UPDATE_MS);
  }
  assert.equal(said.length, NOTIFICATIONS + 1);
  assert.deepEqual(said[0], { type: "notification", message: "2" });
  assert.deepEqual(said.find(({ type }) => type === "notice"), { type: "notice", code: "dropped", count: 2 });
});

test("those that go on later are never asked for while others are being told", () => {
  const said: Outgoing[] = [];
  let hasRoom = false;
  const flush = (): void => {
    for (let next = hasRoom ? stage.outbox.next() : undefined; next !== undefined; next = stage.outbox.next()) said.push(next);
  };
  const put = stage.put.bind(stage);
  stage.put = (key, make) => (put(key, make), flush());
  failures.clear();
  for (let n = 0; n < 2 * NOTIFICATIONS_AT_ONCE; n += 1) told("notify", [`${n}`]);
  stage.pass(UPDATE_MS);
  hasRoom = true;
  flush();
  assert.equal(said.length, NOTIFICATIONS_AT_ONCE);
  stage.pass(UPDATE_MS);
  assert.deepEqual([said.length, failures.size], [2 * NOTIFICATIONS_AT_ONCE, 0]);
});

test("long notifications wait up to NOTIFICATION_CHARS in all; one that does not fit takes the place of older ones", () => {
  const long = "x".repeat(NOTIFICATION_CHARS / 4);
  for (let n = 0; n < 4; n += 1) told("notify", [long]);
  told("notify", ["y"]);
  const said = stage.said();
  const kept = said.flatMap((message) => (message.type === "notification" ? [message.message.length] : []));
  assert.deepEqual(kept, [long.length, long.length, long.length, 1]);
  assert.deepEqual(said.find(({ type }) => type === "notice"), { type: "notice", code: "dropped", count: 1 });
});

test("a notification while nobody listens is lost without a count", () => {
  stage.hopeful = false;
  told("notify", ["unheard"]);
  stage.hopeful = true;
  assert.deepEqual(once(), []);
  told("notify", ["waits"]);
  stage.outbox.clear();
  mirror.unheard();
  assert.deepEqual(once(), []);
});

test("a notification that waits for the link comes with it", () => {
  told("notify", ["early"]);
  stage.outbox.clear();
  assert.deepEqual(once(), [{ type: "notification", message: "early" }]);
});

test("a notice is told on every link", () => {
  mirror.notice("copy", { type: "notice", code: "second_copy", detail: "/x" });
  assert.equal(stage.said().length, 1);
  assert.equal(once().length, 1);
});

test("the conversation is told when it changed, and not the first time, which hello tells", () => {
  mirror.setConversation({ id: "c", cwd: "/" });
  mirror.setConversation({ id: "c", cwd: "/" });
  assert.deepEqual(stage.said(), []);
  mirror.setConversation({ id: "c", cwd: "/", name: "n" });
  assert.deepEqual(stage.said(), [{ type: "conversation", conversation: { id: "c", cwd: "/", name: "n" } }]);
});

test("texts are cut to TEXT_BYTES", () => {
  const long = "x".repeat(TEXT_BYTES + 1);
  told("notify", [long]);
  told("setStatus", ["k", long]);
  told("setTitle", [long]);
  for (const message of stage.said()) assert.ok(JSON.stringify(message).length < TEXT_BYTES + 100);
});

test("what is forgotten is told to nobody", () => {
  told("setStatus", ["job", "x"]);
  told("setTitle", ["t"]);
  told("notify", ["n"]);
  mirror.forget();
  stage.outbox.clear();
  const [title, activity, ...rest] = resynced();
  assert.deepEqual([title, activity?.type, rest, once()], [{ type: "title", title: null }, "activity", [], []]);
});
