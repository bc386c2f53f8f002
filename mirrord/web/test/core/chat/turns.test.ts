/** Promise: what is sent into a conversation goes out under one id until it has a receipt; what failed keeps its text. */

import assert from "node:assert/strict";
import { test } from "node:test";

import type { Receipt } from "../../../src/core/chat/messages.ts";
import {
  adopt,
  back,
  discard,
  frames,
  give,
  KEPT_TURNS,
  LATE_MS,
  lost,
  merge,
  nextAt,
  NO_TURNS,
  receive,
  retry,
  shown,
  tick,
  type Sent,
  type Submission,
  type Turn,
  type Turns,
} from "../../../src/core/chat/turns.ts";
import { PIECE_UNITS } from "../../../src/core/content.ts";
import { RETRY_MS } from "../../../src/core/pending.ts";

const S = "1-1";
/** When all of them are submitted, by the wall clock. */
const WALL = 1_000;
const STANDING = back(NO_TURNS, S, 0, WALL).turns;

function submission(id: string, more: Partial<Submission> = {}): Submission {
  return { id, kind: "prompt", text: `Plant ${id}`, at: WALL, ...more };
}

function given(turns: Turns, ...ids: string[]): Turns {
  return ids.reduce((before, id) => give(before, S, submission(id), 0).turns, turns);
}

function told(turns: Turns, id: string, stage: Receipt["stage"], code?: string): Turns {
  return receive(turns, { type: "receipt", sessionId: S, clientTurnId: id, stage, ...(code === undefined ? {} : { code }) });
}

function ids({ send }: Sent): string[] {
  return send.map((frame) => ("clientTurnId" in frame ? `${frame.action} ${frame.clientTurnId}` : frame.type));
}

function stages(turns: Turns): [string, string][] {
  return shown(turns).map(({ id, stage }) => [id, stage]);
}

test("a short text is one frame, and a long one pieces under its id", () => {
  const short = frames(S, submission("t", { kind: "bash", excluded: true, literal: true }));
  const flags = { literal: true, excluded: true };
  assert.deepEqual(short, [
    { type: "chat_action", sessionId: S, clientTurnId: "t", action: "submit", kind: "bash", ...flags, text: "Plant t" },
  ]);
  const text = "🌷".repeat(PIECE_UNITS);
  const all = frames(S, submission("t", { text }));
  const action = all.at(-1);
  const pieces = all.slice(0, -1).map((frame) => (frame.type === "content_part" ? frame : assert.fail()));
  assert.ok(action?.type === "chat_action" && action.text === undefined && action.parts === pieces.length);
  assert.equal(pieces.map((piece) => piece.text).join(""), text);
  assert.deepEqual(new Set(pieces.map(({ responseId }) => responseId)), new Set(["t"]));
  assert.deepEqual(
    pieces.map(({ part, parts }) => [part, parts]),
    pieces.map((_, part) => [part, pieces.length]),
  );
});

test("without a receipt it goes out again, and is said to be unsure", () => {
  const first = give(STANDING, S, submission("t"), 0);
  assert.deepEqual([ids(first), stages(first.turns)], [["submit t"], [["t", "sending"]]]);
  assert.deepEqual(ids(tick(first.turns, S, RETRY_MS - 1, WALL)), []);
  const second = tick(first.turns, S, RETRY_MS, WALL);
  assert.deepEqual([ids(second), stages(second.turns)], [["submit t"], [["t", "unsure"]]]);
  assert.deepEqual(ids(tick(second.turns, S, 2 * RETRY_MS, WALL)), ["submit t"]);
  const accepted = told(second.turns, "t", "accepted");
  assert.deepEqual([nextAt(accepted), ids(tick(accepted, S, 9 * RETRY_MS, WALL)), stages(accepted)], [undefined, [], [["t", "accepted"]]]);
});

test("a new connection gets everything that is not over, under the same id", () => {
  let turns = given(STANDING, "silent", "queued", "done");
  turns = told(told(turns, "queued", "queued"), "done", "consumed");
  turns = lost(turns);
  assert.deepEqual([nextAt(turns), ids(tick(turns, S, 99 * RETRY_MS, WALL))], [undefined, []]);
  assert.deepEqual(stages(turns), [
    ["silent", "unsure"],
    ["queued", "queued"],
  ]);
  assert.deepEqual(ids(back(turns, S, 1, WALL)), ["submit silent", "submit queued"]);
});

