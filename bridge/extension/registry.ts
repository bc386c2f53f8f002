// The one record of this process. Every generation and every copy of the extension finds the same one, whatever its version:
// its shape is a contract between versions, and `abi` changes when it does.

import type { ChatRecord } from "./chat_turns.ts";
import type { Rejected, Settled } from "./protocol.ts";

export const KEY = Symbol.for("mirrord.bridge");
export const ABI = 1;

export type Callable = (...args: unknown[]) => unknown;

/** What the hooks call. They belong to the generation that installed them, the code behind this to the one that is active. */
export interface Active {
  readonly path: string;
  readonly version: string;
  /** Pi's session that this instance belongs to, once it has started. */
  sessionId(): string | undefined;
  /** A method of `ctx.ui` was called. Calls `original` exactly once; throws only what that throws. */
  intercept(method: string, self: unknown, original: Callable, args: unknown[]): unknown;
  /** Pi opens a selector, an input or an editor. Calls `original` exactly once; throws only what that throws. */
  dialog(self: object, original: Callable, args: unknown[]): unknown;
  /** The `ask` for a `ctx.ui` that has none; undefined where there is to be none. Earlier versions do not have this method. */
  ask?(context: object): Callable | undefined;
  /** A text field of Pi's is drawn. Earlier versions do not have this method. */
  field?(): void;
  /** Pi's interactive mode is known from now on. */
  found(): void;
  /** Another copy of the extension stays passive. */
  copyFound(copy: Copy): void;
  /** Its session is over, though nobody said so: lets go of the terminal. */
  retire(): void;
  /** Does what was typed after `/mirrord` and says what to show, if anything. Earlier versions know no `ui`, in which a dialog is shown. */
  command(words: string, ui?: unknown): string;
}

export interface Copy {
  readonly path: string;
  readonly version: string;
}

/** The verdict about a response; the same response gets the same one again. */
export type Verdict = Settled | Rejected;

export interface Registry {
  readonly abi: number;
  /** The instance that mirrors this terminal. */
  owner: Active | undefined;
  /** The instance that will, when it has shown that there is a terminal. */
  candidate: Active | undefined;
  /** Pi's InteractiveMode, once it was seen. */
  interactive: object | undefined;
  /** Names of the hooks that are in place. */
  readonly hooks: Set<string>;
  readonly terminalId: string;
  readonly startTime: string | null;
  /** How often a terminal was claimed in this process. */
  generation: number;
  /** The person typed `/mirrord off`. */
  off: boolean;
  /** The person said whether the screen may be seen. Records of earlier versions do not have it. */
  screen?: boolean;
  /** A call of ours to `ctx.ui` is on the stack: it is not forwarded. */
  quiet: boolean;
  /** `MIRRORD…` variables as they were before they were taken out of the environment. */
  readonly environment: Map<string, string>;
  /** The last settlements; those that a daemon has acknowledged say so. */
  readonly kept: Settled[];
  /** Ids of prompts that are settled. */
  readonly settled: Set<string>;
  readonly verdicts: Map<string, Verdict>;
  readonly copies: Copy[];
  /** What remotes sent. Earlier versions do not have it. */
  chat?: ChatRecord;
}

/** The record of this process, made when there is none; undefined when one of another shape is there. */
export function registry(identity: () => { terminalId: string; startTime: string | null }): Registry | undefined {
  const found: unknown = Reflect.get(globalThis, KEY);
  if (found !== undefined) return isRegistry(found) ? found : undefined;
  const made: Registry = {
    abi: ABI,
    owner: undefined,
    candidate: undefined,
    interactive: undefined,
    hooks: new Set(),
    ...identity(),
    generation: 0,
    off: false,
    quiet: false,
    environment: new Map(),
    kept: [],
    settled: new Set(),
    verdicts: new Map(),
    copies: [],
  };
  Object.defineProperty(globalThis, KEY, { value: made, enumerable: false, writable: false, configurable: false });
  return made;
}

/** Who answers hooks now. */
export function active(shared: Registry): Active | undefined {
  return shared.owner ?? shared.candidate;
}

/** Keeps the last `limit` of what was put into `kept`. */
export function trim(kept: { size: number; keys(): Iterator<string>; delete(key: string): boolean }, limit: number): void {
  const keys = kept.keys();
  while (kept.size > limit) {
    const { value, done } = keys.next();
    if (done === true) return;
    kept.delete(value);
  }
}

/** Takes out, in place, because others hold the same array. */
export function removeWhere<T>(kept: T[], isOut: (item: T) => boolean): void {
  for (let at = kept.length - 1; at >= 0; at -= 1) if (isOut(kept[at] as T)) kept.splice(at, 1);
}

function isRegistry(value: unknown): value is Registry {
  return typeof value === "object" && value !== null && Reflect.get(value, "abi") === ABI;
}
