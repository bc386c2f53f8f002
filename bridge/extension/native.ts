// What a component says about itself for clients that draw it in their own way: `renderNative()`, as JSON that fits.

import { jsonBytes } from "./content.ts";
import { follow, guard, isPromise } from "./guard.ts";
import { NATIVE_BYTES, NATIVE_DEPTH, NATIVE_ERROR_BYTES } from "./limits.ts";
import { field, isObject } from "./pi.ts";
import type { Truncation } from "./protocol.ts";
import { cut, wellFormed } from "./text.ts";

export interface Native {
  readonly native?: object;
  /** Why there is none, as a sentence without its full stop. */
  readonly nativeError?: string;
  readonly truncated: readonly Truncation[];
}

/** What an author is told about who will draw it. */
const CAPABILITIES = ["text-fallback", "surface-native", "osc8-links"].map((level) => `extension-native-ui:v1:${level}`);
const TARGET = "oppi-native-v1";

/** These come last: they are what can be shortened, and what is shown instead. */
const LAST = ["blocks", "fallback"];

let locale: string | undefined;

/** Whether the component has something to say. A getter may throw. */
export function isNative(component: unknown): boolean {
  return typeof field(component, "renderNative") === "function";
}

/** Calls the component's `renderNative`, which may do anything; never throws. Not to be called in the middle of Pi's frame. */
export function nativeOf(component: object): Native {
  const failed: Native = { nativeError: "renderNative() returned what cannot be read", truncated: [] };
  return guard("component.native", () => ask(component), failed);
}

function ask(component: object): Native {
  let given: unknown;
  try {
    locale ??= Intl.DateTimeFormat().resolvedOptions().locale;
    const context = { target: TARGET, capabilities: [...CAPABILITIES], locale };
    given = Reflect.apply(field(component, "renderNative") as (context: object) => unknown, component, [context]);
  } catch (error) {
    return failure(`renderNative() threw: ${String(error)}`);
  }
  if (isPromise(given)) {
    // Nobody else waits for it, and a rejection that nobody waits for ends Pi.
    follow(given, "component.native", () => {});
    return failure("renderNative() returned a promise");
  }
  if (!isObject(given) || typeof given === "function" || Array.isArray(given)) return failure("renderNative() returned no object");
  return surface(given);
}

function failure(why: string): Native {
  return { nativeError: cut(why, NATIVE_ERROR_BYTES).text, truncated: [] };
}

function surface(given: object): Native {
  const paper = new Paper();
  const native = {};
  const truncated: Truncation[] = [];
  const names = Object.keys(given);
  let lost = 0;
  for (const name of [...names.filter((one) => !LAST.includes(one)), ...LAST.filter((one) => names.includes(one))]) {
    const value = field(given, name);
    if (name === "blocks" && Array.isArray(value)) {
      const blocks = paper.items(name, value);
      put(native, name, blocks);
      if (blocks.length < value.length) truncated.push({ field: "native.blocks", shown: blocks.length, total: value.length });
      continue;
    }
    const copy = paper.member(name, value);
    if (copy !== undefined) put(native, name, copy);
    else if (!paper.isFull) continue;
    else if (name === "fallback") truncated.push({ field: "native.fallback", shown: 0, total: 1 });
    else lost += 1;
  }
  if (lost > 0) truncated.push({ field: "native", shown: names.length - lost, total: names.length });
  return { native, truncated };
}

/** As JSON does it: no name has a meaning, and none holds half of a character. */
function put(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, wellFormed(name), { value, enumerable: true, configurable: true, writable: true });
}

class Full extends Error {}

/** Copies values as JSON has them, as long as they fit NATIVE_BYTES. */
class Paper {
  /** Whether the last thing did not fit. */
  isFull = false;
  private left = NATIVE_BYTES - '{"blocks":[]}'.length;

  /** The value as JSON has it; undefined where JSON has none, or it does not fit. */
  member(name: string, value: unknown): unknown {
    return this.attempt(() => {
      this.use(jsonBytes(name) + ":,".length);
      return this.copy(value, 1);
    });
  }

  /** The first items, as many as fit. */
  items(name: string, values: readonly unknown[]): unknown[] {
    const items: unknown[] = [];
    this.left -= jsonBytes(name);
    for (const value of values) {
      const item = this.attempt(() => {
        this.use(",".length);
        return this.copy(value, 2) ?? null;
      });
      if (this.isFull) break;
      items.push(item);
    }
    return items;
  }

  private attempt<T>(make: () => T): T | undefined {
    const before = this.left;
    this.isFull = false;
    try {
      return make();
    } catch (error) {
      if (!(error instanceof Full)) throw error;
      this.isFull = true;
      this.left = before;
      return undefined;
    }
  }

  private copy(value: unknown, depth: number): unknown {
    if (typeof value === "string") return this.text(value);
    if (typeof value === "number") return this.word(Number.isFinite(value) ? value : null);
    if (typeof value === "boolean" || value === null) return this.word(value);
    if (typeof value !== "object") return undefined;
    // What is in itself ends here too.
    if (depth > NATIVE_DEPTH) return this.word(null);
    this.use("{}".length);
    return Array.isArray(value) ? this.list(value, depth) : this.object(value, depth);
  }

  private list(values: readonly unknown[], depth: number): unknown[] {
    return Array.from(values, (value) => {
      this.use(",".length);
      return this.copy(value, depth + 1) ?? this.word(null);
    });
  }

  private object(value: object, depth: number): object {
    const copy = {};
    for (const name of Object.keys(value)) {
      const member = this.copy(field(value, name), depth + 1);
      if (member === undefined) continue;
      this.use(jsonBytes(name) + ":,".length);
      put(copy, name, member);
    }
    return copy;
  }

  private text(value: string): string {
    // A UTF-16 unit takes at least one byte.
    if (value.length > this.left) throw new Full();
    const text = wellFormed(value);
    this.use(jsonBytes(text));
    return text;
  }

  private word<T extends number | boolean | null>(value: T): T {
    this.use(String(value).length);
    return value;
  }

  private use(bytes: number): void {
    if ((this.left -= bytes) < 0) throw new Full();
  }
}
