// Promise: what we do in the terminal besides dialogs goes through Pi's own ways, and is told to no remote.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Terminal } from "../../../bridge/extension/terminal.ts";
import { blankRegistry } from "./blank.ts";

test("a line is shown without being forwarded, and the next call is forwarded again", () => {
  const shared = blankRegistry();
  const shown: unknown[] = [];
  const terminal = new Terminal(shared, () => ({ ui: { notify: (...args: unknown[]) => shown.push([...args, shared.quiet]) } }));
  terminal.show("Answered");
  assert.deepEqual([shown, shared.quiet], [[["Answered", "info", true]], false]);
});

test("a notify that throws leaves forwarding as it was", () => {
  const shared = blankRegistry();
  const terminal = new Terminal(shared, () => ({ ui: { notify: () => assert.fail("stale") } }));
  assert.throws(() => terminal.show("Answered"), /stale/);
  assert.equal(shared.quiet, false);
});

test("before and after a session nothing is done", () => {
  const terminal = new Terminal(blankRegistry(), () => undefined);
  terminal.show("Answered");
  assert.deepEqual([terminal.keyboard(() => undefined), terminal.stop(() => assert.fail())], [undefined, "Nothing is running."]);
});

test("stopping cancels first and aborts then, also when cancelling fails", () => {
  for (const first of [() => {}, () => assert.fail()]) {
    const order: string[] = [];
    const ctx = { isIdle: () => false, abort: () => void order.push("abort") };
    const stopped = new Terminal(blankRegistry(), () => ctx).stop(() => {
      order.push("cancel");
      first();
    });
    assert.deepEqual([stopped, order], [undefined, ["cancel", "abort"]]);
  }
});

test("an abort that fails later is nobody's unhandled rejection", async () => {
  const ctx = { isIdle: () => false, abort: () => Promise.reject(new Error("late")) };
  assert.equal(new Terminal(blankRegistry(), () => ctx).stop(() => {}), undefined);
  await new Promise((resolve) => setImmediate(resolve));
});

test("a resting agent is not stopped", () => {
  const ctx = { isIdle: () => true, abort: () => assert.fail() };
  assert.equal(new Terminal(blankRegistry(), () => ctx).stop(() => assert.fail()), "Nothing is running.");
});
