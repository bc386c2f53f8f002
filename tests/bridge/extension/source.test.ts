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

const STACK = `Error
    at caller (/home/ada/.local/share/mirrord/extension/mirrord/source.ts:28:21)
    at Object.select (/home/ada/.local/share/mirrord/extension/mirrord/hooks.ts:99:5)
    at wrapper.select (file:///lib/node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js:1:2345)
    at async Promise.all (index 0)
    at node:internal/process/task_queues:95:5
    at execute (/home/ada/my extensions (new)/gate.ts:12:30)
    at run (file:///lib/node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js:1:99)`;
const OURS = "/home/ada/.local/share/mirrord/extension/mirrord/";

test("the first frame that is neither ours nor Pi's is it", () => {
  assert.equal(sourceOf(STACK, OURS, undefined), "gate");
});

test("Pi may be somewhere else", () => {
  const stack = STACK.replaceAll("/lib/node_modules/@earendil-works/pi-coding-agent/dist/", "/opt/pi/dist/");
  assert.equal(sourceOf(stack, OURS, "/opt/pi/dist/"), "gate");
});

test("where only Pi and we are, nobody is named", () => {
  assert.equal(sourceOf(STACK.split("\n").slice(0, 6).join("\n"), OURS, undefined), undefined);
});

test("a file of the extension that is deep in calls is found, and the limit of the stack is as it was", () => {
  const limit = Error.stackTraceLimit;
  const deep = (n: number): string | undefined => (n === 0 ? caller() : deep(n - 1));
  assert.equal(deep(12), "source.test");
  assert.equal(Error.stackTraceLimit, limit);
});
