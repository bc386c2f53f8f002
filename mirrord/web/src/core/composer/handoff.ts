/**
 * A text that an extension hands over, put into the draft and taken out again. It never replaces what was typed: it comes after it, on a
 * line of its own.
 */

import { contentOf, draftOf, isBlank, typed, type Draft } from "./draft.ts";

/** A text that was put into the draft, as long as it can be taken out again. */
export interface Insertion {
  readonly id: string;
  /** The extension it came from, where that is known. */
  readonly source?: string;
  /** As it stands in the text area, with the line break before it. */
  readonly shown: string;
  /** How many kinds of unseen characters it has, each shown by a mark. */
  readonly marks: number;
}

export interface Inserted {
  readonly draft: Draft;
  readonly insertion: Insertion;
}

/** The draft with the text at its end; undefined where its unseen characters cannot be shown by marks, or nothing is in it. */
export function insert(draft: Draft, id: string, text: string, source?: string): Inserted | undefined {
  if (text === "") return undefined;
  const before = isBlank(draft) ? "" : contentOf(draft);
  const gap = before === "" || before.endsWith("\n") ? "" : "\n";
  const after = draftOf(`${before}${gap}${text}`);
  if (after === undefined) return undefined;
  const marks = new Map(after.stands.map(([shown, stands]) => [stands, shown]));
  const shown = after.text.slice(Array.from(before, (character) => marks.get(character) ?? character).join("").length);
  return { draft: after, insertion: { id, shown, marks: after.stands.filter(([mark]) => shown.includes(mark)).length, ...(source !== undefined && { source }) } };
}

/** The draft without it; undefined once it was edited. Where the same text stands twice, the last one goes. */
export function withdraw(draft: Draft, { shown }: Insertion): Draft | undefined {
  const at = draft.text.lastIndexOf(shown);
  if (at < 0) return undefined;
  return typed(draft, draft.text.slice(0, at) + draft.text.slice(at + shown.length));
}
