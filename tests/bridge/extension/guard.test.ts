// Promise: no throw of the extension leaves it, because every callback is made by the guard; and nothing of it keeps Pi alive.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { EventEmitter } from "node:events";
import { test } from "node:test";

import { after, every, failures, follow, guard, guarded, isPromise, listen, onAbort } from "../../../bridge/extension/guard.ts";
import { SITES } from "../../../bridge/extension/sites.ts";
import { EXTENSION, source } from "./fixtures.ts";

const FILES = readdirSync(EXTENSION).filter((name) => name.endsWith(".ts"));
const CALLBACKS =
  /\.(?:on|once|addListener|prependListener|then|catch|finally|addEventListener)\(|\b(?:setTimeout|setInterval|setImmediate|queueMicrotask|nextTick)\(|process\.on|\basync\b|\bawait\b(?! import)/;

function code(name: string): string {
  return source(`bridge/extension/${name}`)
    .split("\n")
    .filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line))
    .join("\n");
}

for (const name of FILES.filter((file) => file !== "guard.ts" && file !== "index.ts")) {
  test(`${name} makes no callback of its own`, () => assert.doesNotMatch(code(name), CALLBACKS));
}

test("index.ts waits for Pi's own modules only", () => {
  const rest = code("index.ts")
    .replace("export default async function", "")
    .replace('await hostModule("pi-coding-agent")', "")
    .replace('await hostModule("pi-tui")', "")
    .replace("async function hostModule", "")
    .replace("return await import(`${scope}/${name}`)", "");
  assert.doesNotMatch(rest, CALLBACKS);
});

test("the scan finds what it looks for", () => {
  for (const bad of ['socket.on("data", f)', "p.then(f)", "setTimeout(f, 1)", "async () => {}", "process.nextTick(f)"]) assert.match(bad, CALLBACKS);
});

test("each site is used, and only in one way of writing", () => {
  const all = FILES.filter((name) => name !== "sites.ts").map(code).join("\n");
  const templates = { "ui.": /`ui\.\$\{method\}`/, "event.": /`event\.\$\{name\}`/ };
  for (const site of SITES) {
    const family = Object.entries(templates).find(([start]) => site.startsWith(start))?.[1];
    assert.ok(all.includes(`"${site}"`) || (family !== undefined && family.test(all)), site);
  }
});

test("only guard.ts and node's own modules are imported, and Pi's by name at run time", () => {
  for (const name of FILES) {
    for (const [, from] of code(name).matchAll(/from "([^"]+)"/g)) assert.match(from ?? "", /^node:|^\.\/[a-z_]+\.ts$/, name);
  }
});

test("nothing is written to the terminal", () => {
  for (const name of FILES) assert.doesNotMatch(code(name), /console\.|process\.(?:stdout|stderr)\.write/, name);
});

function boom(): never {
  throw new Error("boom");
}

test("a throw becomes the fallback and is counted", () => {
  failures.clear();
  assert.equal(guard("command", boom, "fallback"), "fallback");
  guarded("command", boom)();
  assert.equal(failures.get("command"), 2);
  assert.equal(guard("command", () => "value", "fallback"), "value");
});

test("a listener may throw", () => {
  const emitter = new EventEmitter();
  listen(emitter, "event", "link.data", boom);
  emitter.emit("event");
});

test("a promise goes on whatever the look at it does", async () => {
  const outcomes: unknown[] = [];
  const through = (promise: Promise<unknown>): Promise<unknown> =>
    new Promise((resolve, reject) =>
      follow(
        promise,
        "dialog.settle",
        (outcome) => {
          outcomes.push(outcome);
          boom();
        },
        resolve,
        reject,
      ),
    );
  assert.equal(await through(Promise.resolve(1)), 1);
  await assert.rejects(through(Promise.reject(new Error("theirs"))), /theirs/);
  assert.deepEqual(outcomes, [{ value: 1 }, { error: new Error("theirs") }]);
});

test("a signal is passed on whatever the look at it does, and not after it was taken back", () => {
  const controller = new AbortController();
  let passed = 0;
  onAbort(controller.signal, "dialog.signal", boom, () => (passed += 1));
  onAbort(controller.signal, "dialog.signal", () => {}, boom);
  onAbort(controller.signal, "dialog.signal", boom, () => (passed += 10))();
  controller.abort();
  assert.equal(passed, 1);
});

test("timers keep nothing alive", () => {
  const alive = (): number => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = alive();
  const timers = [after(60_000, "link.tick", () => {}), every(60_000, "link.tick", () => {})];
  assert.equal(alive(), before);
  for (const timer of timers) timer.cancel();
});

test("a thing with a then is no promise of Pi", () => {
  assert.deepEqual([isPromise(Promise.resolve()), isPromise({ then: () => {} }), isPromise(undefined)], [true, false, false]);
});
