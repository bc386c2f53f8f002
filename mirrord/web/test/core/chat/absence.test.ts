/** Promise: a session without a conversation says why. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { noConversation } from "../../../src/core/chat/absence.ts";

test("a session whose extension tells no conversation says what to do", () => {
  const session = { sessionId: "s", status: { state: "idle", since: 0 } } as const;
  assert.equal(noConversation({ ...session, capabilities: ["prompt:select", "chat"] }), undefined);
  for (const capabilities of [undefined, ["prompt:select"]]) {
    assert.match(noConversation({ ...session, ...(capabilities !== undefined && { capabilities }) }) ?? "", /\/reload/);
  }
});
