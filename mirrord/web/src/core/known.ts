/** The names of the sessions that were listed last, kept for an opening without the daemon. Names only, and a bounded number. Pure. */

import { titleOf } from "./listing.ts";
import { list, number, struct, text } from "./reading.ts";
import type { State } from "./state.ts";

/** One screen of a phone, twice over. */
export const KNOWN_SESSIONS = 24;
const TITLE_CHARS = 120;

const readOne = struct({ sessionId: text, title: text }, {});
/** A session as it was called. */
export type KnownSession = ReturnType<typeof readOne> & object;

const readAll = struct({ at: number, sessions: list(readOne) }, {});
/** `at`: when the list was so, in milliseconds since the epoch, by this browser's clock. */
export interface Known {
  readonly at: number;
  readonly sessions: readonly KnownSession[];
}

const NOTHING: Known = { at: 0, sessions: [] };

/** Those that had not ended, the latest change first. */
export function namesOf(state: State): readonly KnownSession[] {
  return [...state.sessions.values()]
    .filter((view) => view.session.status.state !== "ended")
    .sort((one, other) => other.session.status.since - one.session.status.since)
    .slice(0, KNOWN_SESSIONS)
    .map(({ session }) => ({ sessionId: session.sessionId, title: [...titleOf(session)].slice(0, TITLE_CHARS).join("") }));
}

/** What was kept; nothing where nobody here wrote it. */
export function readKnown(json: string | null): Known {
  try {
    const found = readAll(JSON.parse(json ?? "null"));
    return found === undefined ? NOTHING : { at: found.at, sessions: found.sessions.slice(0, KNOWN_SESSIONS) };
  } catch {
    return NOTHING;
  }
}
