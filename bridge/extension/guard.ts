// An uncaught throw in a callback kills Pi. So every callback of the extension is made here, and nowhere else.
import { types } from "node:util";

import { fault } from "./faults.ts";
import type { Site } from "./sites.ts";

/** How often each site failed since this module was loaded; `/mirrord status` shows it. */
export const failures = new Map<Site, number>();

/** What `run` returns, or `fallback` when it throws. Never throws. */
export function guard<T>(site: Site, run: () => T, fallback: T): T {
  try {
    fault(site);
    return run();
  } catch {
    failures.set(site, (failures.get(site) ?? 0) + 1);
    return fallback;
  }
}

/** Calls what is Pi's or the caller's own; what it throws is counted and goes no further. */
export function pass(site: Site, run: () => void): void {
  try {
    run();
  } catch {
    failures.set(site, (failures.get(site) ?? 0) + 1);
  }
}

/** `run` as a callback that never throws. */
export function guarded<A extends unknown[]>(site: Site, run: (...args: A) => void): (...args: A) => void {
  return (...args) => guard(site, () => run(...args), undefined);
}

/** A timer that does not keep the process alive. */
export interface Timer {
  cancel(): void;
}

export function after(ms: number, site: Site, run: () => void): Timer {
  const handle = setTimeout(guarded(site, run), ms);
  handle.unref();
  return { cancel: () => clearTimeout(handle) };
}

export function every(ms: number, site: Site, run: () => void): Timer {
  const handle = setInterval(guarded(site, run), ms);
  handle.unref();
  return { cancel: () => clearInterval(handle) };
}

/** Once what is running now has ended, before anything else happens. */
export function soon(site: Site, run: () => void): void {
  queueMicrotask(guarded(site, run));
}

/** Anything with Node's `on`, or Pi's. What a handler is given is the emitter's word, which no type here can check. */
export interface Emitter {
  on(name: string, handler: (...args: any[]) => void): unknown;
}

export function listen<A extends unknown[]>(emitter: Emitter, name: string, site: Site, run: (...args: A) => void): void {
  emitter.on(name, guarded(site, run));
}

/** When `signal` aborts: `look` once, then `then`, whatever `look` did. The returned function takes both back. */
export function onAbort(signal: AbortSignal, site: Site, look: () => void, then: () => void): () => void {
  const listener = (): void => {
    guard(site, look, undefined);
    pass(site, then);
  };
  signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}

export function isPromise(value: unknown): value is Promise<unknown> {
  return types.isPromise(value);
}

export type Outcome = { value: unknown } | { error: unknown };

/** Shows `look` how `promise` ended, then hands the same end on, whatever `look` did. */
export function follow(
  promise: Promise<unknown>,
  site: Site,
  look: (outcome: Outcome) => void,
  resolve: (value: unknown) => void = () => {},
  reject: (error: unknown) => void = () => {},
): void {
  promise.then(
    (value) => {
      guard(site, () => look({ value }), undefined);
      resolve(value);
    },
    (error: unknown) => {
      guard(site, () => look({ error }), undefined);
      reject(error);
    },
  );
}
