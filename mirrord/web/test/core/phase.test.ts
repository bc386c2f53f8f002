/** Promise: a card says where its answer stands, one is active, and none is replaced under a finger or with a text in it. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { NOTHING } from "../../src/core/ambient.ts";
import { choose, FAREWELL_MS, open, over, OWN_FAREWELL_MS, SHORT_FAREWELL_MS } from "../../src/core/phase.ts";
import type { AnswerState, Ended, SessionView } from "../../src/core/state.ts";
import type { ExtensionUIRequest, Session } from "../../src/protocol.ts";

function prompt(id: string): ExtensionUIRequest {
  return { type: "extension_ui_request", sessionId: "s", id, method: "input", title: id };
}

function view(open: readonly string[], ended: readonly Ended[] = [], state: Session["status"]["state"] = "waiting"): SessionView {
  return {
    session: { sessionId: "s", status: { state, since: 0 } },
    cursor: "e:1",
    prompts: open.map(prompt),
    ended,
    ambient: NOTHING,
    recent: [],
  };
}

function answer(state: AnswerState["state"]): AnswerState {
  return { responseId: "r", state };
}

const AT_TERMINAL = { outcome: "answered", winner: "terminal", at: 1 } as const;
const AFAR = { outcome: "answered", winner: "remote", at: 1 } as const;
const NO_TEXT = () => false;

for (const [state, live, phase] of [
  [undefined, true, "open"],
  [undefined, false, "link_lost"],
  ["sending", true, "sending"],
  ["sending", false, "unsure"],
  ["unsure", true, "unsure"],
  ["accepted", true, "sending"],
  ["refused", true, "refused"],
  ["lost_race", true, "lost_race"],
  ["lost_track", true, "refused"],
] as const) {
  test(`an open prompt whose answer is ${state ?? "not given"} is ${phase} on a ${live ? "live" : "lost"} link`, () => {
    assert.equal(open(view(["a"]), 0, state === undefined ? undefined : answer(state), live)?.phase, phase);
  });
}

test("a prompt of a Pi that cannot be reached says so, before an older refusal", () => {
  for (const state of ["detached", "suspended"] as const) {
    assert.equal(open(view(["a"], [], state), 0, answer("refused"), true)?.phase, "detached");
  }
  assert.equal(open({ ...view(["a"]), missingSince: 1 }, 0, undefined, true)?.phase, "detached");
});

test("an ended prompt was lost to somebody, won, or settled elsewhere", () => {
  const ended = { prompt: prompt("a"), verdict: AT_TERMINAL, at: 0 };
  assert.equal(over(ended, undefined).phase, "settled");
  assert.equal(over(ended, answer("lost_race")).phase, "lost_race");
  assert.equal(over(ended, answer("sending")).phase, "lost_race", "the terminal's verdict is known before the result is");
  const mine = over({ ...ended, verdict: AFAR }, answer("accepted"));
  assert.deepEqual([mine.phase, mine.mine], ["settled", true]);
});

test("a device has answered, and whether it was this one is told after that: until then it has neither won nor lost", () => {
  const ended = { prompt: prompt("a"), verdict: AFAR, at: 0 };
  for (const [state, phase] of [
    ["sending", "sending"],
    ["unsure", "unsure"],
    ["lost_race", "lost_race"],
    ["lost_track", "settled"],
    ["refused", "settled"],
  ] as const) {
    const shown = over(ended, answer(state));
    assert.deepEqual([shown.phase, shown.mine], [phase, false], state);
  }
  assert.equal(over({ ...ended, verdict: { outcome: "timed_out", winner: "none", at: 1 } }, answer("sending")).phase, "settled");
});

test("the first prompt in server order is active", () => {
  assert.deepEqual(choose(view(["a", "b"]), {}, NO_TEXT, 0), { active: "a", kept: [] });
  assert.deepEqual(choose(view([]), {}, NO_TEXT, 0), { kept: [] });
});

test("a card that ends under the person's eyes says farewell and goes, sooner when the next one waits", () => {
  const ended = [{ prompt: prompt("a"), verdict: AT_TERMINAL, at: 100 }];
  const [settled, last] = [view(["b"], ended), view([], ended)];
  assert.deepEqual(choose(settled, { shown: "a" }, NO_TEXT, 100), { active: "a", until: 100 + SHORT_FAREWELL_MS, kept: [] });
  assert.equal(choose(settled, { shown: "a" }, NO_TEXT, 100 + SHORT_FAREWELL_MS).active, "b");
  assert.equal(choose(last, { shown: "a" }, NO_TEXT, 100 + FAREWELL_MS - 1).active, "a");
  assert.equal(choose(last, { shown: "a" }, NO_TEXT, 100 + FAREWELL_MS).active, undefined);
  assert.equal(choose(settled, {}, NO_TEXT, 100).active, "b", "what was not shown needs no farewell");
});

test("after an answer of this page that was taken, the next prompt comes sooner still", () => {
  const ended = [{ prompt: prompt("a"), verdict: { outcome: "answered", winner: "remote", at: 1 } as const, at: 100 }];
  const [next, last] = [view(["b"], ended), view([], ended)];
  const hand = { shown: "a", taken: true };
  assert.ok(OWN_FAREWELL_MS < SHORT_FAREWELL_MS);
  assert.deepEqual(choose(next, hand, NO_TEXT, 100), { active: "a", until: 100 + OWN_FAREWELL_MS, kept: [] });
  assert.equal(choose(next, hand, NO_TEXT, 100 + OWN_FAREWELL_MS).active, "b");
  assert.equal(choose(next, { ...hand, taken: false }, NO_TEXT, 100 + OWN_FAREWELL_MS).active, "a");
  assert.equal(choose(next, { ...hand, pressed: "a" }, NO_TEXT, 100 + OWN_FAREWELL_MS).active, "a", "not from under a finger");
  assert.equal(choose(last, hand, NO_TEXT, 100 + FAREWELL_MS - 1).active, "a", "nothing waits: there is time to read");
});

test("a card under a pressed pointer stays until it is lifted", () => {
  const settled = view(["b"], [{ prompt: prompt("a"), verdict: AT_TERMINAL, at: 0 }]);
  assert.equal(choose(settled, { shown: "a", pressed: "a" }, NO_TEXT, 10 * FAREWELL_MS).active, "a");
  assert.equal(choose(settled, { shown: "a" }, NO_TEXT, 10 * FAREWELL_MS).active, "b");
  assert.equal(choose(view(["b"]), { pressed: "gone" }, NO_TEXT, 0).active, "b");
});

test("an ended card with typed text is kept beside the active one until dismissed", () => {
  const settled = view(["b"], [{ prompt: prompt("a"), verdict: AT_TERMINAL, at: 0 }]);
  const hasText = (id: string) => id === "a";
  assert.deepEqual(
    choose(settled, { shown: "a" }, hasText, 1),
    { active: "a", until: SHORT_FAREWELL_MS, kept: [] },
    "first it says how it ended",
  );
  assert.deepEqual(choose(settled, { shown: "a" }, hasText, SHORT_FAREWELL_MS), { active: "b", kept: ["a"] });
});

test("the prompt that a person came for is first, and the others wait behind it", () => {
  assert.deepEqual(choose(view(["a", "b"]), { wanted: "b" }, NO_TEXT, 0), { active: "b", kept: [] });
  assert.deepEqual(choose(view(["a", "b"]), { wanted: "b", pressed: "a" }, NO_TEXT, 0).active, "a", "but not under a finger");
  assert.deepEqual(choose(view(["a"]), { wanted: "gone" }, NO_TEXT, 0).active, "a");
});

test("the prompt that a person came for says how it ended for as long as they like", () => {
  const ended = { prompt: prompt("b"), verdict: AT_TERMINAL, at: 0 };
  assert.deepEqual(choose(view(["a"], [ended]), { wanted: "b" }, NO_TEXT, FAREWELL_MS * 100), { active: "a", kept: ["b"] });
});
