// Promise: the process is named so that no other is taken for it, and what Pi starts does not inherit our variables.
import assert from "node:assert/strict";
import { test } from "node:test";

import { identify } from "../../../bridge/extension/identity.ts";
import { registry } from "../../../bridge/extension/registry.ts";
import { VERSION } from "../../../bridge/extension/version.ts";
import { takeVariables, variable, world } from "../../../bridge/extension/world.ts";
import { blankRegistry } from "./blank.ts";
import { source } from "./fixtures.ts";

const STAT = "4242 (a) b (pi) S 1 4242 4242 34816 4242 4194304 100 0 0 0 10 5 0 0 20 0 11 0 1234567 1 2 3";

test("the start time is field 22, whatever the program is called", () => {
  assert.deepEqual(identify(4242, () => STAT), { terminalId: "4242-1234567", startTime: "1234567" });
});

test("without a start time two processes of one pid have different names", () => {
  const none = (): string => {
    throw new Error("no such file");
  };
  const [one, two] = [identify(7, none), identify(7, () => "nonsense")];
  assert.deepEqual([one.startTime, two.startTime], [null, null]);
  assert.match(one.terminalId, /^7-[0-9a-f]{12}$/);
  assert.notEqual(one.terminalId, two.terminalId);
});

test("this process has a start time where there is /proc", { skip: process.platform !== "linux" && "no /proc" }, () => {
  assert.match(identify(process.pid).startTime ?? "", /^\d+$/);
});

test("our variables leave the environment and are known all the same", () => {
  const shared = blankRegistry();
  const env: Record<string, string | undefined> = { MIRRORD: "1", MIRRORD_X: "2", MIRRORDX: "3", PATH: "/bin" };
  takeVariables(shared, env);
  assert.deepEqual(env, { MIRRORDX: "3", PATH: "/bin" });
  assert.deepEqual([variable(shared, "MIRRORD", env), variable(shared, "MIRRORD_X", env), variable(shared, "PATH", env)], ["1", "2", "/bin"]);
});

test("a home that is not absolute is that of the user database", () => {
  assert.equal(world({ HOME: "/home/ada" }).home, "/home/ada");
  assert.match(world({ HOME: "" }).home, /^\//);
});

test("one record is found by every load, and one of another shape by none", () => {
  const identity = (): { terminalId: string; startTime: string | null } => ({ terminalId: "a", startTime: null });
  const first = registry(identity);
  assert.ok(first);
  assert.equal(registry(() => assert.fail("asked twice")), first);
  Reflect.set(first, "abi", 2);
  assert.equal(registry(identity), undefined);
});

test("the version is that of the Python package", () => {
  assert.match(source("mirrord/__init__.py"), new RegExp(`__version__ = "${VERSION.replaceAll(".", "\\.")}"`));
});
