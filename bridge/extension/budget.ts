// The bounds on what a remote is shown of one prompt.

import { OPTIONS_SENT, PROMPT_BYTES, TEXT_BYTES } from "./limits.ts";
import type { Truncation } from "./protocol.ts";
import { cut } from "./text.ts";

/** Cuts each text to TEXT_BYTES and all of them to PROMPT_BYTES, and notes what was cut. */
export class Budget {
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
