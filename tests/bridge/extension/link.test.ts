// Promise: the extension keeps its side of docs/bridge.md on every link: greeting, numbers, resync, acknowledgements, liveness, room.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";

import type { ChatIncoming } from "../../../bridge/extension/chat_protocol.ts";
import { DEAD_SECONDS, FRAME_BYTES, HELLO_SECONDS, PING_SECONDS, ROOM_BYTES, WAITING } from "../../../bridge/extension/limits.ts";
import { Link, type Party, type Say, type Wire } from "../../../bridge/extension/link.ts";
import type { Hello, Outgoing, PairMessage, Response, ScreenView, Stop } from "../../../bridge/extension/protocol.ts";
import { rows, source, type Message } from "./fixtures.ts";

type Step = { about: string } | { link: string } | { dir: ">" | "<"; message: Message };

const CONVERSATIONS = readdirSync(new URL("../../../fixtures/bridge/conversations/", import.meta.url));
const HELLO = rows<{ message: Hello }>("bridge/messages.jsonl")[0]!.message;
const WELCOME = { type: "welcome", protocol: 1, daemon: { version: "0.1.0", instance: "i", pid: 99 }, now: 0 };

/** A wire that keeps what is written, and a party that says what it is given. */
class Stage implements Wire, Party {
  readonly written: Message[] = [];
  readonly closed: string[] = [];
  readonly responses: Response[] = [];
  readonly stops: Stop[] = [];
  readonly codes: PairMessage[] = [];
  readonly views: ScreenView[] = [];
  readonly chatting: ChatIncoming[] = [];
  readonly acked: string[] = [];
  refusal: string | undefined;
  backlog = 0;
  greeting: Hello = HELLO;
  truth: Outgoing[] = [];
  once: Outgoing[] = [];
  readonly link = new Link(this, this, 0);
  private seq = 0;

  write(line: string): void {
    this.written.push(JSON.parse(line) as Message);
  }
  waiting(): number {
    return this.backlog;
  }
  welcomed(): void {}
  refused({ message }: { message: string }): void {
    this.refusal = message;
  }
  close(why: string): void {
    this.closed.push(why);
  }
  hello(): Hello {
    return this.greeting;
  }
  tell(say: Say): void {
    for (const [at, message] of this.truth.entries()) say(`truth:${at}`, () => message);
  }
  tellOnce(say: Say): void {
    for (const [at, message] of this.once.entries()) say(`once:${at}`, () => message);
  }
  respond(response: Response): void {
    this.responses.push(response);
  }
  stop(stop: Stop): void {
    this.stops.push(stop);
  }
  viewed(view: ScreenView): void {
    this.views.push(view);
  }
  paired(message: PairMessage): void {
    this.codes.push(message);
  }
  chatted(message: ChatIncoming): void {
    this.chatting.push(message);
  }
  acknowledged(ids: readonly string[]): void {
    this.acked.push(...ids);
  }

  /** The daemon says something; `seq` is the next one unless it is given. */
  hear(message: object, now = 0): void {
    this.seq += 1;
    this.link.receive(Buffer.from(`${JSON.stringify({ seq: this.seq, ...message })}\n`), now);
  }

  /** Whether the link has passed the greeting and the resync. */
  start(): this {
    this.link.greet();
    this.hear(WELCOME);
    return this;
  }
}

function types(stage: Stage): string[] {
  return stage.written.map(({ type }) => type);
}

/** The messages that the extension says on its own from `from` to the next thing the daemon says. */
function burst(steps: readonly Step[], from: number): Message[] {
  const said: Message[] = [];
  for (const step of steps.slice(from)) {
    if (!("dir" in step) || step.dir === "<") break;
    said.push(step.message);
  }
  return said;
}

function body({ seq: _seq, ...rest }: Message): Outgoing {
  return rest as unknown as Outgoing;
}

