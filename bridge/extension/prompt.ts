// A call to a dialog as a request: what a remote is shown of it, cut to the bounds, and the values an answer may have.

import { Budget } from "./budget.ts";
import { fitsInline, jsonBytes, obstacle, pieces } from "./content.ts";
import { OPTIONS_BYTES, OPTIONS_KEPT, PROMPT_BYTES, SOURCE_BYTES, TEXT_BYTES } from "./limits.ts";
import { field, textOr } from "./pi.ts";
import type { Method, Outgoing, Prompt } from "./protocol.ts";
import { offer, questionsIn } from "./questions.ts";
import { cut } from "./text.ts";

export interface Request {
  readonly method: Method;
  /** The options of a select as the caller gave them, in order; empty for the other methods. */
  readonly values: readonly unknown[];
  readonly timeout: number | undefined;
  /** What an editor holds at first; empty for the other methods. */
  readonly prefill: string;
  /** What a remote is shown. */
  readonly display: Display;
}

export type Display = Omit<Prompt, "id" | "openedAt" | "timeoutAt">;

/**
 * `source` is who asks, if that is known. Returns undefined for a call that its method refuses or that asks nothing;
 * throws where a text cannot be made of what the caller gave.
 */
export function describe(method: Method, args: readonly unknown[], timeout: unknown, source: string | undefined): Request | undefined {
  const budget = new Budget();
  const display: Display = { method, title: "" };
  let values: readonly unknown[] = [];
  let prefill = "";
  if (source !== undefined) display.source = cut(source, SOURCE_BYTES).text;
  if (method === "ask") {
    const questions = questionsIn(args[0]);
    if (questions === undefined) return undefined;
    display.title = offer(display, questions, args[1], budget);
  } else if (method === "custom") {
    display.title = budget.text("title", titleOfCustom(args[1], source));
    display.terminalOnly = "custom";
    display.cancellable = false;
  } else {
    display.title = budget.text("title", args[0]);
  }
  if (method === "confirm") display.message = budget.text("message", args[1]);
  if (method === "input" && args[1] !== undefined && args[1] !== null) display.placeholder = budget.text("placeholder", args[1]);
  if (method === "editor") {
    // Pi shows an empty editor for nothing, and throws for what is no text.
    if (args[1] && typeof args[1] !== "string") return undefined;
    prefill = textOr(args[1], "");
    const reason = obstacle(prefill);
    if (reason !== undefined) display.terminalOnly = reason;
    else if (fitsInline(prefill)) display.prefill = prefill;
    else display.prefillParts = pieces(prefill).length;
  }
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
  return { method, values, timeout: given, prefill, display };
}

/** What does not fit into the message of the prompt and comes before it. */
export function* before(id: string, { display, prefill, values }: Request): Generator<Outgoing, void> {
  if (display.prefillParts !== undefined) {
    const texts = pieces(prefill);
    for (const [part, text] of texts.entries()) yield { type: "prefill_part", id, part, parts: texts.length, text };
  }
  if (display.options !== undefined) yield* optionPages(id, values, display.options);
}

/** After how many ms Pi ends a dialog with this `timeout`: it counts whole seconds, rounded up. undefined: never. */
export function expiry(timeout: number | undefined): number | undefined {
  // NaN, 0 and less give no countdown; Infinity gives one that does not end.
  if (timeout === undefined || !(timeout > 0) || timeout === Infinity) return undefined;
  return Math.ceil(timeout / 1000) * 1000;
}

/** The options behind the `shown` ones, up to OPTIONS_KEPT and OPTIONS_BYTES in all, in messages of at most PROMPT_BYTES as JSON. */
function* optionPages(id: string, values: readonly unknown[], shown: readonly string[]): Generator<Outgoing, void> {
  let offset = shown.length;
  let left = OPTIONS_BYTES - shown.reduce((sum, text) => sum + Buffer.byteLength(text, "utf8"), 0);
  let page: string[] = [];
  let bytes = 0;
  for (const value of values.slice(offset, OPTIONS_KEPT)) {
    const { text, shown: length } = cut(value, TEXT_BYTES);
    if ((left -= length) < 0) break;
    const size = jsonBytes(text) + 1;
    if (bytes + size > PROMPT_BYTES) {
      yield { type: "options_part", id, offset, options: page };
      offset += page.length;
      page = [];
      bytes = 0;
    }
    page.push(text);
    bytes += size;
  }
  if (page.length > 0) yield { type: "options_part", id, offset, options: page };
}

/** Later Pis let an extension say what its dialog waits for. */
function titleOfCustom(options: unknown, source: string | undefined): string {
  return textOr(field(field(options, "blocked"), "message"), source === undefined ? "A dialog" : `A dialog of ${source}`);
}
