// Promise: exactly the session that a person sees in this terminal is mirrored, once, whoever else loads the extension in this process.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { afterEach, beforeEach, mock, test } from "node:test";

import { hookInteractive, patchContext } from "../../../bridge/extension/hooks.ts";
import { Instance } from "../../../bridge/extension/instance.ts";
import type { Registry } from "../../../bridge/extension/registry.ts";
import { blankRegistry } from "./blank.ts";
import { FakeDaemon } from "./daemon_fake.ts";
import { sessionContext, StackMode, type Ctx } from "./pi_fakes.ts";

let shared: Registry;
let daemon: FakeDaemon;
let pi: StackMode;
let isTerminal: boolean;
let idle: boolean;
let name: string | undefined;
const made: Instance[] = [];

beforeEach(async () => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  shared = blankRegistry();
  daemon = await new FakeDaemon().listen();
  pi = new StackMode();
  isTerminal = true;
  idle = true;
  name = undefined;
});

afterEach(async () => {
  for (const instance of made.splice(0)) instance.ended({ reason: "quit" });
  mock.timers.reset();
  await daemon.remove();
});

function instance(path = "/a/index.ts"): Instance {
  const world = { paths: daemon.paths, home: "/home/ada", uid: process.getuid?.() ?? -1, isTerminal: () => isTerminal };
  const one = new Instance(shared, world, {}, { path, version: "0.1.0" });
  made.push(one);
  shared.candidate ??= one;
  return one;
}

function context(id: string, fields: Partial<Ctx> = {}): Ctx {
  return { ...sessionContext(pi, id, () => name), isIdle: () => idle, ...fields };
}

/** The terminal shows the session of `ctx`, and Pi's interactive mode is known. */
function shows(ctx: Ctx): void {
  pi.session = { sessionManager: ctx.sessionManager };
  shared.interactive = pi;
}

async function synced(times: number): Promise<void> {
  await daemon.until(() => daemon.of("resync_end").length === times);
}

test("a session that the terminal shows is claimed and mirrored", async () => {
  const ctx = context("one");
  shows(ctx);
  const one = instance();
  one.started({ reason: "startup" }, ctx);
  assert.equal(shared.owner, one);
  await synced(1);
  const [hello] = daemon.of("hello");
  assert.partialDeepStrictEqual(hello, {
    bridge: { version: "0.1.0", path: "/a/index.ts", generation: 1 },
    terminal: { id: "1-1", pid: process.pid, startTime: "1", mode: "tui", piVersion: null, node: process.version },
    conversation: { id: "one", cwd: "/work", file: "/s/one" },
    reason: "startup",
  });
});

test("a sub-agent in the same process is no session, and its end changes nothing", async () => {
  const ctx = context("one");
  shows(ctx);
  const one = instance();
  one.started({ reason: "startup" }, ctx);
  await synced(1);
  void ctx.ui.select("Pick", ["a"]);
  await daemon.until(() => daemon.of("prompt_opened").length === 1);
  const agent = instance();
  agent.started({ reason: "startup" }, context("two", { hasUI: false, mode: "print" }));
  agent.happened("agent_start");
  agent.ended({ reason: "quit" });
  assert.equal(shared.owner, one);
  one.happened("agent_start");
  await daemon.until(() => daemon.of("activity").length === 2);
  assert.deepEqual([daemon.of("hello").length, daemon.of("prompt_settled"), daemon.of("bye"), daemon.of("notice")], [1, [], [], []]);
});

test("print, JSON and RPC modes and processes without a terminal are no sessions", () => {
  for (const [fields, terminal] of [
    [{ mode: "print", hasUI: false }, true],
    [{ mode: "json", hasUI: false }, true],
    [{ mode: "rpc" }, true],
    [{ mode: undefined, hasUI: false }, true],
    [{}, false],
  ] as const) {
    isTerminal = terminal;
    shared.candidate = undefined;
    instance().started({ reason: "startup" }, context("one", fields));
    assert.equal(shared.owner, undefined, JSON.stringify([fields, terminal]));
  }
});

