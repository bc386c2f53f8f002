/** Promise: a conversation is followed while somebody looks, drawn once a frame, begun anew where it broke, and asks for little. */

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import type { Conversation } from "../../src/chat/contract.ts";
import { STREAM_ERRORS } from "../../src/core/chat/limits.ts";
import type { ChatServerMessage } from "../../src/core/chat/messages.ts";
import { Talk } from "../../src/edge/talk.ts";
import { Talks } from "../../src/edge/talks.ts";
import type { ClientMessage, Welcome } from "../../src/protocol.ts";
import { FakeLocks, FakeShelf } from "./browser.ts";

const S = "4242-1";
const LINGER_MS = 20_000;
let frames: (() => void)[] = [];

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout"] });
  frames = [];
  Object.assign(globalThis, {
    requestAnimationFrame: (draw: () => void) => frames.push(draw),
    cancelAnimationFrame: (request: number) => (frames[request - 1] = () => {}),
  });
});

afterEach(() => {
  mock.timers.reset();
  Reflect.deleteProperty(globalThis, "requestAnimationFrame");
  Reflect.deleteProperty(globalThis, "cancelAnimationFrame");
});

interface Asked {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly give: (data: unknown) => void;
  readonly refuse: (why: string) => void;
}

/** A daemon of which each reply is given by hand. */
class FakeDaemon {
  readonly locks = new FakeLocks().of(1);
  readonly sent: ClientMessage[] = [];
  readonly asked: Asked[] = [];

  send = (message: ClientMessage): void => void this.sent.push(message);
  now = (): number => Date.now();
  request = (name: string, args: Readonly<Record<string, unknown>>): Promise<unknown> =>
    new Promise((resolve, reject) => this.asked.push({ name, args, give: resolve, refuse: (why) => reject(new Error(why)) }));

  said(): string[] {
    return this.sent.splice(0).map((message) => message.type);
  }
}

class Stage {
  readonly daemon = new FakeDaemon();
  readonly talk = new Talk(S, this.daemon, new FakeShelf());
  readonly drawn: Conversation[] = [];
  #revision = 0;

  /** A screen shows it from here on; call what is returned when it does not any more. */
  async look(): Promise<() => void> {
    const stop = this.talk.shown.subscribe((shown) => void this.drawn.push(shown));
    await settle();
    return stop;
  }

