// Lines of a widget, a region or a view as they travel: raw, but not more of them than anybody can look at.

import { jsonBytes } from "./content.ts";
import { DRAWN_BYTES, DRAWN_LINES, LINE_BYTES } from "./limits.ts";
import type { Truncation } from "./protocol.ts";
import { cut } from "./text.ts";

/** The first lines of what an author gave or drew. */
export interface Lines {
  /** At most DRAWN_LINES; whatever the author put there. */
  readonly kept: readonly unknown[];
  /** How many there were. */
  readonly total: number;
}

export function linesOf(given: readonly unknown[]): Lines {
  return { kept: given.slice(0, DRAWN_LINES), total: given.length };
}

/** The lines that fit, each cut to LINE_BYTES, and what was cut. An entry that is no text is an empty line. */
export function bounded({ kept, total }: Lines): { lines: string[]; truncated: Truncation[] } {
  const lines: string[] = [];
  const truncated: Truncation[] = [];
  let left = DRAWN_BYTES;
  for (const line of kept) {
    const part = cut(typeof line === "string" ? line : "", LINE_BYTES);
    if ((left -= jsonBytes(part.text) + 1) < 0) break;
    if (part.shown < part.total) truncated.push({ field: `lines.${lines.length}`, shown: part.shown, total: part.total });
    lines.push(part.text);
  }
  if (lines.length < total) truncated.push({ field: "lines", shown: lines.length, total });
  return { lines, truncated };
}

/** `truncated` as a field of a message, which is there only when something was cut. */
export function asField(truncated: Truncation[]): { truncated?: Truncation[] } {
  return truncated.length > 0 ? { truncated } : {};
}