test("while no connection stands nothing is sent, the text is kept, and it is tried again under its id", () => {
  const away = give(NO_TURNS, S, submission("t"), 0);
  assert.deepEqual([ids(away), stages(away.turns)], [[], [["t", "rejected"]]]);
  assert.equal(retry(away.turns, "t", "new", 5), undefined, "nothing can be sent yet");
  const again = retry(back(away.turns, S, 0, WALL).turns, "t", "new", 5);
  assert.equal(again?.given.id, "t", "the daemon never heard of it");
});

for (const code of ["detached", "busy", "store"]) {
  test(`a rejection of which nothing was kept (${code}) is tried under the same id`, () => {
    const turns = told(given(STANDING, "t"), "t", "rejected", code);
    assert.equal(retry(turns, "t", "new", 5)?.given.id, "t");
  });
}

test("any other rejection is tried under a new id, as what it was", () => {
  const first = give(STANDING, S, submission("t", { kind: "steer", literal: true }), 0).turns;
  const again = retry(told(first, "t", "rejected", "refused"), "t", "new", 2_000);
  assert.deepEqual(again?.given, { id: "new", kind: "steer", text: "Plant t", literal: true, at: 2_000 });
  assert.equal(again.turns.all.size, 0, "it is there once");
});

test("what may have acted keeps its id", () => {
  const turns = told(given(STANDING, "t"), "t", "unknown");
  const again = retry(turns, "t", "new", 5);
  assert.equal(again?.given.id, "t");
  assert.deepEqual(ids(give(again.turns, S, again.given, 0)), ["submit t"]);
});

test("what was unknown may turn out to have been taken", () => {
  let turns = told(given(STANDING, "t"), "t", "unknown");
  assert.deepEqual(ids(back(turns, S, 0, WALL)), [], "the person decides");
  turns = told(turns, "t", "queued");
  assert.deepEqual(stages(turns), [["t", "queued"]]);
  turns = told(turns, "t", "consumed");
  assert.equal(turns.all.size, 0);
  assert.equal(told(turns, "t", "consumed"), turns, "it is over");
});

test("the same stage told again is no news, nor is one of a turn of somebody else", () => {
  const turns = told(given(STANDING, "t"), "t", "accepted");
  assert.equal(told(turns, "t", "accepted"), turns);
  assert.equal(told(turns, "other", "accepted"), turns);
});

test("giving up says so to the daemon only where it may have acted, until the daemon has heard it", () => {
  assert.deepEqual(discard(STANDING, "t"), { turns: STANDING });
  const refused = discard(told(given(STANDING, "t"), "t", "rejected", "refused"), "t");
  assert.deepEqual([refused.text, refused.turns.all.size], ["Plant t", 0]);

  const unknown = discard(told(given(STANDING, "t"), "t", "unknown"), "t");
  assert.deepEqual([unknown.text, shown(unknown.turns)], ["Plant t", []]);
  const asked = adopt(unknown.turns, S, "t", 0, 1_000);
  assert.deepEqual(ids(asked), ["discard t"]);
  assert.deepEqual(ids(tick(asked.turns, S, RETRY_MS, WALL)), ["discard t"]);
  assert.deepEqual(ids(back(lost(asked.turns), S, 0, WALL)), ["discard t"]);
  assert.equal(told(asked.turns, "t", "unknown"), asked.turns, "told before the daemon heard of it");
  assert.equal(told(asked.turns, "t", "unknown", "discarded").all.size, 0);
  assert.deepEqual(stages(told(asked.turns, "t", "queued")), [["t", "queued"]], "it was too late");
});

test("what is under way cannot be given up or tried again", () => {
  const turns = given(STANDING, "t");
  assert.deepEqual([discard(turns, "t"), retry(turns, "t", "new", 0)], [{ turns }, undefined]);
});

test("failed texts are kept up to a bound, of which the oldest go", () => {
  const all = Array.from({ length: KEPT_TURNS + 2 }, (_, number) => `t${number}`);
  const turns = all.reduce((before, id) => told(before, id, "rejected", "refused"), given(STANDING, ...all));
  assert.deepEqual([...turns.all.keys()], all.slice(2));
});