test("another session than the one on the screen is not claimed", () => {
  shows(context("shown"));
  instance().started({ reason: "startup" }, context("other"));
  assert.equal(shared.owner, undefined);
});

test("the same session under another object is the same session", () => {
  shows(context("one"));
  instance().started({ reason: "startup" }, context("one"));
  assert.ok(shared.owner);
});

test("a Pi that does not name its mode is claimed when its terminal shows itself, with what was asked before", async () => {
  const ctx = context("one", { mode: undefined });
  pi.session = { sessionManager: ctx.sessionManager };
  const one = instance();
  one.started({ reason: "reload" }, ctx);
  assert.equal(shared.owner, undefined);
  void ctx.ui.select("Early", ["a"]);
  ctx.ui.setStatus("job", "early");
  shared.interactive = pi;
  one.found();
  assert.equal(shared.owner, one);
  await synced(1);
  assert.deepEqual([daemon.of("prompt_opened").length, daemon.of("status")[0]?.["text"], daemon.of("hello")[0]?.["reason"]], [1, "early", "reload"]);
});

test("when the terminal that shows itself has another session, nothing is claimed", () => {
  const one = instance();
  one.started({ reason: "startup" }, context("one", { mode: undefined }));
  shows(context("other"));
  one.found();
  assert.equal(shared.owner, undefined);
});

test("a second copy from another path stays passive and is told", async () => {
  const ctx = context("one");
  shows(ctx);
  const [first, second] = [instance("/a/index.ts"), instance("/b/index.ts")];
  first.started({ reason: "startup" }, ctx);
  second.started({ reason: "startup" }, ctx);
  second.happened("agent_start");
  await daemon.until(() => daemon.of("notice").length === 1);
  assert.deepEqual([shared.owner, daemon.of("hello").length], [first, 1]);
  assert.partialDeepStrictEqual(daemon.of("notice")[0], { code: "second_copy", detail: "/b/index.ts (0.1.0)" });
  assert.match(first.command("status"), /Another copy is loaded and stays passive: \/b\/index\.ts/);
  second.ended({ reason: "reload" });
  assert.deepEqual(shared.copies, []);
});

test("a second copy is passive also while the first one waits for its terminal", () => {
  const ctx = context("one", { mode: undefined });
  const [first, second] = [instance("/a/index.ts"), instance("/b/index.ts")];
  first.started({ reason: "reload" }, ctx);
  second.started({ reason: "reload" }, ctx);
  shows(ctx);
  first.found();
  assert.deepEqual([shared.owner, shared.copies.length], [first, 1]);
});

test("a reload withdraws what is open, says bye, and the next generation takes over", async () => {
  const ctx = context("one");
  shows(ctx);
  const one = instance();
  one.started({ reason: "startup" }, ctx);
  await synced(1);
  void ctx.ui.select("Pick", ["a"]);
  one.ended({ reason: "reload" });
  assert.deepEqual([shared.owner, shared.candidate], [undefined, undefined]);
  const two = instance();
  two.started({ reason: "reload" }, context("one"));
  await synced(2);
  assert.partialDeepStrictEqual(daemon.of("prompt_settled")[0], { outcome: "withdrawn", winner: "none", reason: "reload" });
  assert.equal(daemon.of("bye")[0]?.["reason"], "reload");
  assert.partialDeepStrictEqual(daemon.of("hello")[1], { reason: "reload", bridge: { generation: 2 }, terminal: { id: "1-1" } });
});

test("reasons of Pi are passed on, others count as a start and as another session to come", async () => {
  let times = 0;
  for (const reason of ["new", "resume", "fork", "quit", "later"]) {
    const ctx = context(reason);
    shows(ctx);
    const one = instance();
    one.started({ reason }, ctx);
    await synced((times += 1));
    one.ended({ reason });
    await daemon.until(() => daemon.of("bye").length === times);
  }
  assert.deepEqual(daemon.of("hello").map((hello) => hello["reason"]), ["new", "resume", "fork", "startup", "startup"]);
  assert.deepEqual(daemon.of("bye").map((bye) => bye["reason"]), ["new", "resume", "fork", "quit", "reload"]);
});

