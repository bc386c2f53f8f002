/**
 * Turns that are not over, in the browser's storage: a page that crashed or was closed loses no text, and all tabs of this browser show the
 * same. One list a session, oldest first; a tab changes one turn of it at a time and leaves the others as it finds them.
 */

import { list, literal, named, number, oneOf, record, struct, text, type Reader } from "../reading.ts";
import { attempt, keysOf, type Shelf } from "../shelf.ts";
import type { Turn } from "./turns.ts";

const PREFIX = "mirrord.turns.v1.";
/** Of a session's texts: two of the longest. Browsers keep 5 Mi units for everything of this page. */
export const JOURNAL_UNITS = 2 * 1024 * 1024;
/** What nobody retried or discarded for so long is of a session that is gone. */
export const JOURNAL_MS = 30 * 24 * 60 * 60_000;

const flag: Reader<true> = (raw) => (raw === true ? true : undefined);

const turn: Reader<Turn> = struct(
  {
    id: text,
    kind: oneOf(["prompt", "steer", "follow_up", "command", "bash"]),
    text,
    at: number,
    // A stage of a later page says that something happened, not what.
    stage: named(["open", "accepted", "queued", "rejected", "unknown"], "unknown"),
  },
  { literal: flag, excluded: flag, discarding: flag, code: text, reason: text },
);

const kept = struct({ version: literal("1"), turns: list(turn) }, {});

/** The session whose turns are kept under this key of the storage; undefined when it is none of this journal. */
export function sessionOf(key: string | null): string | undefined {
  return key?.startsWith(PREFIX) === true ? key.slice(PREFIX.length) : undefined;
}

/** What is kept of a session. */
export function load(shelf: Shelf | undefined, sessionId: string): readonly Turn[] {
  return read(attempt(() => shelf?.getItem(PREFIX + sessionId)) ?? "");
}

/** This turn is so now; undefined: it is over. Returns what is kept then. */
export function save(shelf: Shelf | undefined, sessionId: string, id: string, now: Turn | undefined): readonly Turn[] {
  const before = load(shelf, sessionId);
  const place = before.findIndex((one) => one.id === id);
  if (now === undefined && place < 0) return before;
  const after = now === undefined ? before.filter((one) => one.id !== id) : place < 0 ? [...before, now] : before.with(place, now);
  return write(shelf, PREFIX + sessionId, within(after));
}

/** Sessions of which turns are kept. What is too old to be of use is taken away; `now` is in milliseconds since the epoch. */
export function sessions(shelf: Shelf | undefined, now: number): readonly string[] {
  const all = keysOf(shelf, PREFIX).map((key) => key.slice(PREFIX.length));
  return all.filter((sessionId) => {
    if (load(shelf, sessionId).some(({ at }) => now - at < JOURNAL_MS)) return true;
    attempt(() => shelf?.removeItem(PREFIX + sessionId));
    return false;
  });
}

function read(json: string): readonly Turn[] {
  return kept(record(attempt(() => JSON.parse(json) as unknown)))?.turns ?? [];
}

/** The newest that fit. */
function within(turns: readonly Turn[]): readonly Turn[] {
  let units = 0;
  const from = turns.findLastIndex((one) => (units += one.text.length) > JOURNAL_UNITS);
  return turns.slice(from + 1);
}

/** Where the storage is full the oldest go: memory still has them. */
function write(shelf: Shelf | undefined, key: string, turns: readonly Turn[]): readonly Turn[] {
  if (shelf === undefined) return [];
  for (let rest = turns; rest.length > 0; rest = rest.slice(1)) {
    const json = JSON.stringify({ version: "1", turns: rest });
    if (attempt(() => (shelf.setItem(key, json), true)) === true) return rest;
  }
  attempt(() => shelf.removeItem(key));
  return [];
}
