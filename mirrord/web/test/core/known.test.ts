/** Promise: of the last list only names are kept, a bounded number; what nobody here wrote counts as nothing. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { KNOWN_SESSIONS, namesOf, readKnown } from "../../src/core/known.ts";
import { EMPTY, fresh, type State } from "../../src/core/state.ts";
import type { Session } from "../../src/protocol.ts";

function listed(...sessions: readonly Session[]): State {
  return { ...EMPTY, sessions: new Map(sessions.map((one) => [one.sessionId, fresh(one)])) };
}

test("who was there is kept by name, the latest change first; who had ended is not", () => {
  const state = listed(
    { sessionId: "1", status: { state: "idle", since: 1 }, name: "tulips", cwd: "/home/ada/garden", firstMessage: "a secret" },
    { sessionId: "2", status: { state: "ended", since: 9 }, name: "gone" },
    { sessionId: "3", status: { state: "working", since: 5 }, cwd: "/srv/shop" },
  );
  assert.deepEqual(namesOf(state), [
    { sessionId: "3", title: "shop" },
    { sessionId: "1", title: "tulips" },
  ]);
});

test("neither many sessions nor a long name take much room", () => {
  const many = Array.from({ length: 100 }, (_, at): Session => ({ sessionId: `${at}`, status: { state: "idle", since: at }, name: "😀".repeat(900) }));
  const names = namesOf(listed(...many));
  assert.equal(names.length, KNOWN_SESSIONS);
  assert.equal([...(names[0]?.title ?? "")].length, 120);
});

test("what was kept is read again, and nonsense is nothing", () => {
  const kept = { at: 7, sessions: [{ sessionId: "1", title: "tulips" }] };
  assert.deepEqual(readKnown(JSON.stringify(kept)), kept);
  for (const nonsense of [null, "", "{", "7", '{"at":"x","sessions":[]}', '{"at":1,"sessions":[{"title":3}]}']) {
    assert.deepEqual(readKnown(nonsense), { at: 0, sessions: [] }, String(nonsense));
  }
  const many = { at: 7, sessions: Array.from({ length: 99 }, () => kept.sessions[0]) };
  assert.equal(readKnown(JSON.stringify(many)).sessions.length, KNOWN_SESSIONS);
});
