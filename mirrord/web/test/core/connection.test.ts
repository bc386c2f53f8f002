/** Promise: one connection, made again by itself after whatever ended it, and a socket that only looks open is found out. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { MOST_MS, STABLE_MS, waitFor } from "../../src/core/backoff.ts";
import {
  handle,
  NEW,
  nextAt,
  OPEN_MS,
  PROBE_MS,
  QUIET_MS,
  TOKEN_SPARE_MS,
  type Command,
  type Connection,
  type Event,
} from "../../src/core/connection.ts";

const TOKEN = { token: "mrs_1", endsAt: 900_000 };

/** A connection, the commands it gave, and a clock that the test moves. */
class Played {
  connection: Connection = NEW;
  now = 0;
  commands: Command[] = [];

  /** What the event led to. */
  tell(event: Event): readonly Command[] {
    const step = handle(this.connection, event, this.now, 0);
    this.connection = step.connection;
    this.commands.push(...step.commands);
    return step.commands;
  }

  /** Time goes on until the next thing is due. */
  wait(): readonly Command[] {
    const due = nextAt(this.connection);
    assert.ok(due !== undefined, "nothing is due");
    this.now = Math.max(this.now, due);
    return this.tell({ type: "tick" });
  }

  get attempt(): number {
    return this.connection.attempt;
  }

  get kind(): string {
    return this.connection.phase.kind;
  }

  open(): this {
    this.tell({ type: "proved", attempt: this.attempt, token: TOKEN });
    this.tell({ type: "welcomed", attempt: this.attempt });
    return this;
  }

  close(code: number, reason = ""): readonly Command[] {
    return this.tell({ type: "closed", attempt: this.attempt, code, reason });
  }
}

function live(): Played {
  const played = new Played();
  played.tell({ type: "start" });
  return played.open();
}

test("it proves who it is, opens the socket with the token, and is live when welcomed", () => {
  const played = new Played();
  assert.deepEqual(played.tell({ type: "start" }), [{ type: "prove", attempt: 1 }]);
  assert.deepEqual(played.tell({ type: "proved", attempt: 1, token: TOKEN }), [{ type: "open", attempt: 1, token: "mrs_1" }]);
  assert.equal(played.kind, "opening");
  played.tell({ type: "welcomed", attempt: 1 });
  assert.equal(played.kind, "live");
});

test("a closed connection is made again with the token that is still good", () => {
  const played = live();
  assert.deepEqual(played.close(1006), [{ type: "abandon", attempt: 1 }]);
  assert.equal(played.kind, "waiting");
  assert.deepEqual(played.wait(), [{ type: "open", attempt: 2, token: "mrs_1" }]);
});

test("a token that ends soon is not used again", () => {
  const played = live();
  played.now = TOKEN.endsAt - TOKEN_SPARE_MS;
  played.close(1006);
  assert.deepEqual(played.wait(), [{ type: "prove", attempt: 2 }]);
});

test("a socket that was refused gets a new token", () => {
  const played = new Played();
  played.tell({ type: "start" });
  played.tell({ type: "proved", attempt: 1, token: TOKEN });
  played.close(1006);
  assert.deepEqual(played.wait(), [{ type: "prove", attempt: 2 }]);
});

for (const [code, reason] of [
  [1001, "the daemon stops"],
  [1006, ""],
  [1008, "no hello"],
  [1011, "keepalive ping timeout"],
  [1013, "slow: pending"],
  [4000, "of a later daemon"],
] as const) {
  test(`close code ${code} is followed by another try`, () => {
    const played = live();
    played.close(code, reason);
    assert.equal(played.kind, "waiting");
    assert.equal(played.wait().length, 1);
  });
}

test("a revoked device stops, says so, and tries nothing more", () => {
  const played = live();
  played.close(1008, "revoked");
  assert.deepEqual(played.connection.phase, { kind: "stopped", reason: "revoked" });
  assert.equal(nextAt(played.connection), undefined);
  assert.deepEqual(played.tell({ type: "woke" }), []);
});

test("a daemon that is not the one that was paired with, an unknown device and an older protocol stop it", () => {
  for (const reason of ["not_genuine", "revoked", "no_crypto"] as const) {
    const played = new Played();
    played.tell({ type: "start" });
    played.tell({ type: "not_proved", attempt: 1, reason });
    assert.deepEqual(played.connection.phase, { kind: "stopped", reason });
  }
  const played = live();
  played.tell({ type: "protocol", attempt: 1, detail: "Update mirrord." });
  assert.deepEqual(played.connection.phase, { kind: "stopped", reason: "protocol", detail: "Update mirrord." });
});

