/** Promise: a card that has just appeared or moved takes nothing for 400 ms, and everything afterwards. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { appeared, changed, GUARD_MS, isOpen, seen } from "../../src/cards/guard.ts";

const PLACE = { left: 8, top: 400, width: 374, height: 300 };

test("a card that appears is closed for 400 ms", () => {
  const guard = appeared(1_000);
  assert.equal(GUARD_MS, 400);
  assert.equal(isOpen(guard, 1_000), false);
  assert.equal(isOpen(guard, 1_399), false);
  assert.equal(isOpen(guard, 1_400), true);
});

test("the first place that is seen is no move", () => {
  const guard = seen(appeared(0), PLACE, 390);
  assert.equal(isOpen(guard, 400), true);
});

for (const [name, place] of Object.entries({
  "moves up": { ...PLACE, top: 380 },
  "moves aside": { ...PLACE, left: 20 },
  grows: { ...PLACE, height: 340 },
  "gets wider": { ...PLACE, width: 380 },
})) {
  test(`a card that ${name} is closed for 400 ms again`, () => {
    const guard = seen(seen(appeared(0), PLACE, 10), place, 5_000);
    assert.equal(isOpen(guard, 5_399), false);
    assert.equal(isOpen(guard, 5_400), true);
  });
}

test("a fraction of a pixel is no move", () => {
  const guard = seen(seen(appeared(0), PLACE, 10), { ...PLACE, top: 401.5 }, 5_000);
  assert.equal(isOpen(guard, 5_000), true);
});

test("a drift of small steps adds up to a move", () => {
  let guard = seen(appeared(0), PLACE, 10);
  for (let step = 1; step <= 4; step += 1) guard = seen(guard, { ...PLACE, top: PLACE.top + step }, 1_000 * step);
  assert.equal(isOpen(guard, 3_100), false);
});

test("other content at the same place counts as appearing", () => {
  const guard = changed(seen(appeared(0), PLACE, 10), 2_000);
  assert.equal(isOpen(guard, 2_399), false);
  assert.equal(isOpen(guard, 2_400), true);
});
