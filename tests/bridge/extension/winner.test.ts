// Promise: the terminal is told in one line who answered, and with what where that may be shown; never with what was typed.
import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import type { Ending } from "../../../bridge/extension/dialogs.ts";
import { NOTICE_CHARS, NOTICE_MS, NOTICE_NAMED } from "../../../bridge/extension/limits.ts";
import type { Answer } from "../../../bridge/extension/protocol.ts";
import { Winner } from "../../../bridge/extension/winner.ts";

let lines: string[];
let winner: Winner;

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout"] });
  lines = [];
  winner = new Winner((line) => lines.push(line));
});

afterEach(() => mock.timers.reset());

function answered(answer?: Answer): Ending {
  return { outcome: "answered", winner: "remote", ...(answer && { answer }) };
}

function shown(): string[] {
  mock.timers.tick(NOTICE_MS);
  return lines;
}

for (const [answer, line] of [
  [{ index: 1, label: "banana" }, "Answered from Ada's phone: banana"],
  [{ confirmed: true, certain: true }, "Answered from Ada's phone: Yes"],
  [{ confirmed: false, certain: true }, "Answered from Ada's phone: No"],
  [{ labels: ["SQLite", "The API"] }, "Answered from Ada's phone: SQLite + The API"],
  [{ labels: [] }, "Answered from Ada's phone"],
  [undefined, "Answered from Ada's phone"],
] as const) {
  test(`${JSON.stringify(answer)} is shown as ${line}`, () => {
    winner.won("Ada's phone", answered(answer as Answer | undefined));
    assert.deepEqual(shown(), [line]);
  });
}

test("a cancel is told as one", () => {
  winner.won("Ada's phone", { outcome: "cancelled", winner: "remote" });
  assert.deepEqual(shown(), ["Cancelled from Ada's phone"]);
});

test("several at once share a line: so many are named, the others counted", () => {
  for (let n = 0; n < NOTICE_NAMED + 2; n += 1) winner.won("phone", answered({ index: n, label: `o${n}` }));
  winner.won("tablet", answered());
  winner.won("tablet", answered());
  assert.deepEqual(shown(), ["Answered from phone: o0, o1, o2 and 2 more; Answered from tablet (2 dialogs)"]);
});

test("later ones have a line of their own", () => {
  winner.won("phone", answered());
  shown();
  winner.won("phone", answered());
  assert.equal(shown().length, 2);
});

test("names and answers cannot move the cursor, and are cut", () => {
  winner.won("ph\u001b[2J\none", answered({ index: 0, label: `\u202e${"x".repeat(500)}` }));
  const [line = ""] = shown();
  assert.match(line, /^Answered from ph \[2J one: x+…$/);
  assert.ok([...line].length < 3 * NOTICE_CHARS);
});

test("a session that is over shows nothing any more", () => {
  winner.won("phone", answered());
  winner.stop();
  assert.deepEqual(shown(), []);
});
