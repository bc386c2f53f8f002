/** Promise: the composer says what sending would do, and nothing goes to the model by accident. */

import assert from "node:assert/strict";
import { test } from "node:test";

import type { Agent, Conversation, SlashCommand } from "../../../src/chat/contract.ts";
import { EMPTY_CONVERSATION } from "../../../src/core/chat/conversation.ts";
import { deliveryOf, intentOf, type Delivery } from "../../../src/core/composer/intent.ts";

const AGENT: Agent = { compacting: false, bash: false, models: [], levels: [], refuses: {} };
const IDLE: Conversation = { ...EMPTY_CONVERSATION, isKnown: true, isStale: false, agent: AGENT };
const WORKING: Conversation = { ...IDLE, streaming: true };
const COMMANDS: readonly SlashCommand[] = [{ name: "review" }, { name: "compact" }];

const intent = (text: string, conversation: Conversation = IDLE, delivery: Delivery = "steer", commands = COMMANDS) =>
  intentOf(text, { conversation, delivery, commands });
const agent = (more: Partial<Agent>): Conversation => ({ ...IDLE, agent: { ...AGENT, ...more } });

for (const [text, conversation, delivery, expected] of [
  [" Hello \n", IDLE, "steer", { kind: "prompt", text: "Hello", verb: "Send", what: undefined }],
  ["Hello", WORKING, "steer", { kind: "steer", text: "Hello", verb: "Steer", what: "Steer: Pi reads it at its next step" }],
  ["Hello", WORKING, "follow_up", { kind: "follow_up", text: "Hello", verb: "Follow-up", what: "Follow-up: Pi gets it when it is done" }],
  ["Hello", agent({ retrying: { attempt: 1, maxAttempts: 3, delayMs: 1, error: "busy" } }), "steer", { kind: "steer", text: "Hello", verb: "Steer", what: "Steer: Pi reads it at its next step" }],
  ["!ls -l", WORKING, "steer", { kind: "bash", text: "ls -l", verb: "Run", what: "Run in the shell; Pi sees what it prints" }],
  ["!! env ", IDLE, "steer", { kind: "bash", text: "env", excluded: true, verb: "Run", what: "Run in the shell; Pi does not see it" }],
  ["/review it", WORKING, "steer", { kind: "command", text: "/review it", verb: "Run", what: "Run /review" }],
  ["/compact", agent({ compacting: true }), "steer", { kind: "command", text: "/compact", verb: "Run", what: "Run /compact" }],
  ["/usr/bin/env is broken", IDLE, "steer", { kind: "prompt", text: "/usr/bin/env is broken", verb: "Send", what: undefined }],
] as const) {
  test(`${JSON.stringify(text)} ${conversation.streaming ? "while Pi works" : "while Pi rests"} (${delivery}): ${expected.kind}`, () => {
    const found = intent(text, conversation, delivery);
    assert.ok(found.kind === "submit");
    const { kind, text: sent, options } = found.submission;
    assert.deepEqual({ kind, text: sent, verb: found.verb, what: found.what, ...options }, expected);
  });
}

for (const [name, text, conversation, why, literal] of [
  ["an unknown command", "/revew it", IDLE, /no command \/revew/, "prompt"],
  ["an unknown command while Pi works", "/revew it", WORKING, /no command \/revew/, "steer"],
  ["a command of the terminal", "/login", IDLE, /at the terminal only/, "prompt"],
  ["a command that this Pi refuses", "/review", agent({ refuses: { command: "Not from afar." } }), /^Not from afar\.$/, "prompt"],
  ["a message while Pi sums up", "Hello", agent({ compacting: true }), /sums up/, undefined],
  ["a message to a Pi that cannot run", "Hello", agent({ cannotRun: "No API key." }), /^No API key\.$/, undefined],
  ["a shell command while one runs", "!ls", agent({ bash: true }), /already runs/, undefined],
  ["a shell command that is refused", "!ls", agent({ refuses: { bash: "At the terminal only." } }), /^At the terminal only\.$/, undefined],
  ["a shell command of nothing", "!! ", IDLE, /Type the shell command/, undefined],
  ["anything to a Pi that only can be looked at", "Hello", { ...IDLE, readOnly: true, readOnlyReason: "It has quit." }, /^It has quit\.$/, undefined],
  ["more than Pi takes", "a".repeat(1024 * 1024 + 1), IDLE, /more than the 1 MB/, undefined],
] as const) {
  test(`${name} is not sent, and why is said`, () => {
    const found = intent(text, conversation);
    assert.ok(found.kind === "refused");
    assert.match(found.why, why);
    assert.equal(found.literal?.kind, literal);
    if (literal !== undefined) assert.deepEqual(found.literal, { kind: literal, text, options: { literal: true } });
  });
}

test("a Pi whose commands nobody knows is asked itself", () => {
  const found = intent("/revew", IDLE, "steer", []);
  assert.ok(found.kind === "submit");
  assert.equal(found.submission.kind, "command");
});

test("blanks alone do nothing", () => assert.deepEqual(intent(" \n "), { kind: "nothing" }));

test("a Pi that cannot be steered gets it when it is done, and why is told", () => {
  const conversation = { ...WORKING, steeringUnavailable: "Not from afar." };
  assert.deepEqual(deliveryOf(conversation, "steer"), { delivery: "follow_up", noSteering: "Not from afar." });
  const found = intent("Hello", conversation);
  assert.ok(found.kind === "submit");
  assert.equal(found.submission.kind, "follow_up");
  assert.equal(found.what, "Follow-up: Pi gets it when it is done. Not from afar.");
});
