/** Promise: whatever is brought back, handed over or typed in another tab meanwhile, no text that was typed is lost. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { contentOf } from "../../src/core/composer/draft.ts";
import { Journal, TABS } from "../../src/core/composer/journal.ts";
import { Desk } from "../../src/edge/composing.ts";
import { FakeShelf } from "./browser.ts";

const S = "4242-1";

/** All characters that can stand for an unseen one. */
const ALL_MARKS = ([[0x2400, 0x24ff], [0x2776, 0x2793], [0x2801, 0x28ff], [0xe000, 0xf8ff]] as const)
  .flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, place) => String.fromCodePoint(from + place)))
  .join("");

/** Tabs of one browser. None is told what the others write until it looks itself. */
function tabs(shelf = new FakeShelf()): (name: string) => Desk {
  return (name) => new Desk(S, new Journal(shelf), name);
}

/** A desk from which these were sent, the oldest first. */
function after(...sent: readonly string[]): Desk {
  const desk = tabs()("a");
  for (const text of sent) {
    desk.type(text);
    desk.sent(text);
  }
  return desk;
}

/** What stands in the text area, and what is kept beside it. */
function texts(desk: Desk): readonly (string | undefined)[] {
  const { other } = desk.entry.peek();
  return [contentOf(desk.draft.peek()), other && contentOf(other.draft)];
}

test("an earlier message that is changed takes the place of what was typed, which is kept beside it", () => {
  const desk = after("first");
  desk.type("A");
  desk.recall("older", []);
  assert.deepEqual(texts(desk), ["first", undefined], "what is only looked at displaces nothing");
  desk.type("first, changed");
  assert.deepEqual(texts(desk), ["first, changed", "A"]);
});

test("one earlier message after the other can be changed, and all that was typed is kept", () => {
  const desk = after("first", "second");
  desk.type("A");
  desk.recall("older", []);
  desk.type("second, changed");
  desk.recall("older", []);
  desk.type("second, otherwise");
  assert.deepEqual(texts(desk), ["second, otherwise", "A\n\nsecond, changed"]);
});

test("what another tab typed stays beside an earlier message that is changed", () => {
  const open = tabs();
  const [one, other] = [open("a"), open("b")];
  one.type("sent");
  one.sent("sent");
  other.type("theirs");
  one.type("mine");
  assert.deepEqual(texts(one), ["mine", "theirs"]);
  one.recall("older", []);
  one.type("sent again");
  assert.deepEqual(texts(one), ["sent again", "theirs\n\nmine"]);
});

for (const [what, come] of [
  ["a text of an extension", (desk: Desk) => void desk.hand("h", "handed")],
  ["a text that was not sent", (desk: Desk) => void desk.putBack("handed")],
] as const) {
  test(`${what} comes after an earlier message that is looked at, and what was typed is kept with what was there`, () => {
    const desk = after("first", "second");
    desk.type("A");
    desk.recall("older", []);
    desk.type("B");
    desk.recall("older", []);
    come(desk);
    assert.deepEqual(texts(desk), ["second\nhanded", "A\n\nB"]);
  });
}

test("who types before hearing that another tab went on keeps both texts", () => {
  const open = tabs();
  const one = open("a");
  one.type("together");
  const other = open("b");
  other.type("together, and on");
  one.type("together!");
  assert.deepEqual(texts(one), ["together!", "together, and on"]);
  other.wake();
  assert.deepEqual(texts(other), ["together!", "together, and on"]);
});

test("who sends before hearing that another tab went on keeps what that one typed", () => {
  const open = tabs();
  const one = open("a");
  one.type("together");
  const other = open("b");
  other.type("together, and on");
  one.sent("together");
  assert.deepEqual(texts(one), ["", "together, and on"]);
});

/** More loads of the page than an entry names. */
const LOADS = Array.from({ length: TABS + 4 }, (_, load) => `load ${load}`);

test("a text that was typed over many loads of the page and sent is nowhere any more", () => {
  const open = tabs();
  for (const load of LOADS) {
    const desk = open(load);
    desk.type(`${contentOf(desk.draft.peek())}x`);
    desk.type(`${contentOf(desk.draft.peek())}y`);
  }
  const last = open("the last one");
  last.sent(contentOf(last.draft.peek()));
  for (const desk of [last, open("anew")]) assert.deepEqual(texts(desk), ["", undefined]);
});

test("a tab that stays open over many loads of another one has what is typed there, and nothing beside it", () => {
  const shelf = new FakeShelf();
  const open = tabs(shelf);
  for (const name of ["a", "b"]) open(name).type(name);
  // One that was typed in, and one that was only looked at.
  const [used, seen] = [open("used"), open("seen")];
  const stored = () => new Journal(shelf).read(S) ?? assert.fail();
  used.type("used");
  seen.told(stored());
  for (const load of LOADS) {
    const desk = open(load);
    const late = stored();
    for (const text of [load, `${load}, and on`]) {
      desk.type(text);
      used.told(stored());
      // Woken, it looks itself before it is told what was before.
      seen.wake();
      seen.told(late);
      for (const each of [desk, used, seen]) assert.deepEqual(texts(each), [text, undefined]);
    }
  }
  used.type("used again");
  seen.told(stored());
  assert.deepEqual([texts(used), texts(seen)], [["used again", undefined], ["used again", undefined]]);
});

test("a tab that slept over many loads of another one loses nothing that was typed in it", () => {
  const open = tabs();
  const slept = open("slept");
  slept.type("half a thought");
  for (const load of LOADS) open(load).type(load);
  slept.type("half a thought, and on");
  assert.deepEqual(texts(slept), ["half a thought, and on", LOADS.at(-1)]);
});

test("texts whose unseen characters no mark can stand for are kept together as well", () => {
  const desk = after("first");
  const [one, other] = [ALL_MARKS, "zero\u200bwidth"];
  desk.type(one);
  desk.recall("older", []);
  desk.type(other);
  desk.recall("older", []);
  desk.type("last");
  assert.deepEqual(texts(desk), ["last", `${one}\n\n${other}`]);
});

test("a text that no composer can hold is not taken, and nothing is displaced for it", () => {
  const desk = after("first");
  desk.type(ALL_MARKS);
  desk.recall("older", []);
  desk.type(`first ${ALL_MARKS}`);
  const before = texts(desk);
  assert.deepEqual([desk.putBack("zero\u200bwidth"), desk.hand("h", "zero\u200bwidth")], [false, false]);
  assert.deepEqual(texts(desk), before);
});

test("the text beside can be used in the draft's place, and given up", () => {
  const desk = after("first");
  desk.type("A");
  desk.recall("older", []);
  desk.type("B");
  desk.swap();
  assert.deepEqual(texts(desk), ["A", "B"]);
  desk.discardOther();
  assert.deepEqual(texts(desk), ["A", undefined]);
});

test("of two tabs one takes a text of an extension, and both have it once", () => {
  const open = tabs();
  const [one, other] = [open("a"), open("b")];
  assert.deepEqual([one.hand("h", "handed"), other.hand("h", "handed")], [true, true]);
  assert.deepEqual([texts(one), texts(other)], [["handed", undefined], ["handed", undefined]]);
});
