// Promise: a hook is put in place once, changes nothing while nobody is active, and never serves a generation that is gone.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { awaitInteractive, hookInteractive, hookRunner, patchContext } from "../../../bridge/extension/hooks.ts";
import { METHODS } from "../../../bridge/extension/members.ts";
import type { Active, Callable, Registry } from "../../../bridge/extension/registry.ts";
import { blankRegistry } from "./blank.ts";
import { StackMode, type Ui } from "./pi_fakes.ts";

let shared: Registry;
let Mode: typeof StackMode;

beforeEach(() => {
  shared = blankRegistry();
  // A class of its own for each test, because hooks stay.
  Mode = class extends StackMode {};
  for (const name of ["createExtensionUIContext", "showExtensionSelector", "showExtensionInput", "showStatus"] as const) {
    Object.assign(Mode.prototype, { [name]: StackMode.prototype[name] });
  }
});

/** An instance that notes what it is asked and passes it on. */
function witness(name: string, log: string[]): Active {
  return {
    path: `/${name}`,
    version: "0",
    sessionId: () => undefined,
    intercept(method: string, self: unknown, original: Callable, args: unknown[]) {
      log.push(`${name} ${method}`);
      return Reflect.apply(original, self, args);
    },
    dialog(self: object, original: Callable, args: unknown[]) {
      log.push(`${name} dialog`);
      return Reflect.apply(original, self, args);
    },
    found: () => void log.push(`${name} found`),
    copyFound: () => {},
    retire: () => {},
    command: () => "",
  };
}

function use(ui: Ui): void {
  void ui.select("t", ["a"]);
  void ui.confirm("t", "m");
  void ui.input("t");
  ui.notify("n");
  ui.setStatus("k", "s");
  ui.setTitle("t");
  void ui.editor("t", "p");
  void ui.custom(() => ({}));
  ui.setWidget("k", ["w"]);
  ui.setHeader(undefined);
  ui.setFooter(undefined);
  ui.setWorkingMessage("m");
  ui.setWorkingVisible(true);
  ui.setWorkingIndicator();
  ui.setHiddenThinkingLabel("l");
  ui.setToolsExpanded(true);
  ui.setEditorText("e");
  ui.pasteToEditor("p");
  ui.setTheme("light");
  (ui as Ui & { ask?: () => unknown }).ask?.();
  ui.onTerminalInput(() => undefined)();
}

test("each mirrored method asks the active instance, others do not", () => {
  const log: string[] = [];
  const ui = new Mode().createExtensionUIContext();
  patchContext(shared, ui);
  shared.owner = witness("owner", log);
  use(ui);
  assert.deepEqual(log.sort(), METHODS.filter((method) => method !== "ask").map((method) => `owner ${method}`).sort());
});

test("ask is added where there is none, by the instance that is active, and never put over another", () => {
  const log: string[] = [];
  shared.candidate = { ...witness("owner", log), ask: () => () => "ours" };
  const ui: Ui & { ask?: () => unknown } = new Mode().createExtensionUIContext();
  patchContext(shared, ui);
  assert.deepEqual([ui.ask?.(), log], ["ours", ["owner ask"]]);
  const other: Ui & { ask?: () => unknown } = { ...new Mode().createExtensionUIContext(), ask: () => "theirs" };
  patchContext(shared, other);
  assert.equal(other.ask?.(), "theirs");
});

test("where nobody wants ask, or cannot make it, there is none", () => {
  for (const ask of [() => undefined, () => assert.fail("no components")]) {
    shared.candidate = { ...witness("owner", []), ask };
    const ui = new Mode().createExtensionUIContext();
    patchContext(shared, ui);
    assert.equal("ask" in ui, false);
  }
});

test("without an active instance calls pass through", () => {
  hookInteractive(shared, Mode.prototype);
  const pi = new Mode();
  use(pi.createExtensionUIContext());
  assert.deepEqual([pi.extensionDialogs.length, pi.shown.slice(0, 3)], [5, ["notify n", "status k s", "title t"]]);
});

