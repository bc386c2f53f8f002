// Promise: `/mirrord pair` shows a code in a dialog that Esc closes and use closes, and no remote ever hears of the dialog or the code.
import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { patchContext } from "../../../bridge/extension/hooks.ts";
import { Instance } from "../../../bridge/extension/instance.ts";
import { PAIR_ANSWER_MS } from "../../../bridge/extension/limits.ts";
import type { PairCode } from "../../../bridge/extension/protocol.ts";
import type { Registry } from "../../../bridge/extension/registry.ts";
import { blankRegistry } from "./blank.ts";
import { FakeDaemon } from "./daemon_fake.ts";
import { rows } from "./fixtures.ts";
import { KIT } from "./kit_fake.ts";
import { sessionContext, settled, SlotMode, StackMode, type Ctx } from "./pi_fakes.ts";

const EXAMPLE = rows<{ message: PairCode & { seq?: number } }>("bridge/messages.jsonl").find(({ message }) => message.type === "pair_code")!.message;
const { seq: _, ...CODE } = EXAMPLE;
const ESCAPE = "\u001b";

let shared: Registry;
let daemon: FakeDaemon;
let pi: StackMode | SlotMode;
let ctx: Ctx;
let one: Instance;

beforeEach(async () => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"], now: CODE.expiresAt - 100_000 });
  shared = blankRegistry();
  daemon = await new FakeDaemon().listen();
  await start(new StackMode());
});

afterEach(async () => {
  one.ended({ reason: "quit" });
  mock.timers.reset();
  await daemon.remove();
});

async function start(mode: StackMode | SlotMode): Promise<void> {
  pi = mode;
  ctx = sessionContext(mode as StackMode, "one", () => undefined);
  pi.session = { sessionManager: ctx.sessionManager };
  shared.interactive = pi;
  const world = { paths: daemon.paths, home: "/home/ada", uid: process.getuid?.() ?? -1, isTerminal: () => true };
  one = new Instance(shared, world, {}, { path: "/a/index.ts", version: "0.1.0" });
  one.hosted({ version: "1.6.0", interactive: undefined, capabilities: [], missing: [], kit: KIT });
  shared.candidate = one;
  patchContext(shared, ctx.ui);
  const before = daemon.of("resync_end").length;
  one.started({ reason: "startup" }, ctx);
  await daemon.until(() => daemon.of("resync_end").length > before);
}

