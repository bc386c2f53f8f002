/** Promise: what waits in Pi says from whom it is, as far as anybody knows. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { originOf } from "../../../src/core/composer/queue.ts";

const WAITS = { kind: "steer", position: 0, text: "north first" } as const;
const TURN = { id: "t", kind: "steer", text: "north first", stage: "queued", at: 1 } as const;

test("one of this device, of another by name, of another without, and of the terminal", () => {
  assert.equal(originOf({ ...WAITS, clientTurnId: "t", from: "me" }, [TURN]).kind, "here");
  assert.deepEqual(originOf({ ...WAITS, clientTurnId: "u", from: "Ada’s phone" }, [TURN]), { kind: "device", name: "Ada’s phone" });
  assert.equal(originOf({ ...WAITS, clientTurnId: "u" }, [TURN]).kind, "elsewhere");
  assert.equal(originOf(WAITS, [TURN]).kind, "terminal");
});
