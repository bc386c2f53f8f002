// Who won and with what: an answer from afar is checked against its prompt, and an end at the terminal is read from what Pi tells.

import type { Ending, Open } from "./dialogs.ts";
import type { Outcome } from "./guard.ts";
import { TEXT_BYTES } from "./limits.ts";
import { field } from "./pi.ts";
import type { Request } from "./prompt.ts";
import type { Answer, Method, Response } from "./protocol.ts";
import { cut, isTypable } from "./text.ts";
import { timedOut } from "./watch.ts";

/** An answer that is good: what the caller's promise gets, and how the prompt ended. */
export interface Judged {
  readonly value: unknown;
  readonly ending: Ending;
}

/** undefined when the answer does not suit the prompt. */
export function judge(request: Request, response: Response): Judged | undefined {
  const { index, confirmed, text, cancelled } = response;
  if ([index, confirmed, text, cancelled].filter((given) => given !== undefined).length !== 1) return undefined;
  if (cancelled === true) {
    return { value: valueWhenCancelled(request.method), ending: { outcome: "cancelled", winner: "remote" } };
  }
  const won = (value: unknown, answer?: Answer): Judged => ({
    value,
    ending: { outcome: "answered", winner: "remote", ...(answer && { answer }) },
  });
  if (request.method === "confirm") {
    return confirmed === undefined ? undefined : won(confirmed, { confirmed, certain: true });
  }
  if (request.method === "input") return text === undefined || !isTypable(text) ? undefined : won(text);
  if (index === undefined || index < 0 || index >= request.values.length) return undefined;
  const value = request.values[index];
  // Enter on an empty option does nothing in the terminal, so no caller expects such a value.
  return value ? won(value, { index, label: label(value) }) : undefined;
}

/** How a dialog ended at the terminal, or by its countdown, or by an error of Pi. */
export function settlementOf(open: Open, outcome: Outcome): Ending {
  if ("error" in outcome) return { outcome: "withdrawn", winner: "none", reason: "error" };
  const { method } = open.request;
  const { value } = outcome;
  const empty = value === valueWhenCancelled(method) || value === undefined;
  if (empty && open.endsAt !== undefined && timedOut(open.sight, () => performance.now() >= (open.endsAt ?? 0))) {
    return { outcome: "timed_out", winner: "none" };
  }
  if (method === "confirm") return confirmEnding(open, value);
  if (empty) return { outcome: "cancelled", winner: "terminal" };
  const answer = method === "select" ? { answer: chosen(open, value) } : {};
  return { outcome: "answered", winner: "terminal", ...answer };
}

export function valueWhenCancelled(method: Method): false | undefined {
  return method === "confirm" ? false : undefined;
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
