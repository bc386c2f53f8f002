/** Promise: what is typed outlives a reload; of two tabs the last edit counts, and no text that was typed is lost. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { EMPTY_DRAFT, typed } from "../../../src/core/composer/draft.ts";
import { edited, ENTRIES, goesOnFrom, handedIn, heard, Journal, NEW_ENTRY, sentIn, TABS, type Entry } from "../../../src/core/composer/journal.ts";
import { FakeShelf } from "../../edge/browser.ts";

const type = (entry: Entry, tab: string, text: string, at = 1): Entry => edited(entry, tab, at, { draft: typed(entry.draft, text) });
const texts = ({ draft, other }: Entry): readonly (string | undefined)[] => [draft.text, other?.draft.text];

test("an entry comes back as it was", () => {
  const shelf = new FakeShelf();
  const entry = edited(type(NEW_ENTRY, "a", "half a"), "a", 7, {
    other: { from: "recall", draft: typed(EMPTY_DRAFT, "before") },
    handed: ["h"],
    sent: [{ text: "sent", at: 3 }],
  });
  assert.equal(new Journal(shelf).write("s", entry), true);
  assert.deepEqual(new Journal(shelf).read("s"), entry);
});

for (const [name, kept] of [
  ["no JSON", "{"],
  ["another version", JSON.stringify({ version: "2", entry: NEW_ENTRY })],
  ["another shape", JSON.stringify({ version: "1", entry: { ...NEW_ENTRY, draft: { text: 1, stands: [] } } })],
  ["a mark that stands for nothing", JSON.stringify({ version: "1", entry: { ...NEW_ENTRY, draft: { text: "", stands: [["a"]] } } })],
] as const) {
  test(`${name} in the storage is no entry`, () => {
    const shelf = new FakeShelf([["mirrord.composer.s", kept]]);
    assert.equal(new Journal(shelf).read("s"), undefined);
  });
}

test("storage that is forbidden or full keeps nothing, and says so", () => {
  const full = new FakeShelf();
  full.setItem = () => {
    throw new Error("quota");
  };
  assert.equal(new Journal(full).write("s", NEW_ENTRY), false);
  assert.equal(new Journal(undefined).write("s", NEW_ENTRY), false);
  assert.equal(new Journal(undefined).read("s"), undefined);
});

test("entries that hold nothing go first, then those that were edited longest ago", () => {
  const shelf = new FakeShelf();
  const journal = new Journal(shelf);
  journal.write("empty", edited(type(NEW_ENTRY, "a", "x"), "a", 10_000, { draft: EMPTY_DRAFT }));
  for (let at = 0; at < ENTRIES; at += 1) journal.write(`s${at}`, type(NEW_ENTRY, "a", "text", at + 1));
  assert.equal(journal.read("empty"), undefined);
  journal.write("new", type(NEW_ENTRY, "a", "text", 1_000));
  assert.equal(journal.read("s0"), undefined);
  assert.equal(journal.read("s1")?.draft.text, "text");
  assert.equal(shelf.length, ENTRIES);
});

test("an event of the storage tells of an entry, or of nothing of ours", () => {
  const shelf = new FakeShelf();
  const journal = new Journal(shelf);
  journal.write("a/b", type(NEW_ENTRY, "a", "x"));
  assert.equal(journal.told("mirrord.composer.a/b", shelf.getItem("mirrord.composer.a/b"))?.sessionId, "a/b");
  assert.equal(journal.told("mirrord.theme", '"dark"'), undefined);
  assert.equal(journal.told("mirrord.composer.a/b", null), undefined);
  assert.equal(journal.told(null, null), undefined);
});

test("a tab that goes on where another stopped takes its place, whoever is typing", () => {
  const first = type(NEW_ENTRY, "a", "one");
  const second = type(type(first, "b", "one two"), "b", "one two three");
  for (const isTyping of [true, false]) assert.deepEqual(texts(heard(first, second, isTyping)), ["one two three", undefined]);
  assert.equal(heard(second, first, false), second, "and what is older changes nothing");
});

test("tabs that edited at the same time keep both texts, and the one that is typed in keeps its place", () => {
  const base = type(NEW_ENTRY, "a", "start");
  const mine = type(base, "a", "start of mine", 5);
  const theirs = type(base, "b", "start of theirs", 6);
  assert.deepEqual(texts(heard(mine, theirs, true)), ["start of mine", "start of theirs"]);
  assert.deepEqual(texts(heard(mine, theirs, false)), ["start of theirs", "start of mine"]);
  assert.equal(heard(mine, theirs, true).other?.from, "tab");
});

test("both tabs come to the same when each hears of the other", () => {
  const mine = type(NEW_ENTRY, "a", "mine", 5);
  const theirs = type(NEW_ENTRY, "b", "theirs", 6);
  const here = heard(mine, theirs, true);
  assert.deepEqual(heard(theirs, here, false), here);
});

test("a third text is not lost either", () => {
  const one = heard(type(NEW_ENTRY, "a", "mine", 5), type(NEW_ENTRY, "b", "theirs", 6), true);
  const all = heard(one, type(NEW_ENTRY, "c", "a third", 7), true);
  assert.deepEqual(texts(all), ["mine", "theirs\n\na third"]);
});

test("a tab that was sent from is not beside a tab that still has the text", () => {
  const base = type(NEW_ENTRY, "a", "text");
  const sent = edited(base, "b", 9, { draft: EMPTY_DRAFT });
  assert.deepEqual(texts(heard(base, sent, true)), ["", undefined]);
});

test("what was handed over and sent in either tab is known in both", () => {
  const mine = edited(NEW_ENTRY, "a", 1, { handed: handedIn(NEW_ENTRY, "h1"), sent: sentIn(NEW_ENTRY, { text: "one", at: 1 }) });
  const theirs = edited(NEW_ENTRY, "b", 2, { handed: handedIn(NEW_ENTRY, "h2"), sent: sentIn(NEW_ENTRY, { text: "two", at: 2 }) });
  const all = heard(mine, theirs, true);
  assert.deepEqual([...all.handed].sort(), ["h1", "h2"]);
  assert.deepEqual(all.sent.map(({ text }) => text), ["one", "two"]);
});

test("what is kept from Pi's context, and what is long, is not noted as sent", () => {
  for (const text of ["!!env", "a".repeat(10_000)]) assert.deepEqual(sentIn(NEW_ENTRY, { text, at: 1 }), []);
});

test("a text beside the draft stays over further edits until it is taken away", () => {
  const beside = edited(NEW_ENTRY, "a", 1, { other: { from: "tab", draft: typed(EMPTY_DRAFT, "theirs") } });
  const more = type(beside, "a", "mine");
  assert.deepEqual(texts(more), ["mine", "theirs"]);
  assert.deepEqual(texts(edited(more, "a", 3, { other: undefined })), ["mine", undefined]);
});

/** An entry that so many tabs have edited one after the other, as it is kept. */
function kept(count: number, shelf = new FakeShelf()): Entry {
  const journal = new Journal(shelf);
  for (let tab = 0; tab < count; tab += 1) journal.write("s", type(journal.read("s") ?? NEW_ENTRY, `t${tab}`, `of ${tab}`, tab));
  return journal.read("s") ?? assert.fail();
}

test("of many tabs the last are kept, and the one that edits is among them", () => {
  assert.deepEqual(Object.keys(kept(TABS + 4).edits), Array.from({ length: TABS }, (_, tab) => `t${tab + 4}`));
  const again = type(kept(TABS), "t0", "again");
  assert.equal(Object.keys(again.edits).at(-1), "t0");
});

test("of many tabs as well, those that edited at the same time keep both texts, and hear of each other once", () => {
  for (const count of [TABS - 1, TABS, TABS + 4]) {
    const shelf = new FakeShelf();
    const base = kept(count, shelf);
    const journal = new Journal(shelf);
    const [mine, theirs] = [type(base, "a", "mine", 50), type(base, "b", "theirs", 51)];
    journal.write("s", theirs);
    const here = heard(mine, journal.read("s") ?? assert.fail(), true);
    assert.deepEqual(texts(here), ["mine", "theirs"]);
    journal.write("s", here);
    const there = heard(theirs, journal.read("s") ?? assert.fail(), false);
    assert.deepEqual(texts(there), ["mine", "theirs"]);
    assert.equal(goesOnFrom(here, there), true, "nobody writes it again");
  }
});
