/**
 * The options of a select: the first 200 come with the prompt, the others in pages when they are wanted.
 *
 * The list on screen grows by `STEP`, so that ten thousand options cost no more than what is looked at. A filter looks through all
 * of them, and so asks for the pages that are missing, one after the other.
 */

import type { ExtensionUIRequest, OptionsPage } from "../protocol.ts";

/** How many options more each time the end of the list is reached. */
export const STEP = 100;
/** From how many options on there is a filter. */
export const FILTER_FROM = 8;

// A filter looks at this much of an option: its beginning is what a person knows.
const SEARCHED_CHARS = 2_000;

export interface Options {
  readonly items: readonly string[];
  /** Lower case, for the filter; as many as `items`. */
  readonly folded: readonly string[];
  /** All that there are, loaded or not. */
  readonly count: number;
  readonly filter: string;
  /** At most so many are on screen. */
  readonly limit: number;
}

/** One option on screen; `index` is what is answered. */
export interface Row {
  readonly index: number;
  readonly label: string;
}

export function begin(prompt: Pick<ExtensionUIRequest, "options" | "optionCount">): Options {
  const items = prompt.options ?? [];
  return { items, folded: items.map(fold), count: Math.max(prompt.optionCount ?? 0, items.length), filter: "", limit: STEP };
}

/** A page came. One that does not follow what is there is left alone. */
export function loaded(options: Options, page: OptionsPage): Options {
  if (page.offset > options.items.length) return options;
  const fresh = page.options.slice(options.items.length - page.offset);
  if (fresh.length === 0) return { ...options, count: options.items.length };
  return { ...options, items: [...options.items, ...fresh], folded: [...options.folded, ...fresh.map(fold)] };
}

export function filtered(options: Options, filter: string): Options {
  return { ...options, filter, limit: STEP };
}

export function more(options: Options): Options {
  return { ...options, limit: options.limit + STEP };
}

export function hasFilter(options: Options): boolean {
  return options.count >= FILTER_FROM;
}

/** What is on screen, and whether there is more of it that is loaded. */
export function rows(options: Options): { readonly rows: readonly Row[]; readonly isCut: boolean } {
  const wanted = fold(options.filter.trim());
  const found: Row[] = [];
  for (const [index, label] of options.items.entries()) {
    if (wanted !== "" && !(options.folded[index] ?? "").includes(wanted)) continue;
    if (found.length >= options.limit) return { rows: found, isCut: true };
    found.push({ index, label });
  }
  return { rows: found, isCut: false };
}

/** The offset of the page that is wanted next; undefined while what is loaded suffices. */
export function wanted(options: Options): number | undefined {
  const { items, count, filter, limit } = options;
  if (items.length >= count) return undefined;
  return filter.trim() !== "" || limit > items.length ? items.length : undefined;
}

/** Why option `index` cannot be chosen: Enter on an empty option does nothing at the terminal either. */
export function isChoosable(label: string): boolean {
  return label !== "";
}

const fold = (text: string): string => text.slice(0, SEARCHED_CHARS).normalize("NFKC").toLocaleLowerCase();
