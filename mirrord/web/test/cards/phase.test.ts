/** Promise: an answer can be given only where one can arrive, and nothing is changed under an answer that is on its way. */

import assert from "node:assert/strict";
import { test } from "node:test";

import type { CardPhase } from "../../src/cards/contract.ts";
import { canAnswer, canEdit } from "../../src/cards/phase.ts";

const ALL: Readonly<Record<CardPhase, readonly [boolean, boolean]>> = {
  open: [true, true],
  refused: [true, true],
  sending: [false, false],
  unsure: [false, false],
  link_lost: [false, true],
  detached: [false, true],
  settled: [false, false],
  lost_race: [false, false],
};

for (const [phase, [answerable, editable]] of Object.entries(ALL) as [CardPhase, readonly [boolean, boolean]][]) {
  test(`${phase}: ${answerable ? "can" : "cannot"} be answered, ${editable ? "can" : "cannot"} be changed`, () => {
    assert.equal(canAnswer({ phase, readOnly: false }), answerable);
    assert.equal(canEdit({ phase, readOnly: false }), editable);
    assert.equal(canAnswer({ phase, readOnly: true }), false);
    assert.equal(canEdit({ phase, readOnly: true }), false);
  });
}