test("waits double up to a bound while nothing answers, and start anew after a connection that stood", () => {
  const played = new Played();
  played.tell({ type: "start" });
  const waits: number[] = [];
  for (let failure = 0; failure < 8; failure += 1) {
    played.tell({ type: "not_proved", attempt: played.attempt, reason: "unreachable" });
    waits.push((nextAt(played.connection) ?? 0) - played.now);
    played.wait();
  }
  assert.deepEqual(waits, [125, 250, 500, 1000, 2000, 2500, 2500, 2500]);
  played.open();
  played.now += STABLE_MS;
  played.close(1006);
  assert.equal((nextAt(played.connection) ?? 0) - played.now, 125);
});

test("connections that are cut at once are not made in a tight loop", () => {
  const played = live();
  const begun = played.now;
  for (let cut = 0; cut < 20; cut += 1) {
    played.close(1006);
    played.wait();
    played.open();
  }
  assert.ok(played.now - begun > 20_000);
});

test("chance spreads the waits and never lengthens them past the bound", () => {
  for (const chance of [0, 0.5, 0.999]) {
    for (let failures = 0; failures < 60; failures += 1) {
      const wait = waitFor(failures, chance);
      assert.ok(wait > 0 && wait <= MOST_MS);
    }
  }
});

test("waking while it waits tries at once", () => {
  const played = live();
  played.close(1006);
  assert.equal(played.tell({ type: "woke" })[0]?.type, "open");
});

test("waking on a socket that looks open asks it, and trusts it when anything is heard", () => {
  const played = live();
  assert.deepEqual(played.tell({ type: "woke" }), [{ type: "probe", attempt: 1 }]);
  assert.deepEqual(played.tell({ type: "woke" }), [], "one question at a time");
  played.tell({ type: "heard", attempt: 1 });
  assert.equal(played.kind, "live");
  assert.equal(nextAt(played.connection), played.now + QUIET_MS);
});

test("a socket that looks open and does not answer is replaced at once", () => {
  const played = live();
  played.tell({ type: "woke" });
  assert.equal(nextAt(played.connection), played.now + PROBE_MS);
  assert.deepEqual(played.wait(), [
    { type: "abandon", attempt: 1 },
    { type: "open", attempt: 2, token: "mrs_1" },
  ]);
});

test("silence is asked about, also without a wake", () => {
  const played = live();
  assert.deepEqual(played.wait(), [{ type: "probe", attempt: 1 }]);
  assert.equal(played.now, QUIET_MS);
});

test("proving and opening end at their deadlines", () => {
  const played = new Played();
  played.tell({ type: "start" });
  assert.deepEqual(played.wait(), [{ type: "abandon", attempt: 1 }]);
  assert.equal(played.now, OPEN_MS);
  played.wait();
  played.tell({ type: "proved", attempt: played.attempt, token: TOKEN });
  assert.deepEqual(played.wait(), [{ type: "abandon", attempt: 2 }]);
  assert.deepEqual(played.wait(), [{ type: "prove", attempt: 3 }]);
});

test("what an older try says late is not heard", () => {
  const played = live();
  played.close(1006);
  played.wait();
  const before = played.connection;
  for (const event of [
    { type: "welcomed", attempt: 1 },
    { type: "heard", attempt: 1 },
    { type: "closed", attempt: 1, code: 1008, reason: "revoked" },
    { type: "not_proved", attempt: 1, reason: "revoked" },
    { type: "proved", attempt: 1, token: { token: "old", endsAt: 1 } },
  ] as const) {
    assert.deepEqual(played.tell(event), []);
  }
  assert.deepEqual(played.connection, before);
});

test("any order of any events leaves it stopped, or with something due", () => {
  let seed = 7;
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let run = 0; run < 300; run += 1) {
    const played = new Played();
    played.tell({ type: "start" });
    for (let step = 0; step < 40; step += 1) {
      played.now += random(8_000);
      const attempt = played.attempt - random(2);
      const events: readonly Event[] = [
        { type: "woke" },
        { type: "offline" },
        { type: "suspect" },
        { type: "tick" },
        { type: "proved", attempt, token: { token: "t", endsAt: played.now + random(60_000) } },
        { type: "not_proved", attempt, reason: "unreachable" },
        { type: "welcomed", attempt },
        { type: "heard", attempt },
        {
          type: "closed",
          attempt,
          code: [1001, 1006, 1013, 1008][random(4)] ?? 1006,
          reason: ["", "revoked", "slow: age"][random(3)] ?? "",
        },
      ];
      const event = events[random(events.length)];
      if (event !== undefined) played.tell(event);
      const { kind } = played.connection.phase;
      assert.ok(kind === "stopped" || nextAt(played.connection) !== undefined);
    }
  }
});
