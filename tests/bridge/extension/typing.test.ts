// Promise: keys that were meant for a dialog which a remote has just closed go nowhere, for at most a second; all others arrive.
import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { SWALLOW_MOST_MS, SWALLOW_QUIET_MS, TYPING_MS } from "../../../bridge/extension/limits.ts";
import { isText, Typing } from "../../../bridge/extension/typing.ts";

let now: number;
let listeners: Set<(data: unknown) => { consume: true } | undefined>;
let keyAt: number | undefined;
let typing: Typing;

beforeEach(() => {
  now = 1_000_000;
  mock.timers.enable({ apis: ["setTimeout"] });
  mock.method(performance, "now", () => now);
  listeners = new Set();
  keyAt = undefined;
  typing = new Typing(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    (at) => (keyAt = at),
  );
  typing.watch(true);
});

afterEach(() => {
  mock.reset();
  mock.timers.reset();
});

function pass(ms: number): void {
  now += ms;
  mock.timers.tick(ms);
}

/** Whether a key that is pressed now reaches Pi. */
function arrives(data = "x"): boolean {
  return [...listeners].every((listener) => listener(data)?.consume !== true);
}

/** A remote closes the dialog that is open; no other is open then. */
function close(): void {
  typing.closed(keyAt);
  typing.watch(false);
}

test("a typist at ten keys a second: nothing arrives until the typist rests", () => {
  assert.ok(arrives());
  close();
  for (let n = 0; n < 8; n += 1) {
    pass(100);
    assert.equal(arrives(), false);
  }
  pass(SWALLOW_QUIET_MS);
  assert.ok(arrives());
});

test("a typist who never rests is heard again after SWALLOW_MOST_MS", () => {
  arrives();
  close();
  for (let waited = 0; waited < SWALLOW_MOST_MS - 100; waited += 100) {
    pass(100);
    assert.equal(arrives(), false);
  }
  pass(100);
  assert.ok(arrives());
  assert.equal(listeners.size, 0);
});

test("a key after SWALLOW_QUIET_MS of rest arrives, one a millisecond earlier does not", () => {
  arrives();
  close();
  pass(SWALLOW_QUIET_MS - 1);
  assert.equal(arrives(), false);
  pass(SWALLOW_QUIET_MS);
  assert.ok(arrives());
});

test("a dialog without a key in the last TYPING_MS swallows nothing", () => {
  close();
  assert.ok(arrives());
  typing.watch(true);
  arrives();
  pass(TYPING_MS + 1);
  close();
  assert.ok(arrives());
});

test("a key exactly TYPING_MS ago counts", () => {
  arrives();
  pass(TYPING_MS);
  close();
  assert.equal(arrives(), false);
});

test("keys do not reach the next dialog either, and are not its keys", () => {
  arrives();
  const before = keyAt;
  typing.closed(keyAt);
  typing.watch(true);
  pass(100);
  assert.equal(arrives("\r"), false);
  assert.equal(keyAt, before);
  pass(SWALLOW_QUIET_MS);
  assert.ok(arrives("\r"));
  assert.equal(keyAt, now);
});

for (const [name, data] of [
  ["the mouse", "\u001b[<35;10;10M"],
  ["the focus", "\u001b[I"],
  ["the size of a cell", "\u001b[6;16;8t"],
  ["a colour", "\u001b]11;rgb:0000/0000/0000\u0007"],
  ["a device", "\u001b[?62;4c"],
  ["a key that is let go", "\u001b[97;1:3u"],
  ["an arrow that is let go", "\u001b[1;1:3A"],
] as const) {
  test(`what the terminal tells of ${name} is no key and always arrives`, () => {
    assert.ok(arrives(data));
    assert.equal(keyAt, undefined);
    arrives();
    close();
    assert.ok(arrives(data));
  });
}

for (const data of ["x", "\r", "\u001b", "\u001b[A", "\u001b[97u", "\u001b[200~pasted\u001b[201~", "\u001bP", "🍎", "\u0003"]) {
  test(`${JSON.stringify(data)} is a key`, () => {
    assert.ok(arrives(data));
    assert.equal(keyAt, now);
    close();
    assert.equal(arrives(data), false);
  });
}

test("the keyboard is listened to only while a dialog is open or keys are swallowed", () => {
  assert.equal(listeners.size, 1);
  typing.watch(true);
  assert.equal(listeners.size, 1);
  typing.watch(false);
  assert.equal(listeners.size, 0);
  typing.watch(true);
  arrives();
  close();
  assert.equal(listeners.size, 1);
  pass(SWALLOW_MOST_MS);
  assert.equal(listeners.size, 0);
});

test("without a keyboard nothing is swallowed and nothing fails", () => {
  const blind = new Typing(() => undefined, () => assert.fail());
  blind.watch(true);
  blind.closed(now);
  blind.watch(false);
  blind.stop();
});

test("letters, pasted text and letters of the newer keyboard protocol are text; keys that do something are not", () => {
  for (const text of ["a", "É", "🍎", "1", "?", "abc", "\u001b[200~x y\u001b[201~", "\u001b[97u", "\u001b[97;2u", "\u001b[233;1:1u"]) {
    assert.equal(isText(text), true, JSON.stringify(text));
  }
  const keys = ["", " ", "\r", "\n", "\t", "\u0003", "\u007f", "\u001b", "\u001b[A", "\u001b[3~", "\u001bOP", "\u001b[13u", "\u001b[27u", "\u001b[127u", "\u001b[57352u"];
  for (const key of keys) assert.equal(isText(key), false, JSON.stringify(key));
});
