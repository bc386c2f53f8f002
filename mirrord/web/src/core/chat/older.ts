/** Rows that are before the daemon's window: pages that were asked for, and what left the window at its front. Pure. */

import { OLDER_CHARACTERS, OLDER_ROWS, OLDER_ROWS_AT_END } from "./limits.ts";
import type { RawMessage } from "./reducer.ts";

interface Held {
  readonly raw: RawMessage;
  readonly key: string;
  /** Of it as JSON, in characters. */
  readonly size: number;
}

export interface OlderRows {
  readonly held: readonly Held[];
  readonly characters: number;
  /** There are rows before the first; told by the page, or by what left the window, that it came from. Means nothing while none is held. */
  readonly more: boolean;
}

export const NO_OLDER: OlderRows = { held: [], characters: 0, more: false };

/** Whether no more pages are taken: what is far up would push out what is farther. */
export function isFull(older: OlderRows): boolean {
  return older.held.length >= OLDER_ROWS || older.characters >= OLDER_CHARACTERS;
}

/** A page came: its rows go before all that are held. Rows that are shown already are left out; `taken` are the window's ids and keys. */
export function withPage(older: OlderRows, page: readonly RawMessage[], more: boolean, taken: ReadonlySet<string>): OlderRows {
  const names = new Set(taken);
  for (const { raw, key } of older.held) names.add(raw.id).add(key);
  const fresh: Held[] = [];
  for (const raw of page) {
    if (names.has(raw.id)) continue;
    names.add(raw.id);
    fresh.push(held(raw, raw.id));
  }
  return { held: [...fresh, ...older.held], characters: older.characters + sum(fresh), more };
}

/**
 * Rows left the window at its front: they are the newest here. Where that makes too many the oldest go, which can be asked for again; of
 * somebody who `isAtEnd` sooner, and many at once, so that it is seldom.
 */
export function withLeft(older: OlderRows, left: readonly { readonly raw: RawMessage; readonly key: string }[], more: boolean, isAtEnd: boolean): OlderRows {
  if (left.length === 0) return older;
  const added = left.map(({ raw, key }) => held(raw, key));
  const all = [...older.held, ...added];
  const most = isAtEnd && all.length > 2 * OLDER_ROWS_AT_END ? OLDER_ROWS_AT_END : OLDER_ROWS;
  let characters = older.characters + sum(added);
  let gone = 0;
  while (gone < all.length && (all.length - gone > most || characters > OLDER_CHARACTERS)) {
    characters -= all[gone]?.size ?? 0;
    gone += 1;
  }
  return { held: gone === 0 ? all : all.slice(gone), characters, more: gone > 0 || (older.held.length > 0 ? older.more : more) };
}

/** What is in the window is not held here as well. `ids` are rows of the window. */
export function without(older: OlderRows, ids: ReadonlySet<string>): OlderRows {
  if (!older.held.some(({ raw }) => ids.has(raw.id))) return older;
  const rest = older.held.filter(({ raw }) => !ids.has(raw.id));
  return { held: rest, characters: sum(rest), more: older.more };
}

function held(raw: RawMessage, key: string): Held {
  return { raw, key, size: JSON.stringify(raw).length };
}

function sum(rows: readonly Held[]): number {
  return rows.reduce((total, { size }) => total + size, 0);
}
