// Promise: a link comes up when a daemon is there, again when it was lost, with pauses that grow; and Pi ends without waiting for it.
import assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import { createConnection } from "node:net";
import { afterEach, beforeEach, mock, test } from "node:test";

import { Client, type Speaker } from "../../../bridge/extension/client.ts";
import { BACKOFF_FIRST_MS, BACKOFF_MOST_MS, REFUSED_MS } from "../../../bridge/extension/limits.ts";
import type { Say } from "../../../bridge/extension/link.ts";
import type { Hello, Response } from "../../../bridge/extension/protocol.ts";
import { examine } from "../../../bridge/extension/place.ts";
import { FakeDaemon } from "./daemon_fake.ts";
import { rows } from "./fixtures.ts";

const HELLO = rows<{ message: Hello }>("bridge/messages.jsonl")[0]!.message;

class Recorder implements Speaker {
  told = 0;
  unheardTimes = 0;
  readonly responses: Response[] = [];
  hello(): Hello {
    return HELLO;
  }
  tell(say: Say): void {
    this.told += 1;
    say("title", () => ({ type: "title", title: "t" }));
  }
  tellOnce(): void {}
  respond(response: Response): void {
    this.responses.push(response);
  }
  stop(): void {}
  paired(): void {}
  viewed(): void {}
  chatted(): void {}
  acknowledged(): void {}
  unheard(): void {
    this.unheardTimes += 1;
  }
}

let daemon: FakeDaemon;
let speaker: Recorder;
let client: Client;

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  mock.method(Math, "random", () => 1);
  daemon = new FakeDaemon();
  speaker = new Recorder();
  client = new Client(daemon.paths, process.getuid?.() ?? -1, speaker);
});

afterEach(async () => {
  client.stop({ type: "bye", reason: "quit" });
  mock.reset();
  mock.timers.reset();
  await daemon.remove();
});

/** Until the client has given an attempt up; looked at after each turn of the event loop. */
async function givenUp(times: number): Promise<void> {
  while (speaker.unheardTimes < times) await new Promise((resolve) => setImmediate(resolve));
}

function problem(): string {
  return "problem" in client.standing ? client.standing.problem : "";
}

test("it connects, greets and tells", async () => {
  await daemon.listen();
  client.start();
  assert.equal(client.hopeful, true);
  await daemon.until(() => daemon.of("resync_end").length === 1);
  assert.deepEqual(daemon.heard.map(({ type }) => type), ["hello", "resync_begin", "title", "resync_end"]);
  assert.deepEqual(client.standing, { daemon: { version: "9.9", instance: "i", pid: 1 } });
});

test("without a daemon the pauses double up to BACKOFF_MOST_MS", async () => {
  client.start();
  let pause = BACKOFF_FIRST_MS;
  for (let attempt = 1; attempt < 8; attempt += 1) {
    await givenUp(attempt);
    assert.equal(client.hopeful, false);
    mock.timers.tick(pause - 1);
    assert.equal(client.hopeful, false, `too early after attempt ${attempt}`);
    mock.timers.tick(1);
    assert.equal(client.hopeful, true, `too late after attempt ${attempt}`);
    pause = Math.min(2 * pause, BACKOFF_MOST_MS);
  }
  await givenUp(8);
  assert.match(problem(), /no daemon listens/);
});

test("a pause is at least half as long as it could be", async () => {
  mock.method(Math, "random", () => 0);
  client.start();
  await givenUp(1);
  mock.timers.tick(BACKOFF_FIRST_MS / 2 - 1);
  assert.equal(client.hopeful, false);
  mock.timers.tick(1);
  assert.equal(client.hopeful, true);
});

test("a daemon that comes later is found, and one that comes back is told everything", async () => {
  client.start();
  await givenUp(1);
  await daemon.listen();
  mock.timers.tick(BACKOFF_FIRST_MS);
  await daemon.until(() => daemon.of("resync_end").length === 1);
  await daemon.stop();
  await givenUp(2);
  await daemon.listen();
  mock.timers.tick(BACKOFF_MOST_MS);
  await daemon.until(() => daemon.of("resync_end").length === 2);
  assert.equal(speaker.told, 2);
});

