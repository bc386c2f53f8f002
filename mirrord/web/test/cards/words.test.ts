/** Promise: a card says who answered, what became of one's own answer and where it goes, in sentences of ours around clipped words of others. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { asker, ending, lostRace, notShown, quoted, sessionName, target } from "../../src/cards/words.ts";

const AT = 1_796_054_405_000;

test("an end says who, and what where it may be told", () => {
  assert.deepEqual(ending({ outcome: "answered", winner: "terminal", at: AT, answer: "apple" }, false), { title: "Answered at the terminal", sentence: "“apple”" });
  assert.deepEqual(ending({ outcome: "answered", winner: "remote", winnerName: "tablet", at: AT }, false), { title: "tablet answered" });
  assert.deepEqual(ending({ outcome: "answered", winner: "remote", winnerName: "phone", at: AT }, true), { title: "Answered" });
  assert.deepEqual(ending({ outcome: "cancelled", winner: "remote", winnerName: "tablet", at: AT }, false), { title: "tablet ignored it" });
  assert.deepEqual(ending({ outcome: "cancelled", winner: "terminal", at: AT }, false), { title: "Ignored at the terminal" });
  assert.equal(ending({ outcome: "timed_out", winner: "none", at: AT }, false).title, "Its time ran out");
});

test("every reason of a withdrawal has a sentence, and one of a later daemon none", () => {
  const withdrawn = (reason: string) => ending({ outcome: "withdrawn", winner: "none", at: AT, reason }, false);
  for (const reason of ["closed", "fork", "gone", "new", "quit", "reload", "resume", "signal"]) assert.ok(withdrawn(reason).sentence?.endsWith("."));
  for (const reason of ["moon", "constructor", "__proto__"]) assert.deepEqual(withdrawn(reason), { title: "No longer asked" });
});

test("an end nobody told is still an end", () => {
  assert.equal(ending(undefined, false).title, "This is over");
});

test("a lost race says who was first and that ours was not used", () => {
  const { title, sentence } = lostRace({ outcome: "answered", winner: "terminal", at: AT, answer: "apple" });
  assert.equal(title, "Too late, yours was not used");
  assert.equal(sentence, "Answered at the terminal: “apple”");
  assert.equal(lostRace({ outcome: "cancelled", winner: "terminal", at: AT }).sentence, "Ignored at the terminal.");
  assert.equal(lostRace(undefined).sentence, "It was over before your answer arrived.");
});

test("an answer goes to Pi on a machine", () => {
  assert.equal(target("laptop"), "Pi on laptop");
  assert.equal(target(""), "Pi");
});

test("a session is called by its name, else by its folder", () => {
  assert.equal(sessionName({ name: "tulips", cwd: "/home/ada/garden" }), "tulips");
  assert.equal(sessionName({ name: " ", cwd: "/home/ada/garden/" }), "garden");
  assert.equal(sessionName({ cwd: "/" }), "Session");
  assert.equal(sessionName({}), "Session");
});

test("who asks is the extension, else Pi", () => {
  assert.equal(asker({ source: "planner" }), "planner");
  assert.equal(asker({}), "Pi");
  assert.equal(asker({ source: " \n" }), "Pi");
});

test("words of others are clipped, also where they are long or empty", () => {
  assert.equal(quoted("x".repeat(100)), `“${"x".repeat(24)}…”`);
  assert.equal(quoted(""), "the empty option");
});

test("what is cut is told once for each kind, and what can be loaded is not", () => {
  assert.deepEqual(
    notShown([
      { field: "message", shown: 1, total: 2 },
      { field: "options", shown: 200, total: 3_000 },
      { field: "options.3", shown: 1, total: 2 },
      { field: "options.4", shown: 1, total: 2 },
      { field: "questions.0.question", shown: 1, total: 2 },
      { field: "questions", shown: 50, total: 51 },
      { field: "of a later daemon", shown: 1, total: 2 },
    ]),
    [
      "The message is too long to be shown whole; the terminal has it.",
      "An option is too long to be shown whole; the terminal has it.",
      "A question is too long to be shown whole; the terminal has it.",
      "1 more question can only be answered at the terminal.",
      "The text is too long to be shown whole; the terminal has it.",
    ],
  );
  assert.deepEqual(notShown(undefined), []);
});