// ---- over reloads, and with other tabs -----------------------------------------------------------------------------------

function loaded(turn: Partial<Turn>): Turns {
  return merge(STANDING, [{ ...submission("t"), stage: "open", ...turn }], new Set());
}

test("what an earlier load of the page sent goes out again once this tab has its lock, and not before", () => {
  const turns = loaded({});
  assert.deepEqual([ids(back(turns, S, 0, WALL)), ids(tick(turns, S, RETRY_MS, WALL)), nextAt(turns)], [[], [], undefined]);
  const mine = adopt(turns, S, "t", 0, 1_000 + LATE_MS);
  assert.deepEqual(ids(mine), ["submit t"]);
  assert.deepEqual(ids(adopt(mine.turns, S, "t", 0, 0)), [], "once");
  assert.deepEqual(ids(adopt(lost(turns), S, "t", 0, 0)), [], "without a connection it waits for one");
});

test("what was sent long ago without a receipt is not sent by itself, but shown as unknown", () => {
  const late = adopt(loaded({}), S, "t", 0, 1_001 + LATE_MS);
  assert.deepEqual([ids(late), stages(late.turns)], [[], [["t", "unknown"]]]);
  assert.deepEqual(ids(adopt(loaded({ stage: "queued" }), S, "t", 0, 1_001 + LATE_MS)), ["submit t"], "Pi has it: it acts once");
  assert.deepEqual(ids(adopt(loaded({ stage: "rejected" }), S, "t", 0, 0)), []);
});

test("a page that slept sends nothing late by itself, over a new connection or the one that stands", () => {
  const [asleep, late] = [given(STANDING, "t"), WALL + LATE_MS + 1];
  for (const woke of [back(lost(asleep), S, 0, late), tick(asleep, S, RETRY_MS, late)]) {
    assert.deepEqual([ids(woke), stages(woke.turns), nextAt(woke.turns)], [[], [["t", "unknown"]], undefined]);
    assert.equal(retry(woke.turns, "t", "new", late)?.given.id, "t", "it may have acted: it keeps its id");
  }
  assert.deepEqual(ids(back(lost(asleep), S, 0, late - 1)), ["submit t"]);
  const heard = told(told(given(STANDING, "queued", "given up"), "queued", "queued"), "given up", "unknown");
  const again = back(lost(adopt(discard(heard, "given up").turns, S, "given up", 0, late).turns), S, 0, late);
  assert.deepEqual(ids(again), ["submit queued", "discard given up"], "Pi has it and acts once, and what is given up stays so");
});

test("a tab that took over before it could read how the turn failed takes that from the storage, and sends it no more", () => {
  const mine = adopt(loaded({}), S, "t", 0, 1_000).turns;
  const failed: Turn = { ...submission("t"), stage: "rejected", code: "refused", reason: "Not now." };
  const merged = merge(mine, [failed], new Set(["t"]));
  assert.deepEqual(stages(merged), [["t", "rejected"]]);
  assert.deepEqual([ids(back(merged, S, 0, WALL)), nextAt(merged)], [[], undefined]);
  assert.deepEqual(stages(merge(merged, [], new Set(["t"]))), [], "the other tab may give it up");
  const retried = merge(mine, [{ ...failed, at: failed.at - 1 }], new Set(["t"]));
  assert.deepEqual(stages(retried), [["t", "sending"]], "what was given again since is not ruled by what was before");
});

test("another tab's word counts, except on what this tab sends and on what storage had no room for", () => {
  const turns = given(STANDING, "mine", "other");
  const failed = told(told(turns, "other", "rejected", "refused"), "mine", "accepted");
  const theirs: Turn = { ...submission("theirs", { at: 5 }), stage: "open" };
  const merged = merge(failed, [theirs, { ...submission("mine"), stage: "open" }], new Set(["mine", "other"]));
  assert.deepEqual(stages(merged), [
    ["theirs", "sending"],
    ["mine", "accepted"],
  ]);
  assert.deepEqual(stages(merge(failed, [], new Set())), [
    ["mine", "accepted"],
    ["other", "rejected"],
  ]);
});
