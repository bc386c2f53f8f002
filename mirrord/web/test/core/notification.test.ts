/** Promise: a session has one notification, heard only when it says something new; what cannot be read never throws, and is shown all the same. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import {
  addressOf,
  choosePage,
  isAtAnother,
  notification,
  readNotice,
  readPayload,
  UNREADABLE,
  wanting,
  type Kind,
  type Notice,
} from "../../src/core/notification.ts";

const WAITS: Notice = { type: "attention", sessionId: "4242-1", kind: "waiting", title: "garden", body: "A question waits", at: 5, promptId: "p 1" };

function notice(kind: Kind): Notice {
  return { ...WAITS, kind };
}

test("every attention of the wire's fixtures is read whole", () => {
  const lines = readFileSync(new URL("../../../../fixtures/wire/messages.jsonl", import.meta.url), "utf8").trim().split("\n");
  const messages = lines.map((line) => (JSON.parse(line) as { message: Record<string, unknown> }).message);
  const attention = messages.filter((message) => message["type"] === "attention");
  assert.ok(attention.length >= 4);
  for (const message of attention) assert.deepEqual(readPayload(`${JSON.stringify(message)}   `), message);
});

test("what is no notice is undefined", () => {
  for (const text of ["", "{", "null", "3", "[]", "{}", '{"type":"attention"}', '{"type":"other","sessionId":"a","title":"","body":"","at":1}']) {
    assert.equal(readPayload(text), undefined);
  }
  for (const wrong of [{ sessionId: 3 }, { sessionId: "" }, { sessionId: "x".repeat(300) }, { title: null }, { body: {} }, { at: "5" }, { at: NaN }]) {
    assert.equal(readNotice({ ...WAITS, ...wrong }), undefined);
  }
});

test("texts are cut, a wrong prompt is left out, a kind of a later daemon is shown", () => {
  assert.equal(readNotice({ ...WAITS, title: "x".repeat(9_999) })?.title.length, 256);
  for (const promptId of [3, "", "x".repeat(300)]) assert.ok(!("promptId" in (readNotice({ ...WAITS, promptId }) ?? WAITS)));
  const later = readNotice({ ...WAITS, kind: "later" });
  assert.equal(later?.kind, "other");
  assert.equal(notification(later, undefined).options.silent, false);
});

test("a notification is the session's only one, and is its own notice again", () => {
  const { title, options } = notification(WAITS, undefined);
  assert.equal(title, "garden");
  assert.equal(options.tag, WAITS.sessionId);
  assert.equal(options.body, "A question waits");
  assert.deepEqual(readNotice(structuredClone(options.data)), WAITS);
});

const heard: readonly (readonly [Kind, Kind | undefined, boolean])[] = [
  ["waiting", undefined, true],
  ["waiting", "waiting", false],
  ["yourTurn", "waiting", true],
  ["failed", "yourTurn", true],
  ["waiting", "over", true],
  ["over", "waiting", false],
  ["over", undefined, false],
];
for (const [kind, before, renotify] of heard) {
  test(`${kind} after ${before ?? "nothing"} makes itself heard: ${renotify}`, () => {
    const { options } = notification(notice(kind), before === undefined ? undefined : notice(before));
    assert.deepEqual([options.renotify, options.silent], [renotify, kind === "over"]);
  });
}

test("a tap leads to the very prompt, and what cannot be read to the list", () => {
  assert.equal(addressOf(WAITS), "/#session=4242-1&prompt=p%201");
  const { promptId: _, ...session } = WAITS;
  assert.equal(addressOf({ ...session, sessionId: "a&b" }), "/#session=a%26b");
  assert.equal(addressOf(undefined), "/");
  assert.equal(readNotice(UNREADABLE.options.data), undefined);
});

test("the page that somebody is at is taken, else one that can be seen, else any", () => {
  const hidden = { focused: false, visibilityState: "hidden" };
  const visible = { focused: false, visibilityState: "visible" };
  const focused = { focused: true, visibilityState: "visible" };
  assert.equal(choosePage([hidden, visible, focused]), focused);
  assert.equal(choosePage([hidden, visible]), visible);
  assert.equal(choosePage([hidden]), hidden);
  assert.equal(choosePage([]), undefined);
});

test("somebody is at another page where that one has the focus, and not where it can only be seen", () => {
  const hidden = { id: "hidden", focused: false, visibilityState: "hidden" };
  const beside = { id: "beside", focused: false, visibilityState: "visible" };
  const focused = { id: "focused", focused: true, visibilityState: "visible" };
  assert.equal(isAtAnother([hidden, focused], "hidden"), true);
  assert.equal(isAtAnother([hidden, focused], undefined), true);
  assert.equal(isAtAnother([hidden, beside], "hidden"), false, "then both would keep silent");
  assert.equal(isAtAnother([focused], "focused"), false, "somebody came to the very page that told it");
});

test("the badge counts sessions that want something", () => {
  assert.equal(wanting([WAITS, notice("over"), notice("failed")]), 2);
});