test("an unsafe place is not connected to, and is named", async () => {
  await daemon.listen();
  chmodSync(daemon.paths.runtimeDir, 0o755);
  client.start();
  await givenUp(1);
  assert.equal(daemon.links.length, 0);
  assert.match(problem(), /open to other users/);
});

test("a refusal is kept for /mirrord status, and the next attempt waits for REFUSED_MS", async () => {
  daemon.welcomes = false;
  await daemon.listen();
  client.start();
  await daemon.until(() => daemon.of("hello").length === 1);
  daemon.say({ type: "refused", code: "protocol_too_old", message: "type /reload" });
  await givenUp(1);
  assert.equal(problem(), "type /reload");
  mock.timers.tick(REFUSED_MS - 1);
  assert.equal(client.hopeful, false);
  mock.timers.tick(1);
  assert.equal(client.hopeful, true);
});

test("a daemon that breaks the protocol is left", async () => {
  await daemon.listen();
  client.start();
  await daemon.until(() => daemon.of("resync_end").length === 1);
  daemon.say({ type: "ack" });
  await givenUp(1);
  assert.equal(problem(), "the daemon broke the protocol (upTo)");
  await daemon.until(() => daemon.live === 0);
});

test("an answer reaches the speaker", async () => {
  await daemon.listen();
  client.start();
  await daemon.until(() => daemon.of("resync_end").length === 1);
  daemon.say({ type: "response", responseId: "r", id: "p", by: { name: "n", kind: "k" }, index: 1 });
  while (speaker.responses.length === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(speaker.responses[0]?.index, 1);
});

test("stopped, it says bye, closes, and leaves no timer", async () => {
  await daemon.listen();
  client.start();
  await daemon.until(() => daemon.of("resync_end").length === 1);
  client.stop({ type: "bye", reason: "reload" });
  await daemon.until(() => daemon.live === 0);
  assert.deepEqual(daemon.heard.at(-1), { type: "bye", seq: 5, reason: "reload" });
  mock.timers.tick(REFUSED_MS);
  assert.deepEqual([daemon.links.length, client.hopeful, speaker.unheardTimes], [1, false, 0]);
});

test("stopped while it tries, it does not connect", async () => {
  await daemon.listen();
  client.start();
  client.stop({ type: "bye", reason: "off" });
  // What was asked of the file system before has been answered when the same question asked later is.
  await new Promise((resolve) => examine(daemon.paths, 0, resolve));
  // And a connection made before this one would be accepted before it.
  const later = createConnection(daemon.paths.bridgeSocket, () => later.write("{}\n"));
  await daemon.until(() => daemon.heard.length > 0);
  later.destroy();
  assert.deepEqual([daemon.links.length, client.hopeful], [1, false]);
});

test("stopped while it waits, it does not try again", async () => {
  client.start();
  await givenUp(1);
  client.stop({ type: "bye", reason: "off" });
  mock.timers.tick(REFUSED_MS);
  assert.equal(client.hopeful, false);
});

test("its socket keeps nothing alive", async () => {
  const alive = (): number => process.getActiveResourcesInfo().filter((name) => name === "PipeWrap").length;
  await daemon.listen();
  const before = alive();
  client.start();
  await daemon.until(() => daemon.of("resync_end").length === 1);
  // The daemon's end of the link is in this process too.
  assert.equal(alive(), before + 1);
});

test("stopped, it can be started again", async () => {
  await daemon.listen();
  client.start();
  client.start();
  await daemon.until(() => daemon.of("resync_end").length === 1);
  client.stop({ type: "bye", reason: "off" });
  client.start();
  await daemon.until(() => daemon.of("resync_end").length === 2);
  assert.equal(daemon.links.length, 2);
});
