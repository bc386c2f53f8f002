/** Promise: names, order, ages, toasts and wakes are as people expect them. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { ago, exact, machineTime } from "../../src/core/age.ts";
import { entries, folderOf, shortPath, titleOf, waitingInAll } from "../../src/core/listing.ts";
import { EMPTY, take, type State } from "../../src/core/state.ts";
import { add, MOST, pass, type Toast } from "../../src/core/toasts.ts";
import { stoodStill } from "../../src/core/wake.ts";
import type { Session, Welcome } from "../../src/protocol.ts";

function session(id: string, state: Session["status"]["state"], since: number, more: Partial<Session> = {}): Session {
  return { sessionId: id, status: { state, since }, ...more };
}

function listed(...sessions: readonly Session[]): State {
  const welcome: Welcome = {
    type: "welcome",
    server: { name: "m", version: "1", instance: "i" },
    serverNow: 0,
    protocol: 1,
    role: "observer",
    sessions,
  };
  return take(EMPTY, welcome, 0);
}

test("a session is called by its name, else its first message, else its folder", () => {
  assert.equal(titleOf(session("1", "idle", 0, { name: "tulips", firstMessage: "Dig", cwd: "/a/b" })), "tulips");
  assert.equal(titleOf(session("1", "idle", 0, { name: " ", firstMessage: "Dig", cwd: "/a/b" })), "Dig");
  assert.equal(titleOf(session("1", "idle", 0, { cwd: "/a/b/" })), "b");
  assert.equal(titleOf(session("1", "idle", 0)), "Session without a name");
  assert.equal(folderOf(session("1", "idle", 0, { cwd: "/" })), "/");
});

test("home directories are short", () => {
  assert.deepEqual(["/home/ada/garden", "/Users/ada", "/root/x", "/home", "/srv/home/x"].map(shortPath), [
    "~/garden",
    "~",
    "~/x",
    "/home",
    "/srv/home/x",
  ]);
});

test("who needs you stands first, longest waiting first; then the latest change; ended ones last", () => {
  const state = listed(
    session("ended", "ended", 9),
    session("old", "idle", 1),
    session("new", "working", 8),
    session("asks late", "waiting", 7, { openPrompts: 1 }),
    session("asks early", "waiting", 3, { openPrompts: 2 }),
  );
  assert.deepEqual(
    entries(state).map((entry) => entry.view.session.sessionId),
    ["asks early", "asks late", "new", "old", "ended"],
  );
  assert.equal(waitingInAll(state), 3);
});

test("a Pi that works and has a question open needs you", () => {
  assert.equal(entries(listed(session("1", "working", 0, { openPrompts: 1 })))[0]?.group, "needs_you");
});

test("an ended session has nothing to answer", () => {
  assert.equal(waitingInAll(listed(session("1", "ended", 0, { openPrompts: 1 }))), 0);
});

test("ages", () => {
  const at = (seconds: number) => ago(0, seconds * 1000);
  assert.deepEqual([-5, 0, 1, 12, 59, 60, 3_599, 3_600, 47 * 3_600, 48 * 3_600].map(at), [
    "now",
    "now",
    "now",
    "12 s ago",
    "59 s ago",
    "1 min ago",
    "59 min ago",
    "1 h ago",
    "47 h ago",
    "2 d ago",
  ]);
});

test("a time that is none is no error", () => {
  assert.equal(exact(1e300), "unknown");
  assert.equal(machineTime(Number.NaN), undefined);
});

test("toasts go after their time, errors stay, and none goes while it is held", () => {
  const toast = (id: number, severity: Toast["severity"]) => ({ id, severity, text: "t", from: "f", sessionId: "s" });
  let toasts = add(add([], toast(1, "info"), 0), toast(2, "error"), 0);
  assert.equal(pass(toasts, 1e9, true), toasts);
  assert.deepEqual(
    pass(toasts, 1e9, false).map(({ id }) => id),
    [2],
  );
  for (let id = 3; id < 9; id += 1) toasts = add(toasts, toast(id, "info"), 0);
  assert.equal(toasts.length, MOST);
  assert.ok(
    toasts.some(({ id }) => id === 2),
    "an error outlives what passes anyway",
  );
});

test("a page that stood still is noticed, whichever clock shows it", () => {
  const before = { steady: 0, wall: 0 };
  assert.equal(stoodStill(before, { steady: 5_100, wall: 5_100 }, 5_000), false);
  assert.equal(stoodStill(before, { steady: 60_000, wall: 60_000 }, 5_000), true);
  assert.equal(stoodStill(before, { steady: 5_000, wall: 3_600_000 }, 5_000), true);
  assert.equal(stoodStill(before, { steady: 5_000, wall: -3_600_000 }, 5_000), false, "the clock was set back");
});
