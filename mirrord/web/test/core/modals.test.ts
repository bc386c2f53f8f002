/** Promise: one window at a time, in the order in which they asked; the others are counted. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { enter, isOpen, leave, waiting, type Modals } from "../../src/core/modals.ts";

const [one, two, three] = [Symbol("one"), Symbol("two"), Symbol("three")];

test("the first is open, the others wait and are counted", () => {
  const all = [one, two, three].reduce<Modals>(enter, []);
  assert.deepEqual(
    all.map((id) => isOpen(all, id)),
    [true, false, false],
  );
  assert.equal(waiting(all), 2);
  assert.equal(waiting([]), 0);
});

test("who asked next is open when one closes; who gave up waiting never opens", () => {
  const all = [one, two, three].reduce<Modals>(enter, []);
  assert.ok(isOpen(leave(all, one), two));
  const without = leave(all, two);
  assert.ok(isOpen(without, one));
  assert.ok(isOpen(leave(without, one), three));
});

test("asking twice keeps the place, leaving twice changes nothing", () => {
  const all = [one, two].reduce<Modals>(enter, []);
  assert.equal(enter(all, one), all);
  const left = leave(all, one);
  assert.equal(leave(left, one), left);
});