/** Plays a conversation: the fixture is the daemon and the party, the link in between must write what the fixture shows. */
function play(steps: readonly Step[]): void {
  let stage = new Stage();
  let expected: Message[] = [];
  const end = (): void => assert.deepEqual(stage.written, expected);
  for (const [at, step] of steps.entries()) {
    if ("about" in step) continue;
    if ("link" in step) {
      end();
      stage = new Stage();
      expected = [];
      continue;
    }
    const { dir, message } = step;
    if (dir === "<") {
      const next = burst(steps, at + 1);
      const inside = next.findIndex(({ type }) => type === "resync_end");
      if (next[0]?.type === "resync_begin") stage.truth = next.slice(1, inside).map(body);
      stage.link.receive(Buffer.from(`${JSON.stringify(message)}\n`), 0);
      continue;
    }
    expected.push(message);
    if (message.type === "hello") {
      stage.greeting = message as unknown as Hello;
      stage.link.greet();
    } else if (expected.length > stage.written.length) {
      if (message.type === "bye") stage.link.finish(body(message) as never);
      else stage.link.put(`${at}`, () => body(message));
    }
  }
  end();
}

for (const name of CONVERSATIONS) {
  const steps = rows<Step>(`bridge/conversations/${name}`);
  const [first] = steps;
  test(`${name}: ${first !== undefined && "about" in first ? first.about : ""}`, () => play(steps));
}

test("nothing but hello is said before the welcome", () => {
  const stage = new Stage();
  stage.link.greet();
  stage.link.put("title", () => ({ type: "title", title: "x" }));
  assert.deepEqual(types(stage), ["hello"]);
});

test("a refusal is kept and ends the link", () => {
  const stage = new Stage();
  stage.link.greet();
  stage.hear({ type: "refused", code: "busy", message: "too many" });
  assert.deepEqual([stage.refusal, stage.closed], ["too many", ["refused"]]);
});

test("a protocol that was not offered ends the link", () => {
  for (const protocol of [0, 2]) {
    const stage = new Stage();
    stage.link.greet();
    stage.hear({ ...WELCOME, protocol });
    assert.deepEqual(stage.closed, [`the daemon broke the protocol (protocol ${protocol})`]);
  }
});

test("anything but welcome or refused first, and a second welcome, end the link", () => {
  for (const message of [{ type: "ack", upTo: 1 }, { type: "resync" }, { type: "ping", n: 1 }]) {
    const stage = new Stage();
    stage.link.greet();
    stage.hear(message);
    assert.equal(stage.closed.length, 1, message.type);
  }
  const stage = new Stage().start();
  stage.hear(WELCOME);
  assert.equal(stage.closed.length, 1);
});

test("a number out of turn ends the link, and what it brings is not heard", () => {
  for (const seq of [1, 3, 0]) {
    const stage = new Stage().start();
    stage.hear({ type: "response", seq, responseId: "r", id: "p", by: { name: "n", kind: "k" }, index: 0 });
    assert.deepEqual([stage.closed.length, stage.responses.length], [1, 0]);
  }
});

test("messages of an unknown type count in the numbering", () => {
  const stage = new Stage().start();
  stage.hear({ type: "later", x: 1 });
  stage.hear({ type: "ping", n: 7 });
  assert.deepEqual([stage.closed, stage.written.at(-1)], [[], { type: "pong", seq: 4, n: 7 }]);
});

test("what is told once comes after the resync", () => {
  const stage = new Stage();
  stage.truth = [{ type: "title", title: "t" }];
  stage.once = [{ type: "notice", code: "dropped", count: 1 }];
  stage.start();
  assert.deepEqual(types(stage), ["hello", "resync_begin", "title", "resync_end", "notice"]);
});

test("an acknowledgement covers the settlements up to its number, each once", () => {
  const stage = new Stage().start();
  const settled = (id: string): Outgoing => ({ type: "prompt_settled", id, outcome: "cancelled", winner: "terminal", at: 0 });
  for (const id of ["a", "b", "c"]) stage.link.put(id, () => settled(id));
  stage.hear({ type: "ack", upTo: 5 });
  assert.deepEqual(stage.acked, ["a", "b"]);
  stage.hear({ type: "ack", upTo: 99 });
  assert.deepEqual(stage.acked, ["a", "b", "c"]);
});

test("while the socket is full nothing is made, and then each key once with its last value", () => {
  const stage = new Stage().start();
  stage.backlog = ROOM_BYTES;
  let text = "first";
  stage.link.put("status:job", () => ({ type: "status", key: "job", text }));
  stage.link.put("title", () => ({ type: "title", title: "t" }));
  text = "last";
  stage.link.put("status:job", () => ({ type: "status", key: "job", text }));
  assert.deepEqual(types(stage), ["hello", "resync_begin", "resync_end"]);
  stage.backlog = ROOM_BYTES - 1;
  stage.link.flush();
  assert.deepEqual(stage.written.slice(3), [
    { type: "status", seq: 4, key: "job", text: "last" },
    { type: "title", seq: 5, title: "t" },
  ]);
});

