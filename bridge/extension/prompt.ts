// A call to a dialog as a request: the texts cut to the bounds, and the values an answer may have.

import { OPTIONS_SENT, PROMPT_BYTES, TEXT_BYTES } from "./limits.ts";
import type { Method, Prompt, Truncation } from "./protocol.ts";
import { cut } from "./text.ts";

export interface Request {
  readonly method: Method;
  /** The options as the caller gave them, in order; empty for the other methods. */
  readonly values: readonly unknown[];
  readonly timeout: number | undefined;
  /** What a remote is shown. */
  readonly display: Omit<Prompt, "id" | "openedAt" | "timeoutAt">;
}

/** Throws where a text cannot be made of what the caller gave. */
export function describe(method: Method, args: readonly unknown[], timeout: unknown): Request {
  const budget = new Budget();
  const display: Request["display"] = { method, title: budget.text("title", args[0]) };
  let values: readonly unknown[] = [];
  if (method === "confirm") display.message = budget.text("message", args[1]);
  if (method === "input" && args[1] !== undefined && args[1] !== null) display.placeholder = budget.text("placeholder", args[1]);
  if (method === "select") {
    // A copy: what a remote was shown is what it gets, whatever the caller does to its array meanwhile.
    values = Array.from(args[1] as Iterable<unknown>);
    display.options = budget.list("options", values);
    display.optionCount = values.length;
  }
  // Pi compares and divides it, which makes a number of a string too.
  const given = typeof timeout === "number" || typeof timeout === "string" ? Number(timeout) : undefined;
  if (given !== undefined && Number.isFinite(given)) display.timeout = given;
  if (budget.truncated.length > 0) display.truncated = budget.truncated;
  return { method, values, timeout: given, display };
}

/** After how many ms Pi ends a dialog with this `timeout`: it counts whole seconds, rounded up. undefined: never. */
export function expiry(timeout: number | undefined): number | undefined {
  // NaN, 0 and less give no countdown; Infinity gives one that does not end.
  if (timeout === undefined || !(timeout > 0) || timeout === Infinity) return undefined;
  return Math.ceil(timeout / 1000) * 1000;
}

/** Cuts each text to TEXT_BYTES and all of them to PROMPT_BYTES, and notes what was cut. */
class Budget {
  readonly truncated: Truncation[] = [];
  private left = PROMPT_BYTES;

  text(field: string, value: unknown): string {
    const { text, shown, total } = cut(value, Math.min(TEXT_BYTES, this.left));
    if (shown < total) this.truncated.push({ field, shown, total });
    this.left -= shown;
    return text;
  }

  /** An entry of which nothing fits is left out, with all that follow. */
  list(field: string, values: readonly unknown[]): string[] {
    const texts: string[] = [];
    for (const value of values.slice(0, OPTIONS_SENT)) {
      if (this.left === 0) break;
      texts.push(this.text(`${field}.${texts.length}`, value));
    }
    if (texts.length < values.length) this.truncated.push({ field, shown: texts.length, total: values.length });
    return texts;
  }
}
