// Promise: what Pi loads never fails to load, listens to what it needs, and adds one command, whatever else is loaded with it.
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, beforeEach, test } from "node:test";

import { KEY, type Registry } from "../../../bridge/extension/registry.ts";
import mirrord from "../../../bridge/extension/index.ts";

class FakePi extends EventEmitter {
  readonly commands = new Map<string, { handler: (words: string, ctx: unknown) => unknown }>();
  registerCommand(name: string, options: { handler: (words: string, ctx: unknown) => unknown }): void {
    this.commands.set(name, options);
  }
}

function record(): Registry {
  return Reflect.get(globalThis, KEY) as Registry;
}

before(() => {
  const home = mkdtempSync(join(tmpdir(), "mirrord-index-"));
  Object.assign(process.env, { HOME: home, XDG_RUNTIME_DIR: home, XDG_CONFIG_HOME: home });
});

beforeEach(() => {
  delete process.env["MIRRORD"];
  if (record() !== undefined) Object.assign(record(), { owner: undefined, candidate: undefined });
});

test("it listens to the session and the agent and adds /mirrord", async () => {
  const pi = new FakePi();
  await mirrord(pi);
  assert.deepEqual(pi.eventNames().sort(), [
    "agent_end",
    "agent_settled",
    "agent_start",
    "model_select",
    "session_info_changed",
    "session_shutdown",
    "session_start",
    "session_tree",
    "turn_end",
    "turn_start",
    "user_bash",
  ]);
  assert.deepEqual([...pi.commands.keys()], ["mirrord"]);
  assert.ok(record().candidate);
});

test("/mirrord answers through Pi's own notify, and that is not mirrored", async () => {
  const pi = new FakePi();
  await mirrord(pi);
  const shown: unknown[] = [];
  const notify = (...words: unknown[]): void => void shown.push(record().quiet, ...words);
  assert.equal(pi.commands.get("mirrord")?.handler("", { ui: { notify } }), undefined);
  assert.deepEqual([shown[0], shown[2], record().quiet], [true, "info", false]);
  assert.match(String(shown[1]), /not mirrored, because Pi has not shown this session in a terminal yet/);
});

test("of two copies one adds the command, and the first stays the candidate", async () => {
  const first = new FakePi();
  await mirrord(first);
  const candidate = record().candidate;
  Object.assign(candidate ?? {}, { path: "/elsewhere/index.ts" });
  const second = new FakePi();
  await mirrord(second);
  assert.deepEqual([second.commands.size, record().candidate], [0, candidate]);
});

test("loaded again from the same path, the later load is the candidate", async () => {
  await mirrord(new FakePi());
  const earlier = record().candidate;
  const again = new FakePi();
  await mirrord(again);
  assert.notEqual(record().candidate, earlier);
  assert.equal(again.commands.size, 1);
});

test("MIRRORD=0 leaves the command, which says so", async () => {
  process.env["MIRRORD"] = "0";
  const pi = new FakePi();
  await mirrord(pi);
  let said = "";
  pi.commands.get("mirrord")?.handler("status", { ui: { notify: (text: string) => void (said = text) } });
  assert.match(said, /private, because MIRRORD=0/);
});

test("a Pi that refuses everything still starts", async () => {
  const angry = {
    on: () => {
      throw new Error("no events here");
    },
  };
  await mirrord(angry);
  await mirrord(undefined);
});

test("beside a record of another shape it does nothing", async () => {
  Reflect.set(record(), "abi", 2);
  const pi = new FakePi();
  await mirrord(pi);
  assert.deepEqual([pi.eventNames(), pi.commands.size], [[], 0]);
  Reflect.set(record(), "abi", 1);
});
