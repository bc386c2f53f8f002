/** Promise: a browser that cannot be called says what is missing, the nearest thing first; a key of another daemon is found out. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { isForeignKey, notifications, push, type Browser } from "../../src/core/push.ts";

const ABLE: Browser = {
  secure: true,
  hasWorker: true,
  hasNotifications: true,
  hasPush: true,
  permission: "default",
  isIos: false,
  isInstalled: false,
};
const IOS: Browser = { ...ABLE, isIos: true, hasNotifications: false, hasPush: false };
const YES = { available: true };

function advice(found: ReturnType<typeof push>): string {
  assert.equal(found?.kind, "impossible");
  return found.advice;
}

test("a browser that can is asked once, by the person's own press", () => {
  assert.deepEqual(push(ABLE, YES), { kind: "ask" });
  assert.deepEqual(push({ ...ABLE, permission: "granted" }, YES), { kind: "granted" });
  assert.deepEqual(push({ ...ABLE, permission: "denied" }, YES), { kind: "denied" });
});

test("nothing is promised before the daemon has said what it can; then its own sentence stands there", () => {
  assert.equal(push(ABLE, undefined), undefined);
  assert.match(advice(push(ABLE, { available: false, reason: "Install the package pywebpush." })), /pywebpush/);
  assert.match(advice(push(ABLE, { available: false })), /no Web Push/);
});

test("an address without https says so first: all else follows from it", () => {
  assert.match(advice(notifications({ ...IOS, secure: false, hasWorker: false })), /https and on 127\.0\.0\.1/);
});

test("an iPhone is told to install, and then is like any other", () => {
  assert.match(advice(notifications(IOS)), /Add to Home Screen/);
  assert.deepEqual(notifications({ ...IOS, isInstalled: true, hasNotifications: true, permission: "granted" }), { kind: "granted" });
});

test("a browser without push still notifies while the page is open", () => {
  const some = { ...ABLE, hasPush: false, permission: "granted" as const };
  assert.deepEqual(notifications(some), { kind: "granted" });
  assert.match(advice(push(some, YES)), /while the page is open/);
});

test("a browser without notifications is not asked for them", () => {
  assert.match(advice(notifications({ ...ABLE, hasNotifications: false })), /shows no notifications/);
  assert.match(advice(push({ ...ABLE, hasWorker: false }, YES)), /shows no notifications/);
});

test("a subscription of another key is found out", () => {
  const key = Uint8Array.of(4, 1, 2);
  assert.equal(isForeignKey(key.buffer, Uint8Array.of(4, 1, 2)), false);
  assert.equal(isForeignKey(key.buffer, Uint8Array.of(4, 1, 3)), true);
  assert.equal(isForeignKey(key.buffer, Uint8Array.of(4, 1)), true);
  assert.equal(isForeignKey(null, key), true);
});