test("an owner that was left behind gives way to the session on the screen", () => {
  const first = context("one");
  shows(first);
  instance().started({ reason: "startup" }, first);
  const next = context("two");
  shows(next);
  const two = instance();
  two.started({ reason: "new" }, next);
  assert.equal(shared.owner, two);
  const three = instance();
  three.started({ reason: "reload" }, context("two"));
  assert.equal(shared.owner, three);
});

test("events become activity, the name of the conversation is told when it changes", async () => {
  const ctx = context("one");
  shows(ctx);
  idle = false;
  const one = instance();
  one.started({ reason: "startup" }, ctx);
  await synced(1);
  assert.equal(daemon.of("activity")[0]?.["working"], true);
  name = "My session";
  one.happened("turn_start");
  one.happened("agent_settled");
  await daemon.until(() => daemon.of("activity").length === 3);
  assert.deepEqual(
    daemon.of("activity").map((activity) => [activity["working"], activity["cause"]]),
    [
      [true, "resync"],
      [true, "turn_start"],
      [false, "agent_settled"],
    ],
  );
  assert.partialDeepStrictEqual(daemon.of("conversation"), [{ conversation: { id: "one", name: "My session" } }]);
});

test("a private session has no socket and no record, and says why", async () => {
  writeFileSync(daemon.paths.configFile, 'exclude = ["/work"]');
  const ctx = context("one");
  shows(ctx);
  const one = instance();
  patchContext(shared, ctx.ui);
  const before = ctx.ui.select("Before", ["a"]);
  pi.visible?.choose(0);
  assert.equal(await before, "a");
  one.started({ reason: "startup" }, ctx);
  const picked = ctx.ui.select("Pick", ["a"]);
  pi.visible?.choose(0);
  assert.equal(await picked, "a");
  assert.deepEqual([shared.owner, shared.kept, daemon.links.length], [undefined, [], 0]);
  assert.match(one.command("status"), /private, because the folder is excluded by "\/work"/);
});

test("off removes the session and keeps nothing; on brings it back", async () => {
  const ctx = context("one");
  shows(ctx);
  const one = instance();
  one.started({ reason: "startup" }, ctx);
  await synced(1);
  ctx.ui.setStatus("job", "x");
  void ctx.ui.select("Before", ["a"]);
  assert.match(one.command(" OFF "), /off/);
  await daemon.until(() => daemon.live === 0);
  assert.equal(daemon.of("bye")[0]?.["reason"], "off");
  void ctx.ui.select("Meanwhile", ["a"]);
  ctx.ui.setTitle("meanwhile");
  assert.match(one.command("status"), /: off;/);
  const heard = daemon.heard.length;
  one.command("on");
  await synced(2);
  assert.equal(daemon.heard.slice(heard).map(({ type }) => type).join(" "), "hello resync_begin title tools_expanded activity resync_end");
  assert.equal(daemon.of("title").at(-1)?.["title"], null);
});

test("off holds across a reload, and other words are answered with the usage", () => {
  const ctx = context("one");
  shows(ctx);
  const one = instance();
  one.started({ reason: "startup" }, ctx);
  one.command("off");
  one.ended({ reason: "reload" });
  const two = instance();
  two.started({ reason: "reload" }, context("one"));
  assert.match(two.command(""), /: off;/);
  assert.match(two.command("help"), /^Usage/);
});

test("what is missing in this Pi is told", async () => {
  const ctx = context("one");
  shows(ctx);
  const one = instance();
  const missing = hookInteractive(shared, {});
  one.hosted({ version: "7.0", interactive: undefined, capabilities: ["dialogs:stack"], missing, kit: undefined });
  one.started({ reason: "startup" }, ctx);
  await daemon.until(() => daemon.of("notice").length === 4);
  assert.deepEqual(daemon.of("notice").map((notice) => notice["detail"]), missing);
  assert.partialDeepStrictEqual(daemon.of("hello")[0], { terminal: { piVersion: "7.0" } });
  assert.ok((daemon.of("hello")[0]?.["capabilities"] as string[]).includes("dialogs:stack"));
  assert.match(one.command(""), /This Pi has no showExtensionInput/);
});
