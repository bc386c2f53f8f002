/** Promise: ten thousand options cost what is looked at, a filter finds every one of them, and an answer is always its true place. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { begin, filtered, hasFilter, loaded, more, rows, STEP, wanted, type Options } from "../../src/cards/options.ts";
import { cpuMs } from "../cpu.ts";

const COUNT = 10_000;
const name = (at: number): string => `Fruit ${at}`;
const page = (offset: number) => ({ offset, options: Array.from({ length: Math.min(200, COUNT - offset) }, (_, at) => name(offset + at)), optionCount: COUNT });
const first = (): Options => begin({ options: page(0).options, optionCount: COUNT });

function all(options: Options): Options {
  let state = options;
  for (let offset = wanted(state); offset !== undefined; offset = wanted(state)) state = loaded(state, page(offset));
  return state;
}

test("on screen are the first hundred, then more, then what is loaded for it", () => {
  let state = first();
  assert.equal(rows(state).rows.length, STEP);
  assert.equal(wanted(state), undefined);
  state = more(state);
  assert.equal(rows(state).rows.length, 200);
  state = more(state);
  assert.equal(wanted(state), 200);
  state = loaded(state, page(200));
  assert.equal(rows(state).rows.length, 300);
});

test("a filter loads all pages and finds an option by its true place", () => {
  const state = all(filtered(first(), "  fruit 9999 "));
  assert.deepEqual(rows(state).rows, [{ index: 9_999, label: "Fruit 9999" }]);
});

test("a filter ignores case and forms of the same letter", () => {
  const state = begin({ options: ["ÄPFEL", "ﬁg", "Plum"] });
  assert.deepEqual(rows(filtered(state, "äpf")).rows.map(({ index }) => index), [0]);
  assert.deepEqual(rows(filtered(state, "fig")).rows.map(({ index }) => index), [1]);
  assert.deepEqual(rows(filtered(state, "zzz")).rows, []);
});

test("a page that comes twice, out of order or overlapping does not move an option", () => {
  let state = loaded(first(), page(200));
  state = loaded(state, page(200));
  state = loaded(state, page(9_800));
  state = loaded(state, page(100));
  assert.equal(state.items.length, 400);
  assert.ok(state.items.every((item, at) => item === name(at)));
});

test("a page with nothing in it ends the list", () => {
  const state = loaded(more(more(first())), { offset: 200, options: [], optionCount: COUNT });
  assert.equal(wanted(state), undefined);
  assert.equal(state.count, 200);
});

test("options of the same text are apart", () => {
  assert.deepEqual(rows(begin({ options: ["a", "a"] })).rows, [{ index: 0, label: "a" }, { index: 1, label: "a" }]);
});

test("a short list has no filter, and none at all is no error", () => {
  assert.equal(hasFilter(begin({ options: ["a", "b"] })), false);
  assert.equal(hasFilter(first()), true);
  assert.deepEqual(rows(begin({})).rows, []);
});

test("a key in the filter of ten thousand costs less than a frame", () => {
  const state = all(filtered(first(), "x"));
  const ms = cpuMs(() => {
    for (let at = 0; at < 10; at += 1) rows(filtered(state, `fruit 99${at}`));
  });
  assert.ok(ms / 10 < 16, `${ms / 10} ms`);
});
