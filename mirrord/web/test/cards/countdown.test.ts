/** Promise: the countdown says how long Pi really waits, on the server's clock, and speaks three times at most. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { announcement, countdown, untilNextTick, type Urgency } from "../../src/cards/countdown.ts";

const OPENED = 1_796_054_400_000;
const at = (left: number) => countdown(OPENED, OPENED + 300_000, OPENED + 300_000 - left);

test("it counts in seconds near the end, in minutes before and in hours far off", () => {
  assert.deepEqual(
    [9_000, 9_001, 119_000, 120_001, 300_000, 3 * 3_600_000].map((left) => at(left).text),
    ["9 s", "10 s", "119 s", "3 min", "5 min", "3 h"],
  );
});

test("it never says 0 s while Pi still waits", () => {
  assert.equal(at(1).text, "1 s");
  assert.equal(at(0).text, "Time is up");
  assert.equal(at(-5_000).text, "Time is up");
});

test("what is left of the whole stays between none and all, also when the clocks disagree", () => {
  assert.equal(at(150_000).fraction, 0.5);
  assert.equal(at(-1).fraction, 0);
  assert.equal(countdown(OPENED, OPENED + 1_000, OPENED - 9_000).fraction, 1);
  assert.equal(countdown(OPENED, OPENED - 1, OPENED).fraction, 0);
});

test("a whole countdown is told in three sentences", () => {
  let before: Urgency | undefined;
  const said: string[] = [];
  for (let left = 300_000; left >= -10_000; left -= 250) {
    const now = at(left);
    const sentence = announcement(before, now);
    if (sentence !== undefined) said.push(sentence);
    before = now.urgency;
  }
  assert.deepEqual(said, ["Pi waits 60 s more.", "Pi waits 15 s more.", "The time is up. Waiting for Pi."]);
});

test("it wakes up when its text changes, and not after the end", () => {
  assert.equal(untilNextTick(10_500, 0), 500);
  assert.equal(untilNextTick(10_000, 0), 1_000);
  assert.equal(untilNextTick(200_000, 0), 20_000);
  assert.equal(untilNextTick(0, 5), Number.POSITIVE_INFINITY);
});
