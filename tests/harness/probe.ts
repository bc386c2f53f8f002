// A test extension that counts what a process holds and how deep calls go. To be loaded before the extension that is looked at.
//
//   /probe {id}    a status and a select that is over at once; the result "probe" ID has a Count as its value
//
// It counts from the start of the process, through every /reload: what it hooks is hooked once.
import { createHook } from "node:async_hooks";

import { InteractiveMode, type ExtensionAPI } from "@mariozechner/pi-coding-agent";

import { logged } from "./exerciser.ts";

interface Count {
  /** Listeners on `process`, by event. */
  listeners: Record<string, number>;
  /** Timers and handles that were made and are neither over nor closed, by Node's name for them. */
  resources: Record<string, number>;
  /** Those of the timers that our extension's guard made, by the file that asked it to. */
  timers: Record<string, number>;
  /** Frames on the stack when a call reached Pi itself. */
  depths: Record<string, number>;
}

interface Shared {
  alive: Map<number, string>;
  timers: Map<number, string>;
  depths: Record<string, number>;
}

type Method = (...args: unknown[]) => unknown;

const KEY = Symbol.for("mirrord.tests.probe");
const COUNTED = ["Timeout", "PIPEWRAP", "PIPECONNECTWRAP", "PIPESERVERWRAP", "SIGNALWRAP", "FSEVENTWRAP", "STATWATCHER", "PROCESSWRAP"];
// A frame of the extension's guard, and the one that called it.
const GUARDED = /\/guard\.ts:\d+:\d+\)?\n[^\n]*\/(\w+\.ts):/;
const UI_METHODS = ["setStatus", "select"];

function shared(): Shared {
  const found = Reflect.get(globalThis, KEY) as Shared | undefined;
  if (found !== undefined) return found;
  const made: Shared = { alive: new Map(), timers: new Map(), depths: {} };
  Reflect.set(globalThis, KEY, made);
  createHook({
    init: (id, type) => {
      if (COUNTED.includes(type)) made.alive.set(id, type);
      const file = type === "Timeout" ? GUARDED.exec(new Error().stack ?? "")?.[1] : undefined;
      if (file !== undefined) made.timers.set(id, file);
    },
    destroy: (id) => {
      made.alive.delete(id);
      made.timers.delete(id);
    },
  }).enable();
  const prototype = InteractiveMode.prototype as unknown as Record<string, Method>;
  measure(made, prototype, "showExtensionSelector");
  const create = prototype.createExtensionUIContext;
  if (create === undefined) throw new Error("this Pi makes its ctx.ui elsewhere");
  prototype.createExtensionUIContext = function (this: unknown, ...args: unknown[]): unknown {
    const ui = Reflect.apply(create, this, args) as Record<string, Method>;
    for (const name of UI_METHODS) measure(made, ui, name);
    return ui;
  };
  return made;
}

function measure({ depths }: Shared, owner: Record<string, Method>, name: string): void {
  const original = owner[name];
  if (original === undefined) throw new Error(`this Pi has no ${name}`);
  owner[name] = function (this: unknown, ...args: unknown[]): unknown {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = Infinity;
    depths[name] = (new Error().stack ?? "").split("\n").length;
    Error.stackTraceLimit = limit;
    return Reflect.apply(original, this, args);
  };
}

function tally(names: Iterable<string>): Record<string, number> {
  const made: Record<string, number> = {};
  for (const name of names) made[name] = (made[name] ?? 0) + 1;
  return made;
}

function count({ alive, timers, depths }: Shared): Count {
  const listeners = Object.fromEntries(process.eventNames().map((name) => [String(name), process.listenerCount(name)]));
  return { listeners, resources: tally(alive.values()), timers: tally(timers.values()), depths: { ...depths } };
}

export default function probe(pi: ExtensionAPI): void {
  const state = shared();
  pi.registerCommand("probe", {
    description: "test what the process holds",
    handler: async (text, { ui }) => {
      const { id } = JSON.parse(text) as { id: string };
      await logged("probe", id, async () => {
        ui.setStatus("probe", undefined);
        await ui.select("Probe", ["one"], { signal: AbortSignal.timeout(1) });
        return count(state);
      });
    },
  });
}
