/** Promise: times, sizes and beginnings are said as people say them. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { beginning, cutOf, dayName, duration, firstOf, imageName, size, speaker, textOf } from "../../../src/chat/rows/words.ts";

test("durations", () => {
  const said = [-5, 0, 310, 9_940, 9_960, 12_400, 60_000, 64_000, 7_200_000, 7_500_000].map(duration);
  assert.deepEqual(said, ["0.0 s", "0.0 s", "0.3 s", "9.9 s", "10 s", "12 s", "1 min", "1 min 4 s", "2 h", "2 h 5 min"]);
});

test("sizes", () => {
  assert.deepEqual([0, 1, 512, 262_144, 901_120, 1_258_291].map(size), ["0 bytes", "1 byte", "512 bytes", "256 KiB", "880 KiB", "1.2 MiB"]);
});

test("what of a part or a field was cut", () => {
  const cuts = [{ field: "parts.0", shown: 262_144, total: 901_120 }, { field: "parts.10.args", shown: 1_024, total: 2_048 }];
  assert.equal(cutOf(cuts, "parts.0"), "256 KiB of 880 KiB shown");
  assert.equal(cutOf(cuts, "parts.1"), undefined);
  assert.equal(cutOf(cuts, "args", "parts.10"), "1 KiB of 2 KiB shown");
  assert.equal(cutOf(undefined, "parts.0"), undefined);
});

test("days", () => {
  const noon = new Date(2026, 10, 30, 12).getTime();
  assert.equal(dayName(noon - 3_600_000, noon), "Today");
  assert.equal(dayName(noon - 86_400_000, noon), "Yesterday");
  assert.match(dayName(new Date(2026, 2, 5).getTime(), noon), /5/);
  assert.match(dayName(new Date(2024, 2, 5).getTime(), noon), /2024/);
  assert.equal(dayName(Number.NaN, noon), "Unknown day");
});

test("speakers, texts, images and beginnings", () => {
  const message = { id: "1", kind: "assistant", at: 0, state: "done", display: true, parts: [{ type: "thinking", text: "hm" }, { type: "text", text: "a" }, { type: "text", text: "b" }] } as const;
  assert.equal(textOf(message), "a\n\nb");
  assert.deepEqual([message, { ...message, kind: "user" }, { ...message, kind: "custom", customType: "plan" }, { ...message, kind: "later" }].map(speaker), ["Pi", "You", "plan", "later"]);
  assert.deepEqual(["image/png", "image/x-icon", undefined].map(imageName), ["PNG image", "ICON image", "Image"]);
  assert.deepEqual(["new", "later", undefined].map(beginning), ["New conversation", "Another conversation", "Another conversation"]);
});

test("what is long shows its first lines, also where it is one line", () => {
  const three = ["a", "b", "c"];
  assert.equal(firstOf(three, 1), undefined, "for two more lines nobody presses a button");
  assert.deepEqual(firstOf([...three, "d"], 1), ["a"]);
  assert.equal(firstOf(["x".repeat(600)], 1), undefined);
  assert.deepEqual(firstOf(["x".repeat(1_000_000)], 2), ["x".repeat(400)]);
  assert.deepEqual(firstOf(["a", `${"x".repeat(199)}🌷${"x".repeat(999)}`, "b"], 2), ["a", "x".repeat(199)], "no half of a character");
});
