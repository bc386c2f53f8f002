// A call of an extension to `ctx.ui` that Pi carries out as ever, with a look before it and one behind it.

import { guard } from "./guard.ts";
import type { Callable } from "./registry.ts";
import type { Site } from "./sites.ts";

export interface Step {
  /** For Pi, in place of what the caller gave. */
  readonly args: unknown[];
  /** Pi has done it. */
  done(): void;
  /** Pi threw. */
  failed?(): void;
}

export interface Call {
  readonly self: unknown;
  readonly original: Callable;
  readonly args: unknown[];
}

/** Calls `original` exactly once; throws only what that throws. */
export function performed(site: Site, prepare: () => Step, call: Call): unknown {
  const step = guard<Step | undefined>(site, prepare, undefined);
  let result: unknown;
  try {
    result = Reflect.apply(call.original, call.self, step?.args ?? call.args);
  } catch (error) {
    guard(site, () => step?.failed?.(), undefined);
    throw error;
  }
  guard(site, () => step?.done(), undefined);
  return result;
}
