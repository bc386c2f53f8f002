// Who won and with what: an answer from afar is checked against its prompt, and an end at the terminal is read from what Pi tells.

import { obstacle } from "./content.ts";
import type { Ending, Open } from "./dialogs.ts";
import type { Outcome } from "./guard.ts";
import { TEXT_BYTES } from "./limits.ts";
import { field } from "./pi.ts";
import type { Request } from "./prompt.ts";
import type { Answer, Method, Response } from "./protocol.ts";
import { asked, checked, labels } from "./questions.ts";
import { cut, isTypable } from "./text.ts";
import { timedOut } from "./watch.ts";

/** An answer that is good: what the caller's promise gets, and how the prompt ended. */
export interface Judged {
  readonly value: unknown;
  readonly ending: Ending;
}

/** undefined when the answer does not suit the prompt. */
export function judge(request: Request, response: Response): Judged | undefined {
  const { index, confirmed, text, parts, unchanged, answers, cancelled } = response;
  if ([index, confirmed, text, parts, unchanged, answers, cancelled].filter((given) => given !== undefined).length !== 1) return undefined;
  const { method, display, values, prefill } = request;
  if (cancelled === true) return display.cancellable === false ? undefined : cancellation(method);
  if (display.terminalOnly !== undefined) return undefined;
  switch (method) {
    case "confirm":
      return confirmed === undefined ? undefined : won(confirmed, { confirmed, certain: true });
    case "input":
      return text === undefined || !isTypable(text) ? undefined : won(text);
    case "editor":
      if (unchanged === true) return won(prefill);
      return text === undefined || obstacle(text) !== undefined ? undefined : won(text);
    case "ask": {
      const { questions = [], allowCustom = true } = display;
      const good = answers === undefined ? undefined : checked(questions, allowCustom, answers);
      return good === undefined ? undefined : won(asked(good), { labels: labels(questions, good) });
    }
    case "select": {
      const value = index === undefined || index < 0 ? undefined : values[index];
      // Enter on an empty option does nothing in the terminal, so no caller expects such a value.
      return value ? won(value, { index: index ?? 0, label: label(value) }) : undefined;
    }
    case "custom":
      return undefined;
  }
}

/** A remote cancels the dialog. */
export function cancellation(method: Method): Judged {
  return { value: valueWhenCancelled(method), ending: { outcome: "cancelled", winner: "remote" } };
}

function won(value: unknown, answer?: Answer): Judged {
  return { value, ending: { outcome: "answered", winner: "remote", ...(answer && { answer }) } };
}

/** How a dialog ended at the terminal, or by its countdown, or by an error of Pi. */
export function settlementOf(open: Open, outcome: Outcome): Ending {
  if ("error" in outcome) return { outcome: "withdrawn", winner: "none", reason: "error" };
  const { method, display } = open.request;
  const { value } = outcome;
  if (method === "custom" && value === undefined) return { outcome: "withdrawn", winner: "none", reason: "closed" };
  if (isEmpty(open, value) && open.endsAt !== undefined && timedOut(open.sight, () => performance.now() >= (open.endsAt ?? 0))) {
    return { outcome: "timed_out", winner: "none" };
  }
  if (method === "confirm") return confirmEnding(open, value);
  if (isEmpty(open, value)) return { outcome: "cancelled", winner: "terminal" };
  const won: Ending = { outcome: "answered", winner: "terminal" };
  if (method === "select") return { ...won, answer: chosen(open, value) };
  return method === "ask" ? { ...won, answer: { labels: labels(display.questions ?? [], field(value, "answers")) } } : won;
}

/** What Pi's promise gives when nobody answers. */
function valueWhenCancelled(method: Method): unknown {
  if (method === "ask") return asked({});
  return method === "confirm" ? false : undefined;
}

/** Whether `value` is what a dialog that was cancelled gives. Of an ask that says nothing was answered, only its dialog knows why. */
function isEmpty({ request: { method }, sight }: Open, value: unknown): boolean {
  if (method === "ask") return field(value, "allIgnored") === true && sight.choice !== undefined && sight.choice.value === undefined;
  return value === undefined || (method === "confirm" && value === false);
}

/** Pi gives false for No and for Esc; only the selector behind it knows which. */
function confirmEnding(open: Open, value: unknown): Ending {
  const { choice } = open.sight;
  if (value !== true && choice !== undefined && choice.value === undefined) return { outcome: "cancelled", winner: "terminal" };
  const certain = value === true || choice?.value === "No";
  return { outcome: "answered", winner: "terminal", answer: { confirmed: value === true, certain } };
}

/** The option that was taken. Of two that read the same, which one is told only where the dialog shows it. */
function chosen(open: Open, value: unknown): Answer {
  const { values } = open.request;
  const marked = field(open.sight.component, "selectedIndex");
  const first = values.indexOf(value);
  if (typeof marked === "number" && values[marked] === value) return { index: marked, label: label(value) };
  if (first >= 0 && values.lastIndexOf(value) === first) return { index: first, label: label(value) };
  return { label: label(value) };
}

function label(value: unknown): string {
  return cut(value, TEXT_BYTES).text;
}