test("a resync takes back what waits and tells it anew", () => {
  const stage = new Stage().start();
  stage.truth = [{ type: "title", title: "t" }];
  stage.backlog = ROOM_BYTES;
  stage.link.put("truth:0", () => ({ type: "title", title: "t" }));
  stage.hear({ type: "resync" });
  stage.backlog = 0;
  stage.link.flush();
  assert.deepEqual(types(stage).slice(3), ["resync_begin", "title", "resync_end"]);
});

test("a message that fits no frame is replaced by a notice and the link stays", () => {
  const stage = new Stage().start();
  stage.link.put("n", () => ({ type: "notification", message: "x".repeat(FRAME_BYTES) }));
  assert.deepEqual(stage.written.at(-1), { type: "notice", seq: 4, code: "too_large", detail: "notification" });
  assert.deepEqual(stage.closed, []);
});

test("a daemon that makes more wait than all state together has is let go", () => {
  const stage = new Stage().start();
  stage.backlog = ROOM_BYTES;
  for (let n = 0; n < WAITING; n += 1) stage.link.put(`${n}`, () => undefined);
  assert.deepEqual(stage.closed, []);
  stage.link.put("one more", () => undefined);
  assert.deepEqual(stage.closed, ["the daemon does not read"]);
});

test("a daemon that does not greet is left after HELLO_SECONDS", () => {
  const stage = new Stage();
  stage.link.greet();
  stage.link.tick(HELLO_SECONDS - 0.1);
  assert.deepEqual(stage.closed, []);
  stage.link.tick(HELLO_SECONDS);
  assert.equal(stage.closed.length, 1);
});

test("silence is asked about once after PING_SECONDS and left after DEAD_SECONDS", () => {
  const stage = new Stage().start();
  stage.link.tick(PING_SECONDS - 0.1);
  assert.equal(stage.written.length, 3);
  stage.link.tick(PING_SECONDS);
  stage.link.tick(PING_SECONDS + 1);
  assert.deepEqual(stage.written.slice(3), [{ type: "ping", seq: 4, n: 4 }]);
  stage.hear({ type: "pong", n: 4 }, PING_SECONDS + 2);
  stage.link.tick(PING_SECONDS + 2 + DEAD_SECONDS - 0.1);
  assert.deepEqual(stage.closed, []);
  stage.link.tick(PING_SECONDS + 2 + DEAD_SECONDS);
  assert.deepEqual(stage.closed, ["the daemon fell silent"]);
});

test("bye is the last word", () => {
  const stage = new Stage().start();
  stage.link.finish({ type: "bye", reason: "quit" });
  stage.link.put("title", () => ({ type: "title", title: "t" }));
  assert.deepEqual(stage.written.at(-1), { type: "bye", seq: 4, reason: "quit" });
});

test("the link has no socket, no timer and no clock of its own", () => {
  assert.doesNotMatch(source("bridge/extension/link.ts"), /node:|Date\.|performance|setTimeout|setInterval/);
});

test("pieces of a text are joined before the response is handed on, and belong to their link", () => {
  const part = (stage: Stage, at: number, text: string): void => stage.hear({ type: "response_part", responseId: "r", part: at, parts: 2, text });
  const response = { type: "response", responseId: "r", id: "p", by: { name: "n", kind: "k" }, parts: 2 };
  const stage = new Stage().start();
  part(stage, 0, "line one\r\n");
  part(stage, 1, "line 🍎");
  stage.hear(response);
  assert.partialDeepStrictEqual(stage.responses[0], { text: "line one\r\nline 🍎" });
  assert.equal(stage.responses[0]?.parts, undefined);
  part(stage, 1, "alone");
  stage.hear(response);
  assert.partialDeepStrictEqual(stage.responses[1], { parts: 2 });
  assert.equal(stage.responses[1]?.text, undefined);
  assert.deepEqual(stage.closed, []);
});

test("a stop is handed on", () => {
  const stage = new Stage().start();
  stage.hear({ type: "stop", requestId: "s", by: { name: "n", kind: "k" } });
  assert.deepEqual(stage.stops, [{ type: "stop", requestId: "s", by: { name: "n", kind: "k" } }]);
});
