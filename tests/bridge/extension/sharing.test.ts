// Promise: the screen is shared when the person said so and never before, that is told to each daemon, and /mirrord status says how it stands.
import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { Instance } from "../../../bridge/extension/instance.ts";
import type { ScreenView } from "../../../bridge/extension/protocol.ts";
import type { Registry } from "../../../bridge/extension/registry.ts";
import { blankRegistry } from "./blank.ts";
import { FakeDaemon } from "./daemon_fake.ts";
import { sessionContext, settled, StackMode } from "./pi_fakes.ts";

const FOLLOWED = { followed: true, shared: false, watchers: 0 };

let shared: Registry;
let daemon: FakeDaemon;
let pi: StackMode;
let one: Instance;
let asked = 0;

beforeEach(async () => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  shared = blankRegistry();
  daemon = await new FakeDaemon().listen();
  pi = new StackMode();
  one = await started("startup");
});

afterEach(async () => {
  one.ended({ reason: "quit" });
  mock.timers.reset();
  await daemon.remove();
});

async function started(reason: string): Promise<Instance> {
  const ctx = sessionContext(pi, "one", () => undefined);
  pi.session = { sessionManager: ctx.sessionManager };
  shared.interactive = pi;
  const world = { paths: daemon.paths, home: "/home/ada", uid: process.getuid?.() ?? -1, isTerminal: () => true };
  const made = new Instance(shared, world, {}, { path: "/a/index.ts", version: "0.1.0" });
  shared.candidate = made;
  const before = daemon.of("resync_end").length;
  made.started({ reason }, ctx);
  await daemon.until(() => daemon.of("resync_end").length > before);
  return made;
}

/** The daemon says how it stands. */
async function stands(view: Omit<ScreenView, "type">): Promise<void> {
  daemon.say({ type: "screen_view", ...view });
  daemon.say({ type: "ping", n: (asked += 1) });
  await daemon.until(() => daemon.of("pong").some((pong) => pong["n"] === asked));
  await settled();
}

function told(): unknown[] {
  return daemon.of("screen_share").map((message) => message["on"]);
}

test("nothing is told before the person said something, and nothing is claimed of a screen that nobody follows", async () => {
  assert.deepEqual(told(), []);
  assert.doesNotMatch(one.command("status"), /screen/);
  await stands({ followed: false, shared: false, watchers: 0 });
  assert.doesNotMatch(one.command("status"), /screen/);
});

test("on and off are told as they are typed", async () => {
  await stands(FOLLOWED);
  assert.match(one.command("screen on"), /^The screen is shared .*\/mirrord screen off ends that\.$/);
  await daemon.until(() => told().length === 1);
  assert.match(one.command("SCREEN  off"), /^The screen is not shared\./);
  await daemon.until(() => told().length === 2);
  assert.deepEqual(told(), [true, false]);
});

test("the status says how it stands, as the daemon has it", async () => {
  await stands(FOLLOWED);
  assert.match(one.command("status"), /\nThe screen is not shared; \/mirrord screen on shares it\./);
  for (const [watchers, words] of [[0, "nobody watches it now"], [1, "1 device watches it"], [3, "3 devices watch it"]] as const) {
    await stands({ followed: true, shared: true, watchers });
    assert.ok(one.command("status").includes(`\nThe screen is shared with devices that may answer, and ${words}; /mirrord screen off ends that.`));
  }
  one.command("off");
  assert.doesNotMatch(one.command("status"), /screen/);
});

test("where nobody follows the screen it cannot be shared, and why is said", async () => {
  await stands({ followed: false, shared: false, watchers: 0 });
  assert.match(one.command("screen on"), /not started with `mirrord pi`/);
  assert.equal(shared.screen, undefined);
});

test("what was said holds across a reload and is told again; without a daemon only off is kept", async () => {
  one.command("screen on");
  await daemon.until(() => told().length === 1);
  one.ended({ reason: "reload" });
  one = await started("reload");
  assert.deepEqual(told(), [true, true]);
  await daemon.remove();
  while (!/not connected/.test(one.command("status"))) await settled();
  one.command("screen off");
  assert.match(one.command("screen on"), /not connected/);
  assert.equal(shared.screen, false);
});
