/** Promise: a screen reader is told of each text that was sent and failed, once each time it does. */

import assert from "node:assert/strict";
import { test } from "node:test";

import type { OwnTurn } from "../../../src/chat/contract.ts";
import { announced, SILENCE } from "../../../src/core/announcement.ts";
import { failures } from "../../../src/core/composer/outcome.ts";

const turn = (stage: OwnTurn["stage"], more: Partial<OwnTurn> = {}): OwnTurn => ({ id: "t", kind: "prompt", text: "Plant tulips", at: 0, stage, ...more });

for (const [name, before, now, expected] of [
  ["rejected at once", [], [turn("rejected", { reason: "Not connected." })], "Not sent. Not connected."],
  ["rejected later", [turn("sending")], [turn("rejected", { reason: "A turn is running." })], "Not sent. A turn is running."],
  ["unknown", [turn("accepted")], [turn("unknown")], "Nobody can tell whether Pi took it."],
  ["rejected after all", [turn("unknown")], [turn("rejected")], "Not sent."],
  ["one of two that fail alike", [], [turn("rejected", { reason: "Not now." }), turn("rejected", { id: "u", reason: "Not now." })], "Not sent. Not now."],
  ["one of two that fail", [turn("sending")], [turn("rejected"), turn("unknown", { id: "u" })], "Not sent. Nobody can tell whether Pi took it."],
  ["failed already", [turn("rejected")], [turn("rejected")], ""],
  ["on its way", [], [turn("sending")], ""],
  ["sent again", [turn("rejected")], [turn("sending")], ""],
  ["given up", [turn("rejected")], [], ""],
] as const) {
  test(`of one that is ${name}: ${expected === "" ? "nothing" : expected}`, () => assert.equal(failures(before, now), expected));
}

test("the same sentence again is another announcement", () => {
  const first = announced(SILENCE, "Sent.");
  const second = announced(first, "Sent.");
  assert.deepEqual([first.text, second.text], ["Sent.", "Sent."]);
  assert.notDeepEqual(first, second);
});
