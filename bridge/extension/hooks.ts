// The hooks in Pi. Each is put in place once in a process and stays. It looks up who is active when it is called and passes
// through when nobody is, so that a generation that is gone can never swallow a call.

import { guard } from "./guard.ts";
import { METHODS } from "./members.ts";
import { field, isObject } from "./pi.ts";
import { active, type Callable, type Registry } from "./registry.ts";

/** On a `ctx.ui` object: which methods are ours. Enumerable, because Pi copies the object by spreading it. */
const MARK = Symbol.for("mirrord.bridge.patched");

/** Methods that Pi calls soon after `session_start`, on both generations. */
const TELLING = ["showStatus", "setupAutocompleteProvider", "setupExtensionShortcuts", "updateEditorBorderColor"] as const;

/** After this each mirrored method of `ui` asks the active instance first. May be called again for the same object. */
export function patchContext(shared: Registry, ui: unknown): void {
  if (!isObject(ui)) return;
  const marked = field(ui, MARK);
  const done: Record<string, true> = isObject(marked) ? { ...(marked as Record<string, true>) } : {};
  for (const method of METHODS) {
    const original = field(ui, method) ?? (method === "ask" ? guard("ui.ask", () => active(shared)?.ask?.(ui), undefined) : undefined);
    if (done[method] === true || typeof original !== "function") continue;
    if (Reflect.set(ui, method, forwarding(shared, method, original as Callable))) done[method] = true;
  }
  Reflect.set(ui, MARK, done);
}

/** Hooks the class that draws Pi's terminal. Returns the names of methods that this Pi does not have. */
export function hookInteractive(shared: Registry, prototype: object): string[] {
  const missing: string[] = [];
  const wrap = (name: string, make: (original: Callable) => Callable): void => {
    const original = field(prototype, name);
    if (shared.hooks.has(name)) return;
    if (typeof original === "function" && Reflect.set(prototype, name, make(original as Callable))) shared.hooks.add(name);
    else missing.push(name);
  };
  wrap("createExtensionUIContext", (original) => withContext(shared, original));
  wrap("showExtensionSelector", (original) => withDialog(shared, original));
  wrap("showExtensionInput", (original) => withDialog(shared, original));
  wrap("showExtensionEditor", (original) => withDialog(shared, original));
  return missing;
}

/**
 * Hooks the class that gives extensions their `ctx.ui`, where it says for what: a /reload does not make a new object, and
 * extensions that start before this one would use the old one as it is.
 */
export function hookRunner(shared: Registry, prototype: object): void {
  const original = field(prototype, "setUIContext");
  if (typeof original !== "function" || shared.hooks.has("setUIContext")) return;
  const hooked = function (this: object, ...args: unknown[]): unknown {
    const [ui, mode] = args;
    guard("hook.context", () => (mode === "tui" ? patchContext(shared, ui) : undefined), undefined);
    return Reflect.apply(original, this, args);
  };
  if (Reflect.set(prototype, "setUIContext", hooked)) shared.hooks.add("setUIContext");
}

/** Waits for the terminal to show itself: Pi makes no new `ctx.ui` on /reload, so another method's `this` is taken. */
export function awaitInteractive(shared: Registry, prototype: object): void {
  if (shared.interactive !== undefined || shared.hooks.has("capture")) return;
  shared.hooks.add("capture");
  const undo: (() => void)[] = [];
  const seen = (interactive: object): void => {
    shared.hooks.delete("capture");
    for (const put of undo) put();
    remember(shared, interactive);
  };
  for (const name of TELLING) {
    const original = field(prototype, name);
    if (typeof original !== "function") continue;
    const wrapper = function (this: object, ...args: unknown[]): unknown {
      guard("hook.capture", () => seen(this), undefined);
      return Reflect.apply(original, this, args);
    };
    Reflect.set(prototype, name, wrapper);
    undo.push(() => {
      if (field(prototype, name) === wrapper) Reflect.set(prototype, name, original);
    });
  }
}

function forwarding(shared: Registry, method: string, original: Callable): Callable {
  return function (this: unknown, ...args: unknown[]): unknown {
    const now = active(shared);
    return now === undefined ? Reflect.apply(original, this, args) : now.intercept(method, this, original, args);
  };
}

function withContext(shared: Registry, original: Callable): Callable {
  return function (this: object, ...args: unknown[]): unknown {
    const ui = Reflect.apply(original, this, args);
    guard(
      "hook.context",
      () => {
        patchContext(shared, ui);
        remember(shared, this);
      },
      undefined,
    );
    return ui;
  };
}

function withDialog(shared: Registry, original: Callable): Callable {
  return function (this: object, ...args: unknown[]): unknown {
    const now = active(shared);
    return now === undefined ? Reflect.apply(original, this, args) : now.dialog(this, original, args);
  };
}

function remember(shared: Registry, interactive: object): void {
  shared.interactive = interactive;
  active(shared)?.found();
}
