/**
 * What stands in the composer. A text area shows some characters as nothing, so a text of others stands in it with marks
 * (`cards/marks.ts`); what a person types is never touched. `contentOf` is what is sent.
 */

import { mark } from "../../cards/marks.ts";

/** The text as the text area has it, and what its marks stand for. */
export interface Draft {
  readonly text: string;
  readonly stands: readonly (readonly [shown: string, stands: string])[];
}

export const EMPTY_DRAFT: Draft = Object.freeze({ text: "", stands: [] });

/** The draft after a person changed its text. */
export function typed({ stands }: Draft, text: string): Draft {
  // A mark that was deleted stands for nothing any more: typed later, it is itself.
  return { text, stands: stands.filter(([shown]) => text.includes(shown)) };
}

/** The text with every character that a mark stands for. */
export function contentOf({ text, stands }: Draft): string {
  if (stands.length === 0) return text;
  const meant = new Map(stands);
  return Array.from(text, (shown) => meant.get(shown) ?? shown).join("");
}

/** A draft that sends `content`, with LF as its only line end; undefined where it holds more kinds of unseen characters than there are marks. */
export function draftOf(content: string): Draft | undefined {
  // As Pi's own editor does with what is put into it.
  const marked = mark(content.replace(/\r\n?/g, "\n"));
  return marked && { text: marked.shown, stands: marked.marks.map(({ shown, stands }) => [shown, stands]) };
}

export function isBlank({ text }: Draft): boolean {
  return text.trim() === "";
}
