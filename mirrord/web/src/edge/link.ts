/** The connection in words that a screen can use. */

import type * as connection from "../core/connection.ts";

/** The connection as a person needs to know it. */
export type Link =
  | { readonly kind: "live" }
  | { readonly kind: "connecting"; readonly why: connection.LostReason; readonly since: number; readonly tries: number }
  | { readonly kind: "stopped"; readonly reason: connection.StopReason; readonly detail?: string };

/** One object, so that nothing is drawn anew when nothing changed. */
const LIVE: Link = { kind: "live" };

/** `now` is of the clock that `lostAt` is of, `wall` is milliseconds since the epoch. */
export function linkOf({ phase, lost, lostAt, failures }: connection.Connection, now: number, wall: number): Link {
  switch (phase.kind) {
    case "live":
      return LIVE;
    case "stopped":
      return { kind: "stopped", reason: phase.reason, ...(phase.detail === undefined ? {} : { detail: phase.detail }) };
    default:
      return { kind: "connecting", why: lost, since: wall - (now - lostAt), tries: failures };
  }
}