test("an object is patched once, also after Pi spread it into another", () => {
  const log: string[] = [];
  const base = new Mode().createExtensionUIContext();
  patchContext(shared, base);
  patchContext(shared, base);
  const wrapper: Ui = { ...base, select: (...args) => base.select(...args) };
  patchContext(shared, wrapper);
  shared.owner = witness("owner", log);
  void wrapper.select("t", ["a"]);
  wrapper.notify("n");
  assert.deepEqual(log, ["owner select", "owner notify"]);
});

test("a frozen object is left as it is", () => {
  const ui = Object.freeze(new Mode().createExtensionUIContext());
  patchContext(shared, ui);
  shared.owner = witness("owner", []);
  ui.notify("n");
});

test("what no object is cannot be patched", () => {
  for (const nothing of [undefined, null, 5]) patchContext(shared, nothing);
});

test("the hooks of one generation serve the next", () => {
  const log: string[] = [];
  shared.owner = witness("first", log);
  hookInteractive(shared, Mode.prototype);
  const before = Mode.prototype.createExtensionUIContext;
  const ui = new Mode().createExtensionUIContext();
  shared.owner = undefined;
  shared.candidate = witness("second", log);
  assert.deepEqual(hookInteractive(shared, Mode.prototype), []);
  assert.equal(Mode.prototype.createExtensionUIContext, before);
  log.length = 0;
  ui.notify("n");
  void ui.select("t", ["a"]);
  assert.deepEqual(log, ["second notify", "second select", "second dialog"]);
});

test("the owner is asked before a candidate", () => {
  const log: string[] = [];
  const ui = new Mode().createExtensionUIContext();
  patchContext(shared, ui);
  shared.candidate = witness("candidate", log);
  shared.owner = witness("owner", log);
  ui.notify("n");
  assert.deepEqual(log, ["owner notify"]);
});

test("a new context is patched and shows the terminal", () => {
  const log: string[] = [];
  shared.candidate = witness("candidate", log);
  hookInteractive(shared, Mode.prototype);
  const pi = new Mode();
  pi.createExtensionUIContext().notify("n");
  assert.deepEqual([log, shared.interactive], [["candidate found", "candidate notify"], pi]);
});

test("methods that this Pi does not have are named", () => {
  assert.deepEqual(hookInteractive(shared, { createExtensionUIContext: () => ({}) }), [
    "showExtensionSelector",
    "showExtensionInput",
    "showExtensionEditor",
  ]);
});

test("where no new context is made, another method shows the terminal once and is itself again", () => {
  const log: string[] = [];
  shared.candidate = witness("candidate", log);
  const original = Mode.prototype.showStatus;
  awaitInteractive(shared, Mode.prototype);
  awaitInteractive(shared, Mode.prototype);
  assert.notEqual(Mode.prototype.showStatus, original);
  const pi = new Mode();
  pi.showStatus();
  pi.showStatus();
  assert.deepEqual([log, shared.interactive, Mode.prototype.showStatus], [["candidate found"], pi, original]);
});

test("a method that somebody else wrapped meanwhile is left to them", () => {
  awaitInteractive(shared, Mode.prototype);
  const ours = Mode.prototype.showStatus;
  const theirs = function (this: StackMode): void {
    ours.call(this);
  };
  Mode.prototype.showStatus = theirs;
  new Mode().showStatus();
  assert.equal(Mode.prototype.showStatus, theirs);
});

test("a runner's context is patched where it is for a terminal only", () => {
  const log: string[] = [];
  class Runner {
    ui: unknown;
    setUIContext(ui: unknown, _mode?: string): void {
      this.ui = ui;
    }
  }
  hookRunner(shared, Runner.prototype);
  hookRunner(shared, Runner.prototype);
  shared.owner = witness("owner", log);
  for (const mode of ["rpc", undefined, "tui"]) {
    const ui = new Mode().createExtensionUIContext();
    const runner = new Runner();
    runner.setUIContext(ui, mode);
    assert.equal(runner.ui, ui);
    ui.notify(`${mode}`);
  }
  assert.deepEqual(log, ["owner notify"]);
});
