/** Promise: a call for attention reaches a person where they are, once; the tab says the most urgent; what cannot be read is left alone. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { listed, NONE_UNSEEN, noted, reaction, seen, tabSign, type Whereabouts } from "../../src/core/notify.ts";
import { readNotifySettings, readPushInfo } from "../../src/core/notify_messages.ts";
import { decode, type Attention } from "../../src/protocol.ts";

const AWAY: Whereabouts = { visible: false, focused: false, showing: null, permitted: true, sound: true };
const ELSEWHERE: Whereabouts = { ...AWAY, visible: true, focused: true };
const THERE: Whereabouts = { ...ELSEWHERE, showing: "1-1" };

function told(kind: Attention["kind"], sessionId = "1-1"): Attention {
  return { type: "attention", sessionId, kind, title: "garden", body: "A question waits", at: 5 };
}

test("a hidden page shows the browser's notification, one that is seen a toast, and one that shows the session nothing", () => {
  assert.deepEqual(reaction(told("yourTurn"), AWAY), { notification: "show", toast: false, ring: true });
  assert.deepEqual(reaction(told("yourTurn"), ELSEWHERE), { notification: "leave", toast: true, ring: true });
  assert.deepEqual(reaction(told("yourTurn"), THERE), { notification: "close", toast: false, ring: false });
});

test("a page that is seen beside another window counts as away, and has its toast where no notification is allowed", () => {
  const beside = { ...THERE, focused: false };
  assert.deepEqual(reaction(told("failed"), beside), { notification: "show", toast: false, ring: true });
  assert.deepEqual(reaction(told("failed"), { ...beside, permitted: false }), { notification: "leave", toast: true, ring: true });
  assert.deepEqual(reaction(told("failed"), { ...AWAY, permitted: false }), { notification: "leave", toast: false, ring: true });
});

test("a prompt does not ring twice, and nothing rings for who wants no sound", () => {
  assert.equal(reaction(told("waiting"), AWAY).ring, false);
  assert.equal(reaction(told("failed"), { ...AWAY, sound: false }).ring, false);
});

test("what is over replaces what stands and shows nothing new; who is at the page has it taken away", () => {
  assert.deepEqual(reaction(told("over"), AWAY), { notification: "show", toast: false, ring: false });
  assert.equal(reaction(told("over"), { ...AWAY, permitted: false }).notification, "leave");
  assert.deepEqual(reaction(told("over"), ELSEWHERE), { notification: "close", toast: false, ring: false });
});

test("a kind of a later daemon is shown like any other", () => {
  assert.equal(reaction(told("unknown"), AWAY).notification, "show");
  assert.equal(noted(NONE_UNSEEN, told("unknown")), NONE_UNSEEN);
});

test("the tab says how many wait, then the worst of what was not looked at", () => {
  assert.deepEqual(tabSign("mirrord", 0, NONE_UNSEEN), { mark: "none", title: "mirrord", count: 0 });
  let unseen = noted(noted(NONE_UNSEEN, told("yourTurn", "1")), told("failed", "2"));
  assert.deepEqual(tabSign("mirrord", 0, unseen), { mark: "failed", title: "Failed · mirrord", count: 2 });
  assert.deepEqual(tabSign("mirrord", 3, unseen), { mark: "waiting", title: "(3) Failed · mirrord", count: 5 });
  unseen = seen(unseen, "2");
  assert.deepEqual(tabSign("mirrord", 0, unseen), { mark: "yourTurn", title: "Your turn · mirrord", count: 1 });
  unseen = noted(unseen, told("over", "1"));
  assert.equal(tabSign("mirrord", 0, unseen).count, 0);
  assert.equal(seen(unseen, "1"), unseen);
});

test("messages and replies are read defensively", () => {
  const read = (message: object) => decode(JSON.stringify(message)) as Attention | undefined;
  assert.equal(read({ type: "attention", sessionId: "1", kind: "waiting", title: "t", at: 1 }), undefined);
  assert.equal(read({ ...told("waiting"), kind: "of a later daemon" })?.kind, "unknown");
  assert.equal(read({ ...told("waiting"), promptId: 7 })?.promptId, undefined);
  const device = { waiting: true, yourTurn: false, failed: true, titles: false };
  const settings = readNotifySettings({ device, sessions: { "1-1": { yourTurn: true, failed: "no" }, "2-2": 7 } });
  assert.deepEqual(settings?.device, device);
  assert.deepEqual([...(settings?.sessions ?? [])], [["1-1", { yourTurn: true }]]);
  assert.equal(readNotifySettings({ device: { waiting: true }, sessions: {} }), undefined);
  assert.equal(readNotifySettings({ device, sessions: [] }), undefined);
  assert.deepEqual(readPushInfo({ available: false, reason: "No." }), { available: false, reason: "No." });
  assert.equal(readPushInfo({}), undefined);
});

test("what nobody has looked at of a session that is gone is no news any more", () => {
  const unseen = noted(noted(NONE_UNSEEN, told("yourTurn")), told("failed", "2-2"));
  assert.deepEqual([...listed(unseen, new Set(["1-1"]))], [["1-1", "yourTurn"]]);
  assert.equal(listed(unseen, new Set(["1-1", "2-2"])), unseen, "the same object where all are here");
});
