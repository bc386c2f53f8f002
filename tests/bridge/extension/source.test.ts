// Promise: a dialog is said to be of the extension that a person would name, and of nobody where no extension is on the stack.
import assert from "node:assert/strict";
import { test } from "node:test";

import { caller, nameOf, sourceOf } from "../../../bridge/extension/source.ts";

for (const [path, name] of [
  ["/home/ada/.pi/agent/extensions/plan.ts", "plan"],
  ["/home/ada/.pi/agent/extensions/plan/index.ts", "plan"],
  ["/home/ada/.pi/agent/extensions/plan/src/ui/dialogs.ts", "plan"],
  ["/work/app/.pi/extensions/deploy.js", "deploy"],
  ["/work/app/node_modules/pi-subagents/dist/index.js", "pi-subagents"],
  ["/work/app/node_modules/@ada/pi-plan/src/index.ts", "@ada/pi-plan"],
  ["/lib/node_modules/@earendil-works/pi-coding-agent/examples/extensions/permission-gate.ts", "permission-gate"],
  ["/home/ada/tools/my-extension/src/index.ts", "my-extension"],
  ["/home/ada/tools/gate.mts", "gate"],
] as const) {
  test(`${path} is ${name}`, () => assert.equal(nameOf(path), name));
}

const OURS = "/home/ada/.local/share/mirrord/extension/mirrord/";
const STACK = [
  `${OURS}source.ts`,
  `${OURS}hooks.ts`,
  "file:///lib/node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js",
  null,
  undefined,
  "node:internal/process/task_queues",
  "file:///home/ada/my%20extensions/gate.ts",
  "file:///lib/node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js",
];

test("the first file that is neither ours nor Pi's is it", () => {
  assert.equal(sourceOf(STACK, OURS, undefined), "gate");
});

test("Pi may be somewhere else", () => {
  const stack = STACK.map((file) => file?.replace("/lib/node_modules/@earendil-works/pi-coding-agent/dist/", "/opt/pi/dist/"));
  assert.equal(sourceOf(stack, OURS, "/opt/pi/dist/"), "gate");
});

test("where only Pi and we are, nobody is named", () => {
  assert.equal(sourceOf(STACK.slice(0, 6), OURS, undefined), undefined);
});

test("a file that is deep in calls is found, and errors are afterwards what they were", () => {
  const before = [Error.stackTraceLimit, Error.prepareStackTrace, Object.hasOwn(Error, "prepareStackTrace")];
  const deep = (n: number): string | undefined => (n === 0 ? caller() : deep(n - 1));
  assert.equal(deep(12), "source.test");
  assert.deepEqual([Error.stackTraceLimit, Error.prepareStackTrace, Object.hasOwn(Error, "prepareStackTrace")], before);
  assert.match(new Error("x").stack ?? "", /^Error: x\n {4}at /);
});
