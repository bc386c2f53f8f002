/** Promise: what is shown is what the daemon said last, prompts in its order, and no end of a prompt goes unnoticed. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { answered, cursors, dismissed, EMPTY, ENDED, fetched, MISSING_MS, pass, RECENT, take, unfetched, type State } from "../../src/core/state.ts";
import type { ExtensionUIRequest, ServerMessage, Session, Welcome } from "../../src/protocol.ts";

const NOW = 1_000_000;
const SESSION: Session = { sessionId: "s", status: { state: "idle", since: 1 }, cwd: "/home/ada/garden" };
const WELCOME: Welcome = {
  type: "welcome",
  server: { name: "mirrord", version: "1", instance: "i" },
  serverNow: NOW + 5_000,
  protocol: 1,
  role: "controller",
  sessions: [SESSION],
};

function prompt(id: string, cursor?: string): ExtensionUIRequest {
  return { type: "extension_ui_request", sessionId: "s", id, method: "input", title: id, ...(cursor === undefined ? {} : { cursor }) };
}

function play(...messages: readonly ServerMessage[]): State {
  return messages.reduce((state, message) => take(state, message, NOW), EMPTY);
}

function snapshot(...prompts: readonly ExtensionUIRequest[]): ServerMessage {
  return { type: "snapshot", sessionId: "s", session: SESSION, cursor: "e:1", prompts, statuses: [{ key: "job", text: "building" }] };
}

function settle(id: string, more: object = {}): ServerMessage {
  return { type: "extension_ui_settled", sessionId: "s", id, outcome: "answered", winner: "terminal", at: 7, ...more };
}

function view(state: State) {
  const found = state.sessions.get("s");
  assert.ok(found);
  return found;
}

test("the welcome tells the role, the sessions and the daemon's time", () => {
  const state = play(WELCOME);
  assert.deepEqual([state.role, state.clockOffset, [...state.sessions.keys()]], ["controller", 5_000, ["s"]]);
});

test("prompts stand in the order of the daemon, and one that comes again keeps its place", () => {
  const again = { ...prompt("a"), title: "anew" };
  const state = play(WELCOME, snapshot(prompt("a"), prompt("b")), prompt("c", "e:2"), again);
  assert.deepEqual(
    view(state).prompts.map((one) => one.title),
    ["anew", "b", "c"],
  );
  assert.deepEqual(cursors(state), { s: "e:2" });
});

test("a settlement takes the prompt away and keeps how it ended", () => {
  const state = play(
    WELCOME,
    snapshot(prompt("a"), prompt("b")),
    settle("a", { winner: "remote", winnerName: "phone", answer: "x", cursor: "e:9" }),
  );
  assert.deepEqual(
    view(state).prompts.map((one) => one.id),
    ["b"],
  );
  assert.deepEqual(view(state).ended, [
    { prompt: prompt("a"), verdict: { outcome: "answered", winner: "remote", at: 7, winnerName: "phone", answer: "x" }, at: NOW },
  ]);
  assert.deepEqual(cursors(state), { s: "e:9" });
  assert.equal(view(state).recent.length, 1);
});

test("when the last event came is known of what was told alone, not of what came whole", () => {
  const whole = play(WELCOME, snapshot(prompt("a")));
  assert.equal(view(whole).eventAt, undefined);
  const told = take(whole, prompt("b", "e:2"), NOW + 60_000);
  assert.equal(view(told).eventAt, NOW + 65_000, "by the daemon's clock");
  assert.equal(view(take(told, { ...snapshot(), cursor: "e:2" } as ServerMessage, NOW + 70_000)).eventAt, NOW + 65_000);
  assert.equal(view(take(told, { ...snapshot(), cursor: "e:9" } as ServerMessage, NOW + 70_000)).eventAt, undefined, "others came meanwhile");
});

test("a settlement of a prompt that is not known changes nothing", () => {
  const before = play(WELCOME, snapshot(prompt("a")));
  assert.deepEqual(take(before, settle("z"), NOW), before);
});

test("a prompt that a new snapshot lacks has ended, nobody knows how; its verdict is filled in when it comes", () => {
  const missed = play(WELCOME, snapshot(prompt("a"), prompt("b")), snapshot(prompt("b")));
  assert.deepEqual(view(missed).ended, [{ prompt: prompt("a"), at: NOW }]);
  const told = take(missed, settle("a"), NOW);
  assert.equal(view(told).ended[0]?.verdict?.winner, "terminal");
});

test("a prompt that was thought to be over and is told anew is open, and nothing else", () => {
  const state = play(WELCOME, snapshot(prompt("a")), snapshot(), prompt("a"));
  assert.deepEqual([view(state).prompts.map((one) => one.id), view(state).ended], [["a"], []]);
});

test("the result of this browser's answer says whether it counted", () => {
  const sent = answered(play(WELCOME, snapshot(prompt("a"))), "a", { responseId: "r", state: "sending" });
  const said = (more: object) => take(sent, { type: "response_result", responseId: "r", id: "a", accepted: false, ...more }, NOW);
  assert.equal(said({ accepted: true }).answers.get("a")?.state, "accepted");
  assert.equal(said({ reason: "settled" }).answers.get("a")?.state, "lost_race");
  assert.deepEqual(said({ reason: "invalid", detail: "Too long." }).answers.get("a"), {
    responseId: "r",
    state: "refused",
    detail: "Too long.",
  });
  assert.match(said({ reason: "of a later daemon" }).answers.get("a")?.detail ?? "", /^The answer was not taken/);
  assert.equal(view(said({ reason: "settled", settled: { outcome: "answered", winner: "terminal", at: 3 } })).prompts.length, 0);
  assert.deepEqual(take(sent, { type: "response_result", responseId: "other", id: "a", accepted: true }, NOW), sent);
});

test("a session that a restarted daemon does not list yet stays, and goes when it does not come back", () => {
  const again = play(WELCOME, snapshot(prompt("a")), { ...WELCOME, sessions: [] });
  assert.equal(view(again).missingSince, NOW);
  assert.equal(view(again).prompts.length, 1, "a card that is being filled in stays");
  assert.equal(pass(again, NOW + MISSING_MS - 1), again);
  assert.equal(pass(again, NOW + MISSING_MS).sessions.size, 0);
  const back = take(again, { type: "session", change: "added", session: SESSION }, NOW);
  assert.equal(view(back).missingSince, undefined);
});

test("a removed session is gone, and what is said of strangers is not heard", () => {
  const state = play(WELCOME, { type: "session", change: "removed", session: SESSION });
  assert.equal(state.sessions.size, 0);
  assert.deepEqual(take(state, prompt("a"), NOW), state);
  assert.deepEqual(take(state, { type: "gap", sessionId: "s" }, NOW), state);
});

test("a dismissed prompt is forgotten", () => {
  const state = dismissed(play(WELCOME, snapshot(prompt("a")), settle("a")), "s", "a");
  assert.equal(view(state).ended.length, 0);
});

test("what has passed is bounded", () => {
  let state = play(WELCOME, snapshot());
  for (let count = 0; count < 3 * RECENT; count += 1) {
    state = take(state, { type: "extension_ui_notification", sessionId: "s", method: "notify", message: `${count}` }, NOW);
    state = take(take(state, prompt(`${count}`), NOW), settle(`${count}`), NOW);
  }
  assert.deepEqual([view(state).recent.length, view(state).ended.length, view(state).prompts.length], [RECENT, ENDED, 0]);
});

test("a text that was on its way when the link was lost is asked for again, where its session is still here", () => {
  const told: ServerMessage = { type: "extension_ui_notification", sessionId: "s", method: "set_editor_text", handoffId: "h", textParts: 2 };
  const before = play(WELCOME, snapshot(), told);
  assert.deepEqual(unfetched(take(before, WELCOME, NOW)), [{ sessionId: "s", id: "h" }]);
  assert.deepEqual(unfetched(take(before, { ...WELCOME, sessions: [] }, NOW)), []);
  assert.deepEqual(unfetched(fetched(before, "s", "h", { text: "t" })), []);
  assert.deepEqual(unfetched(fetched(before, "s", "h", { failure: "Gone." })), []);
});
