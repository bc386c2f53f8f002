/** Promise: long texts are cut between characters, and what Pi would not take is told before it is sent. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { clip, CONTENT_BYTES, contentObstacle, counted, lineObstacle, TYPED_BYTES, typedObstacle } from "../../src/cards/text.ts";
import { cpuMs } from "../cpu.ts";

test("a text that fits is whole, on one line", () => {
  assert.equal(clip("North", 5), "North");
  assert.equal(clip("  one\n two\t", 20), "one two");
  assert.equal(clip("", 5), "");
});

test("a text that is longer ends in an ellipsis, between characters as a reader sees them", () => {
  assert.equal(clip("abcdef", 3), "abc…");
  assert.equal(clip("👩‍💻👩‍💻👩‍💻", 2), "👩‍💻👩‍💻…");
  assert.equal(clip("e\u0301e\u0301e\u0301", 2), "e\u0301e\u0301…");
});

test("of a megabyte only the beginning is looked at", () => {
  const long = "x".repeat(1_000_000);
  assert.ok(cpuMs(() => assert.equal(clip(long, 3), "xxx…")) < 50);
});

test("a field of one line takes no line break, tab or control", () => {
  assert.equal(lineObstacle("release/1"), undefined);
  assert.equal(lineObstacle(""), undefined);
  for (const text of ["a\nb", "a\tb", "a\u001bb"]) assert.match(lineObstacle(text) ?? "", /control character/);
});

test("half a character is not sent anywhere", () => {
  for (const judge of [lineObstacle, typedObstacle, contentObstacle]) assert.match(judge("a\ud800") ?? "", /broken/);
});

test("the limits are bytes: at the limit it is sent, one past it is not", () => {
  assert.equal(typedObstacle("a".repeat(TYPED_BYTES)), undefined);
  assert.match(typedObstacle("a".repeat(TYPED_BYTES + 1)) ?? "", /64 KB/);
  assert.equal(typedObstacle("ä".repeat(TYPED_BYTES / 2)), undefined);
  assert.match(typedObstacle("ä".repeat(TYPED_BYTES / 2 + 1)) ?? "", /64 KB/);
  assert.equal(contentObstacle("a".repeat(CONTENT_BYTES)), undefined);
  assert.match(contentObstacle("a".repeat(CONTENT_BYTES + 1)) ?? "", /1 MB/);
});

test("counts are words", () => {
  assert.equal(counted(1, "option"), "1 option");
  assert.equal(counted(10_000, "option"), "10,000 options");
});
