// Promise: what a remote cannot have Pi do now is refused with what keeps Pi from it.
import assert from "node:assert/strict";
import { test } from "node:test";

import { act } from "../../../bridge/extension/chat_actions.ts";
import { FRAME_BYTES } from "../../../bridge/extension/limits.ts";
import { FakeSession, user } from "./chat_fakes.ts";

function refusal(session: FakeSession, name: string): string | undefined {
  let said: string | undefined;
  act({ pi: undefined, session, interactive: undefined }, name, { entryId: "e1" }, (problem) => void (said = problem));
  return said;
}

test("a Pi that compacts is not said to answer, though it is as busy", () => {
  const session = new FakeSession();
  session.isStreaming = true;
  assert.equal(refusal(session, "reload"), "Wait for the current response to finish before reloading.");
  assert.equal(refusal(session, "navigate_tree"), "Wait for the current response to finish before navigating the session tree.");
  session.isCompacting = true;
  assert.equal(refusal(session, "reload"), "Wait for compaction to finish before reloading.");
  assert.equal(refusal(session, "navigate_tree"), "Wait for the current compaction to finish before navigating the session tree.");
});

function commands(told: unknown, session = new FakeSession()): readonly { name: string; description?: string; source: string }[] | string {
  let answer: ReturnType<typeof commands> = "no answer";
  act({ pi: { getCommands: () => told }, session, interactive: undefined }, "chat_commands", {}, (problem, found) => {
    answer = problem ?? found?.commands ?? "nothing";
  });
  return answer;
}

test("slash commands are those of Pi that can be sent, after its own that need no terminal", () => {
  const told = [
    { name: "plant", description: "Plant a bed", source: "extension", sourceInfo: {} },
    { name: "skill:pruning", source: "skill" },
    { name: "compact", description: "Pi takes its own", source: "extension" },
    { name: "two words", source: "prompt" },
    { name: "x".repeat(129), source: "prompt" },
    { description: "has no name" },
    null,
  ];
  const able = Object.assign(new FakeSession(), { compact() {}, setSessionName() {} });
  const found = commands(told, able);
  assert.ok(Array.isArray(found));
  assert.deepEqual(
    found.map(({ name, source }) => [name, source]),
    [
      ["compact", "built-in"],
      ["name", "built-in"],
      ["reload", "built-in"],
      ["plant", "extension"],
      ["skill:pruning", "skill"],
    ],
  );
  const long = Array(9_000).fill({ name: "\u0001".repeat(128), description: "\u0001".repeat(400), source: "prompt" });
  assert.ok(Buffer.byteLength(JSON.stringify(commands(long, able))) < FRAME_BYTES - 1024, "they fit a frame");
});

test("a command of Pi's own that this Pi cannot be told from afar is not among them", () => {
  const session = new FakeSession();
  Object.assign(session, { compact: undefined, setSessionName: undefined });
  const found = commands([], session);
  assert.ok(Array.isArray(found));
  assert.deepEqual(
    found.map(({ name }) => name),
    ["reload"],
  );
});

test("a Pi that tells no slash commands says so", () => {
  assert.equal(commands(undefined), "This Pi does not tell its slash commands.");
});

test("a message that is gone back to stays out of an editor that was empty, and what is in the editor stays in it", async () => {
  const session = new FakeSession();
  const entryId = session.sessionManager.appendMessage(user("one\ttwo\r\nthree"));
  const editor = {
    text: "",
    getText: () => editor.text,
    setText: (text: string) => void (editor.text = text),
  };
  /** As Pi's terminal does it, and what a person types meanwhile. */
  const goBack = async (typed?: string): Promise<string> => {
    session.extensionRunner.createCommandContext = () => ({
      navigateTree: async () => {
        await Promise.resolve();
        if (typed !== undefined) editor.text = typed;
        if (editor.text.trim() === "") editor.text = "one    two\nthree";
        return { cancelled: false };
      },
      reload: async () => {},
    });
    await new Promise((resolve) => act({ pi: undefined, session, interactive: { session, editor } }, "navigate_tree", { entryId }, resolve));
    return editor.text;
  };
  assert.equal(await goBack(), "");
  assert.equal(await goBack("typed meanwhile"), "typed meanwhile");
  editor.text = "a draft";
  assert.equal(await goBack(), "a draft");
  editor.text = "one    two\nthree";
  assert.equal(await goBack(), "one    two\nthree", "which a person wrote");
});