/** What is drawn in the dialog, without colours. */
function drawn(width = 100): string {
  const inner = pi.visible?.inner as { render(width: number): string[] } | undefined;
  return (inner?.render(width) ?? []).join("\n").replace(/\u001b\[[0-9;]*m/gu, "");
}

function press(key: string): void {
  (pi.visible?.inner as { handleInput(key: string): void }).handleInput(key);
}

/** Types the command, and has the daemon answer when it has heard of it. */
async function opened(words = "pair"): Promise<string> {
  const before = daemon.of("pair_code_request").length;
  assert.equal(one.command(words, ctx.ui), "");
  await daemon.until(() => daemon.of("pair_code_request").length === before + 1);
  return daemon.of("pair_code_request").at(-1)?.["requestId"] as string;
}

async function told(message: object): Promise<void> {
  const acks = daemon.heard.length;
  daemon.say(message);
  daemon.say({ type: "ping", n: acks + 1_000 });
  await daemon.until(() => daemon.of("pong").some((pong) => pong["n"] === acks + 1_000));
  await settled();
}

test("the code, its address and the time that is left are shown, and nothing of it is told to the daemon", async () => {
  const requestId = await opened();
  assert.match(drawn(), /Asking the daemon/);
  await told({ ...CODE, requestId });
  const text = drawn();
  assert.match(text, /Pair a device \(1:40 left\)/);
  assert.ok(text.includes(CODE.qr.map((line) => ` ${line}`).join("\n")));
  assert.ok(text.includes("Scan it, or open  http://127.0.0.1:17673/#pair=K7QF2M9XTB"));
  assert.ok(text.includes("or type  K7QF2-M9XTB  at http://127.0.0.1:17673/"));
  assert.match(text, /can run anything that you can/);
  mock.timers.tick(1_000);
  assert.match(drawn(), /\(1:39 left\)/);
  const heard = JSON.stringify(daemon.heard);
  assert.ok(!heard.includes(CODE.code));
  assert.equal(daemon.of("prompt_opened").length, 0);
});

test("the QR code is black on white in any theme", async () => {
  await told({ ...CODE, requestId: await opened() });
  const inner = pi.visible?.inner as { render(width: number): string[] };
  const lines = inner.render(100).filter((line) => /[▀▄█]/u.test(line));
  assert.ok(lines.length > 10);
  for (const line of lines) assert.match(line, /^ \u001b\[38;5;16;48;5;231m[ ▀▄█]+\u001b\[0m$/u);
});

test("for an observer it asks for that and says what one can do", async () => {
  await told({ ...CODE, role: "observer", requestId: await opened("pair  Observer") });
  assert.equal(daemon.of("pair_code_request")[0]?.["role"], "observer");
  assert.match(drawn(), /can watch and answer nothing/);
});

test("in a window that is too narrow or too low a sentence takes the picture's place", async () => {
  await told({ ...CODE, requestId: await opened() });
  assert.match(drawn(30), /No QR code, because it needs a window of \d+ columns and \d+ lines/);
  assert.ok(!/[▀▄█]/u.test(drawn(30)));
  Object.assign(pi.screen, { terminal: { rows: 24 } });
  await told({ ...CODE, requestId: await opened() });
  assert.match(drawn(), /No QR code/);
});

for (const qr of [["\u001b[2J"], ["██", "█"], ["x"], Array(41).fill("█"), ["█".repeat(81)]]) {
  test(`what is no picture is not drawn: ${JSON.stringify(qr).slice(0, 20)}`, async () => {
    await told({ ...CODE, qr, requestId: await opened() });
    assert.match(drawn(), /or type  K7QF2-M9XTB/);
    assert.ok(!/[▀▄█]/u.test(drawn()));
  });
}

test("nothing that a daemon says can move the cursor", async () => {
  const evil = "\u001b[2Ja\u009bb\u202e";
  await told({ ...CODE, code: evil, url: evil, page: evil, role: evil, requestId: await opened() });
  assert.ok(!/[\u001b\u009b\u202e]/u.test(drawn()));
  await told({ type: "pair_code_refused", requestId: await opened(), message: evil });
  assert.ok(!/[\u001b\u009b\u202e]/u.test(drawn()));
});

test("Esc closes it, other keys do not", async () => {
  await told({ ...CODE, requestId: await opened() });
  press("x");
  assert.match(drawn(), /K7QF2-M9XTB/);
  press(ESCAPE);
  await settled();
  assert.equal(pi.visible, undefined);
});

test("it closes by itself when the code is used, and a line says by whom", async () => {
  const requestId = await opened();
  await told({ ...CODE, requestId });
  await told({ type: "pair_code_ended", requestId, outcome: "used", device: "Chrome\u001b on Android" });
  assert.equal(pi.visible, undefined);
  assert.deepEqual(pi.shown, ["notify Chrome  on Android is paired. `mirrord devices` can undo it."]);
  assert.equal(daemon.of("notification").length, 0);
});

for (const [outcome, words] of [["old", /Nobody used the code/], ["replaced", /newer code/], ["too_many_tries", /guessing/], ["failed", /could not be stored/], ["later", /no longer/]] as const) {
  test(`a code that ended otherwise (${outcome}) goes, and the dialog says why`, async () => {
    const requestId = await opened();
    await told({ ...CODE, requestId });
    await told({ type: "pair_code_ended", requestId, outcome });
    assert.match(drawn(), words);
    assert.ok(!drawn().includes("K7QF2"));
  });
}

test("a refusal is shown in the daemon's words", async () => {
  await told({ type: "pair_code_refused", requestId: await opened(), message: "This Pi was started by another Pi." });
  assert.match(drawn(), /started by another Pi/);
});

test("a daemon that does not know the question is said to be older", async () => {
  await opened();
  mock.timers.tick(PAIR_ANSWER_MS);
  assert.match(drawn(), /did not answer/);
});

test("words about another request change nothing", async () => {
  await opened();
  await told({ ...CODE, requestId: "another" });
  await told({ type: "pair_code_ended", requestId: "another", outcome: "used", device: "x" });
  assert.match(drawn(), /Asking the daemon/);
});

test("asked for again, the dialog is a new one", async () => {
  await told({ ...CODE, requestId: await opened() });
  await opened();
  assert.match(drawn(), /Asking the daemon/);
  press(ESCAPE);
  await settled();
  assert.equal(pi.visible, undefined);
});

test("when the link is lost the code is said to be lost with it", async () => {
  await told({ ...CODE, requestId: await opened() });
  await daemon.stop();
  await daemon.until(() => daemon.live === 0);
  while (!drawn().includes("is lost")) await settled();
  assert.ok(!drawn().includes("K7QF2"));
});

test("the end of the session takes the dialog away", async () => {
  await told({ ...CODE, requestId: await opened() });
  one.ended({ reason: "reload" });
  await settled();
  assert.equal(pi.visible, undefined);
});

test("without a link, and where nothing is mirrored, the status is told instead", async () => {
  await daemon.stop();
  await daemon.until(() => daemon.live === 0);
  while (!/not connected/.test(one.command("status"))) await settled();
  assert.match(one.command("pair", ctx.ui), /not connected/);
  one.command("off");
  assert.match(one.command("pair", ctx.ui), /: off;/);
  assert.equal(pi.visible, undefined);
});

test("in a Pi with one place for dialogs, one that has taken it over stays", async () => {
  one.ended({ reason: "quit" });
  shared = blankRegistry();
  await start(new SlotMode());
  const requestId = await opened();
  await told({ ...CODE, requestId });
  void ctx.ui.select("Over it", ["a", "b"]);
  await told({ type: "pair_code_ended", requestId, outcome: "used", device: "phone" });
  assert.equal(pi.visible?.title, "Over it");
});
