/** Promise: a slash command is known by its first word, a path is none, and what is typed finds the likeliest first. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { commandNamed, completions, judge, SHOWN, wordAt } from "../../../src/core/composer/commands.ts";

const COMMANDS = ["compact", "reload", "review", "release-notes", "plan", "skill:release", "preview"].map((name) => ({ name }));
const names = (word: string): readonly string[] => completions(word, COMMANDS).map(({ name }) => name);

for (const [text, name] of [
  ["/review", "review"],
  ["  /review the last commits\nand more", "review"],
  ["/skill:pdf a.pdf", "skill:pdf"],
  ["/usr/bin/env is broken", undefined],
  ["// a comment", undefined],
  ["/", undefined],
  ["a /review", undefined],
] as const) {
  test(`${JSON.stringify(text)} names ${name ?? "no command"}`, () => assert.equal(commandNamed(text), name));
}

test("what a Pi has is known, what only its terminal has is known by name, the rest is unknown", () => {
  assert.equal(judge("review", COMMANDS), "known");
  assert.equal(judge("compact", COMMANDS), "known", "Pi's own that works from afar");
  assert.equal(judge("login", COMMANDS), "at_terminal");
  assert.equal(judge("revew", COMMANDS), "unknown");
});

test("a Pi whose commands nobody knows is the judge itself", () => assert.equal(judge("revew", []), "unheard"));

test("an extension's command counts before one of the terminal of the same name", () => {
  assert.equal(judge("tree", [{ name: "tree" }]), "known");
});

test("the word is what is typed up to the caret, in the first word alone", () => {
  assert.equal(wordAt("/re", 3), "re");
  assert.equal(wordAt("/", 1), "");
  assert.equal(wordAt("/review it", 10), undefined);
  assert.equal(wordAt("/review it", 7), "review");
  assert.equal(wordAt("/review", 3), undefined, "in the middle of a name");
  assert.equal(wordAt("a /re", 5), undefined);
  assert.equal(wordAt("/usr/", 5), undefined);
});

test("a whole name comes first, then what begins so, then a word in it, then letters in that order", () => {
  assert.deepEqual(names("release"), ["release-notes", "skill:release"]);
  assert.deepEqual(names("re"), ["release-notes", "reload", "review", "skill:release", "preview"]);
  assert.deepEqual(names("rvw"), ["preview", "review"]);
  assert.deepEqual(names("review"), ["review", "preview"]);
  assert.deepEqual(names("zz"), []);
});

test("case does not count", () => assert.deepEqual(names("PLAN"), ["plan"]));

test("all are offered for the slash alone, up to what a list holds", () => {
  const many = Array.from({ length: 3 * SHOWN }, (_, at) => ({ name: `c${at}` }));
  assert.equal(completions("", many).length, SHOWN);
});