  tell(event: Readonly<Record<string, unknown>>): void {
    this.#revision += 1;
    const cursor = `a:${this.#revision}`;
    this.talk.take({ type: "chat_event", sessionId: S, cursor, revision: this.#revision, ...event } as ChatServerMessage);
  }

  get shown(): Conversation {
    return this.talk.shown.peek();
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

function draw(): void {
  for (const one of frames.splice(0)) one();
}

const MESSAGES = [{ id: "e1", entryId: "e1", parts: [{ type: "text", text: "" }] }];
const FIRST = { snapshot: { messages: MESSAGES, history: { more: true, before: "e1" } } };

/** Before any messages, and among some. */
const WRONG = { patches: [{ op: "remove", path: "/messages/0" }] };
const WRONG_NOW = { patches: [{ op: "remove", path: "/messages/9" }] };

test("it is followed while somebody looks, and a little longer", async () => {
  const stage = new Stage();
  stage.talk.met(true);
  assert.deepEqual(stage.daemon.said(), [], "nobody looks");
  const stop = await stage.look();
  assert.deepEqual(stage.daemon.said(), ["chat_subscribe"]);
  stage.tell(FIRST);
  stop();
  mock.timers.tick(LINGER_MS - 1);
  const again = await stage.look();
  mock.timers.tick(LINGER_MS);
  assert.deepEqual([stage.daemon.said(), stage.shown.rows.length], [[], 1]);
  again();
  mock.timers.tick(LINGER_MS);
  assert.deepEqual([stage.daemon.said(), stage.shown.rows.length, stage.shown.isKnown], [["chat_unsubscribe"], 0, false]);
});

test("a screen that looks away before it has looked leaves nothing followed", async () => {
  const stage = new Stage();
  stage.talk.met(true);
  stage.talk.shown.subscribe(() => {})();
  await settle();
  mock.timers.tick(LINGER_MS);
  assert.deepEqual(stage.daemon.said(), []);
});

test("each new connection is told how far this page is; in between, what is shown stays and is stale", async () => {
  const stage = new Stage();
  const stop = await stage.look();
  assert.deepEqual(stage.daemon.said(), [], "the session is not known yet");
  stage.talk.met(true);
  stage.tell(FIRST);
  stage.talk.met(true);
  assert.deepEqual(stage.daemon.said(), ["chat_subscribe"], "once a connection");
  stage.talk.lost();
  stage.tell({ appends: [] });
  assert.deepEqual([stage.shown.isStale, stage.shown.rows.length], [true, 1]);
  stage.talk.met(true);
  assert.deepEqual(stage.daemon.sent.splice(0), [{ type: "chat_subscribe", sessionId: S, since: "a:1", entryId: "e1" }]);
  stop();
});

test("however much comes in a frame is drawn once, and a page that gets no frames is drawn all the same", async () => {
  const stage = new Stage();
  stage.talk.met(true);
  const stop = await stage.look();
  stage.tell(FIRST);
  const drawn = stage.drawn.length;
  for (let word = 0; word < 20; word += 1) stage.tell({ appends: [{ message: 0, part: 0, offset: 2 * word, text: "w " }] });
  assert.equal(stage.drawn.length, drawn);
  draw();
  assert.deepEqual([stage.drawn.length, stage.shown.rows[0]?.message.parts[0]?.text], [drawn + 1, "w ".repeat(20)]);
  draw();
  mock.timers.tick(1_000);
  assert.equal(stage.drawn.length, drawn + 1);
  stage.tell({ snapshot: { streaming: true } });
  mock.timers.tick(1_000);
  assert.deepEqual([stage.drawn.length, stage.shown.streaming], [drawn + 2, true]);
  draw();
  assert.equal(stage.drawn.length, drawn + 2);
  stop();
});

test("a stream that breaks is begun anew, until there is no hope on this connection", async () => {
  const stage = new Stage();
  stage.talk.met(true);
  const stop = await stage.look();
  stage.daemon.said();
  for (let round = 0; round < STREAM_ERRORS + 3; round += 1) {
    stage.tell(WRONG);
    mock.timers.tick(LINGER_MS);
  }
  assert.equal(stage.daemon.said().length, STREAM_ERRORS);
  draw();
  assert.deepEqual(stage.shown.notices.map(({ level }) => level), ["error"]);
  stage.talk.lost();
  stage.talk.met(true);
  stage.tell(FIRST);
  assert.deepEqual([stage.daemon.said(), stage.shown.rows.length], [["chat_subscribe"], 1]);
  stop();
});

test("a stream that breaks once in a while is begun anew at once each time, and one that breaks each time is not", async () => {
  for (const [held, begun] of [[60_000, STREAM_ERRORS + 3], [0, STREAM_ERRORS]] as const) {
    const stage = new Stage();
    stage.talk.met(true);
    const stop = await stage.look();
    stage.daemon.said();
    for (let round = 0; round < STREAM_ERRORS + 3; round += 1) {
      stage.tell(FIRST);
      mock.timers.tick(held);
      stage.tell(WRONG_NOW);
      if (held === 0) mock.timers.tick(LINGER_MS);
    }
    assert.equal(stage.daemon.said().length, begun);
    stop();
    stage.talk.stop();
  }
});

test("what is still on its way of a stream that broke begins it anew once, and not each time", async () => {
  const stage = new Stage();
  stage.talk.met(true);
  const stop = await stage.look();
  stage.tell(FIRST);
  stage.daemon.said();
  for (let frame = 0; frame < 50; frame += 1) stage.tell(frame === 0 ? WRONG_NOW : WRONG);
  assert.deepEqual(stage.daemon.said(), ["chat_subscribe"]);
  mock.timers.tick(LINGER_MS);
  assert.deepEqual(stage.daemon.said(), ["chat_subscribe"]);
  stage.tell(FIRST);
  draw();
  assert.deepEqual([stage.shown.isStale, stage.shown.notices], [false, []]);
  stage.tell(WRONG_NOW);
  stage.tell(WRONG_NOW);
  stage.talk.lost();
  mock.timers.tick(LINGER_MS);
  assert.deepEqual(stage.daemon.said(), [], "there is no connection");
  stop();
});

test("a daemon that tells no conversations is sent nothing, and the page says what to do", async () => {
  const stage = new Stage();
  const stop = await stage.look();
  stage.talk.met(false);
  assert.deepEqual([stage.daemon.said(), stage.shown.readOnly], [[], true]);
  assert.match(stage.shown.readOnlyReason ?? "", /too old/);
  stop();
});

test("older messages are fetched one page at a time, and why they do not come is told", async () => {
  const stage = new Stage();
  stage.talk.met(true);
  const stop = await stage.look();
  stage.talk.actions.loadOlder();
  assert.equal(stage.daemon.asked.length, 0, "nothing is known yet");
  stage.tell(FIRST);
  stage.talk.actions.loadOlder();
  stage.talk.actions.loadOlder();
  const [asked, ...more] = stage.daemon.asked.splice(0);
  assert.deepEqual([asked?.name, asked?.args, more], ["chat_history", { sessionId: S, before: "e1", limit: 100 }, []]);
  asked?.refuse("mirrord did not answer in time. Try again.");
  await settle();
  assert.deepEqual(stage.shown.older, { kind: "failed", why: "mirrord did not answer in time. Try again." });
  stage.talk.actions.loadOlder();
  stage.daemon.asked.splice(0)[0]?.give({ messages: [{ id: "e0", entryId: "e0" }], more: false, before: null });
  await settle();
  assert.deepEqual([stage.shown.rows.map(({ key }) => key), stage.shown.older], [["e0", "e1"], { kind: "none" }]);
  stop();
});

test("slash commands are asked for once, again after a reload of Pi, and after a failure", async () => {
  const stage = new Stage();
  stage.talk.met(true);
  const stop = await stage.look();
  stage.tell(FIRST);
  const first = stage.talk.actions.slashCommands();
  stage.daemon.asked.splice(0)[0]?.give({ commands: [{ name: "plant" }] });
  assert.deepEqual(await first, [{ name: "plant" }]);
  assert.deepEqual([await stage.talk.actions.slashCommands(), stage.daemon.asked.length], [[{ name: "plant" }], 0]);
  stage.tell({ ...FIRST, boundary: "reload" });
  draw();
  const failed = stage.talk.actions.slashCommands();
  stage.daemon.asked.splice(0)[0]?.refuse("The terminal's extension does not know this action.");
  assert.deepEqual(await failed, []);
  void stage.talk.actions.slashCommands();
  assert.equal(stage.daemon.asked.length, 1);
  stop();
});

test("what a person does goes to this session, and resolves to nothing but what was asked for", async () => {
  const stage = new Stage();
  const { actions } = stage.talk;
  const all = [
    actions.stop(),
    actions.setModel({ provider: "p", id: "m", name: "M" }),
    actions.setThinkingLevel("high"),
    actions.command("compact", { instructions: "Keep the beds.", sessionId: "another" }),
  ];
  assert.deepEqual(
    stage.daemon.asked.map(({ name, args }) => [name, args]),
    [
      ["stop_turn", { sessionId: S }],
      ["set_model", { provider: "p", id: "m", sessionId: S }],
      ["set_thinking_level", { level: "high", sessionId: S }],
      ["compact", { instructions: "Keep the beds.", sessionId: S }],
    ],
  );
  for (const { give } of stage.daemon.asked) give({ ok: 1 });
  assert.deepEqual(await Promise.all(all), [undefined, undefined, undefined, { ok: 1 }]);
});

test("who submits something is told whether it goes out", () => {
  const stage = new Stage();
  assert.equal(stage.talk.actions.submit("prompt", "Plant tulips"), false, "there is no connection");
  stage.talk.met(true);
  assert.equal(stage.talk.actions.submit("prompt", "Plant roses"), true);
  assert.deepEqual(stage.shown.turns.map(({ text, stage: at }) => `${text}: ${at}`), ["Plant tulips: rejected", "Plant roses: sending"]);
});

test("over a new connection the daemon is asked what became of turns that may have acted", async () => {
  const stage = new Stage();
  stage.talk.met(true);
  stage.talk.actions.submit("prompt", "Plant tulips");
  assert.deepEqual([stage.daemon.said(), stage.shown.turns.map(({ stage: at }) => at)], [["chat_action"], ["sending"]]);
  const [{ id } = assert.fail()] = stage.shown.turns;
  stage.talk.take({ type: "receipt", sessionId: S, clientTurnId: id, stage: "unknown" });
  stage.talk.lost();
  stage.talk.met(true);
  const [asked] = stage.daemon.asked;
  assert.deepEqual([asked?.name, asked?.args], ["chat_receipts", { sessionId: S, clientTurnIds: [id] }]);
  asked?.give({ receipts: [{ clientTurnId: id, stage: "consumed", at: 1 }] });
  await settle();
  assert.equal(stage.shown.turns.length, 0);
});

test("what an earlier load of the page left open is sent although nobody looks at its session", async () => {
  Object.assign(globalThis, { addEventListener: () => {} });
  const shelf = new FakeShelf();
  const before = new FakeDaemon();
  const crashed = new Talk(S, before, shelf);
  crashed.met(true);
  crashed.actions.submit("prompt", "Plant tulips");
  crashed.stop();

  const daemon = new FakeDaemon();
  const ending = new AbortController();
  const talks = new Talks(daemon, shelf);
  talks.start(ending.signal);
  await settle();
  const welcome = { capabilities: ["mirrord:chat:v1", "mirrord:chat:v1:appends"], sessions: [{ sessionId: S }, { sessionId: "other" }] };
  talks.welcomed(welcome as unknown as Welcome);
  assert.deepEqual(daemon.said(), ["chat_action"]);
  talks.lost();
  talks.met(S);
  assert.deepEqual(daemon.said(), ["chat_action"], "a session that a new daemon meets later");
  talks.gone(S);
  talks.take({ type: "chat_event", sessionId: S } as ChatServerMessage);
  assert.equal(talks.of(S).shown.peek().isStale, true);
  ending.abort();
  Reflect.deleteProperty(globalThis, "addEventListener");
});

test("of a session that is gone nothing stays in memory, unless somebody looks at it or has sent something", async () => {
  const talks = new Talks(new FakeDaemon(), undefined);
  talks.welcomed({ capabilities: ["mirrord:chat:v1", "mirrord:chat:v1:appends"], sessions: [] } as unknown as Welcome);
  const [left, watched, sending] = ["1-1", "2-2", "3-3"].map((sessionId) => (talks.met(sessionId), talks.of(sessionId)));
  const stop = watched?.shown.subscribe(() => {});
  sending?.actions.submit("prompt", "Plant tulips");
  await settle();
  for (const sessionId of ["1-1", "2-2", "3-3"]) talks.gone(sessionId);
  assert.deepEqual([talks.of("1-1") === left, talks.of("2-2") === watched, talks.of("3-3") === sending], [false, true, true]);
  stop?.();
});
