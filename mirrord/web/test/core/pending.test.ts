/** Promise: an answer is sent until the terminal has ruled on it, under one id, and is called not confirmed in the meantime. */

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  back,
  give,
  judge,
  lost,
  nextAt,
  NONE_PENDING,
  RETRY_MS,
  SOON_MS,
  tick,
  UNKNOWN_MS,
  type Outgoing,
  type Pending,
} from "../../src/core/pending.ts";
import type { ResponseResult } from "../../src/protocol.ts";

const ANSWER: Outgoing = {
  responseId: "r",
  promptId: "p",
  frames: [{ type: "extension_ui_response", id: "p", responseId: "r", index: 1 }],
};
const CONNECTED: Pending = { ...NONE_PENDING, connected: true };

function result(more: Partial<ResponseResult>): ResponseResult {
  return { type: "response_result", responseId: "r", id: "p", accepted: false, ...more };
}

function given(now = 0): Pending {
  return give(CONNECTED, ANSWER, now).pending;
}

test("an answer goes out at once, and again each time without a verdict", () => {
  const first = give(CONNECTED, ANSWER, 0);
  assert.deepEqual(first.send, [ANSWER]);
  assert.equal(nextAt(first.pending), RETRY_MS);
  const second = tick(first.pending, RETRY_MS);
  assert.deepEqual([second.send, second.unsure], [[ANSWER], [ANSWER]]);
  const third = tick(second.pending, 2 * RETRY_MS);
  assert.deepEqual([third.send, third.unsure], [[ANSWER], []], "not confirmed is told once");
});

test("without a connection it waits, is called not confirmed, and goes out when there is one", () => {
  const waiting = give(NONE_PENDING, ANSWER, 0);
  assert.deepEqual(waiting.send, []);
  const late = tick(waiting.pending, RETRY_MS);
  assert.deepEqual([late.send, late.unsure], [[], [ANSWER]]);
  assert.deepEqual(back(late.pending, RETRY_MS + 1).send, [ANSWER]);
});

test("a connection that ends makes it not confirmed at once; the next one carries it again under the same id", () => {
  const cut = lost(given());
  assert.deepEqual(cut.unsure, [ANSWER]);
  assert.equal(nextAt(cut.pending), undefined);
  assert.deepEqual(back(cut.pending, 9).send, [ANSWER]);
});

for (const more of [
  { accepted: true },
  { reason: "settled" },
  { reason: "invalid" },
  { reason: "forbidden" },
  { reason: "of a later daemon" },
]) {
  test(`${JSON.stringify(more)} is a verdict`, () => {
    const judged = judge(given(), result(more), 1);
    assert.deepEqual([judged.judgement, judged.certain, judged.pending.waiting.size], ["decided", true, 0]);
  });
}

for (const reason of ["detached", "busy", "unknown"]) {
  test(`${reason} is a verdict on the only attempt, and none on a later one`, () => {
    assert.equal(judge(given(), result({ reason }), 1).judgement, "decided");
    const again = tick(given(), RETRY_MS).pending;
    const judged = judge(again, result({ reason }), RETRY_MS + 1);
    assert.equal(judged.judgement, "ignored");
    assert.equal(nextAt(judged.pending), RETRY_MS + 1 + SOON_MS);
  });
}

test("a daemon that was just started says nothing by knowing no prompt", () => {
  const fresh = give(back(NONE_PENDING, 0).pending, ANSWER, 1).pending;
  assert.equal(judge(fresh, result({ reason: "unknown" }), 2).judgement, "ignored");
});

test("a daemon that does not learn of the prompt ends it without certainty", () => {
  let pending = back(lost(given()).pending, 0).pending;
  for (let now = 1_000; ; now += 1_000) {
    const judged = judge(pending, result({ reason: "unknown" }), now);
    if (judged.judgement === "decided") {
      assert.equal(judged.certain, false);
      assert.equal(now, 1_000 + UNKNOWN_MS);
      return;
    }
    pending = tick(judged.pending, now).pending;
  }
});

test("a result of somebody else's answer is a stranger", () => {
  assert.equal(judge(CONNECTED, result({ accepted: true }), 0).judgement, "stranger");
});
