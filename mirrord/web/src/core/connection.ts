/**
 * The one connection to the daemon as a pure state machine: `handle(connection, event, now, chance)` gives the next state and what
 * to do. It proves who this browser is, opens the socket, connects again, and does not trust a socket that only looks open.
 *
 * `now` is monotonic milliseconds. Each try has a number; what an older try still says is not heard.
 */

import { STABLE_MS, waitFor } from "./backoff.ts";

/** Proving who we are, or opening the socket and being welcomed, may take so long: a phone's network needs seconds. */
export const OPEN_MS = 10_000;
/** A daemon that lives answers a probe at once; a network that lives, within this. */
export const PROBE_MS = 4_000;
/** Nothing was heard for so long: ask. The daemon's own pings cannot be seen by a page. */
export const QUIET_MS = 25_000;
/** A token that ends sooner is not used for another socket. */
export const TOKEN_SPARE_MS = 30_000;

/** Why nothing is tried any more; each needs the person. */
export type StopReason = "revoked" | "not_genuine" | "protocol" | "no_crypto";
/** Why there is no connection now. */
export type LostReason = "closed" | "unreachable" | "silent" | "daemon_stops" | "slow" | "offline" | "first";

export interface Token {
  readonly token: string;
  /** Monotonic milliseconds. */
  readonly endsAt: number;
}

export type Phase =
  | { readonly kind: "waiting"; readonly until: number }
  | { readonly kind: "proving"; readonly deadline: number }
  | { readonly kind: "opening"; readonly deadline: number }
  | { readonly kind: "live"; readonly since: number; readonly heardAt: number; readonly probe?: number }
  | { readonly kind: "stopped"; readonly reason: StopReason; readonly detail?: string };

export interface Connection {
  readonly phase: Phase;
  readonly attempt: number;
  /** Failed tries since a connection was stable. */
  readonly failures: number;
  readonly token?: Token;
  /** Why the last connection or try ended. */
  readonly lost: LostReason;
  /** When the last connection ended, or the first try began. */
  readonly lostAt: number;
}

export type Event =
  | { readonly type: "start" }
  /** The device is online again, the page is seen again, it was thawed or the machine woke: nothing from before is trusted. */
  | { readonly type: "woke" }
  | { readonly type: "offline" }
  /** Something waits for a reply for too long. */
  | { readonly type: "suspect" }
  | { readonly type: "tick" }
  | { readonly type: "proved"; readonly attempt: number; readonly token: Token }
  | { readonly type: "not_proved"; readonly attempt: number; readonly reason: StopReason | "unreachable" }
  | { readonly type: "welcomed"; readonly attempt: number }
  | { readonly type: "protocol"; readonly attempt: number; readonly detail: string }
  | { readonly type: "heard"; readonly attempt: number }
  | { readonly type: "closed"; readonly attempt: number; readonly code: number; readonly reason: string };

export type Command =
  /** Prove who this browser is at /v1/pair; say `proved` or `not_proved`. */
  | { readonly type: "prove"; readonly attempt: number }
  /** Open the socket and say hello; say `welcomed`, `protocol` or `closed`. */
  | { readonly type: "open"; readonly attempt: number; readonly token: string }
  /** Ask the daemon for any reply. */
  | { readonly type: "probe"; readonly attempt: number }
  /** Forget the socket or the proof of this try, whatever it is doing. */
  | { readonly type: "abandon"; readonly attempt: number };

export interface Step {
  readonly connection: Connection;
  readonly commands: readonly Command[];
}

export const NEW: Connection = { phase: { kind: "waiting", until: 0 }, attempt: 0, failures: 0, lost: "first", lostAt: 0 };

export function handle(connection: Connection, event: Event, now: number, chance: number): Step {
  if ("attempt" in event && event.attempt !== connection.attempt) return stay(connection);
  if (connection.phase.kind === "stopped") return stay(connection);
  switch (event.type) {
    case "start":
      return attempt({ ...connection, lostAt: now }, now);
    case "woke":
      return woke(connection, now);
    case "offline":
      // The device says so and may be wrong (loopback works without a network): ask.
      return probe(connection, now);
    case "suspect":
      return probe(connection, now);
    case "tick":
      return tick(connection, now, chance);
    case "proved":
      return connection.phase.kind === "proving" ? open({ ...connection, token: event.token }, event.token, now) : stay(connection);
    case "not_proved":
      if (event.reason === "unreachable") return lose(connection, "unreachable", now, chance, true);
      return stop(connection, event.reason);
    case "welcomed":
      return connection.phase.kind === "opening"
        ? stay({ ...connection, phase: { kind: "live", since: now, heardAt: now } })
        : stay(connection);
    case "protocol":
      return stop(connection, "protocol", event.detail);
    case "heard":
      if (connection.phase.kind !== "live") return stay(connection);
      return stay({ ...connection, phase: { kind: "live", since: connection.phase.since, heardAt: now } });
    case "closed":
      return closed(connection, event.code, event.reason, now, chance);
  }
}

/** When `tick` has something to do, if nothing else happens. */
export function nextAt(connection: Connection): number | undefined {
  const { phase } = connection;
  switch (phase.kind) {
    case "waiting":
      return phase.until;
    case "proving":
    case "opening":
      return phase.deadline;
    case "live":
      return phase.probe ?? phase.heardAt + QUIET_MS;
    case "stopped":
      return undefined;
  }
}

function stay(connection: Connection): Step {
  return { connection, commands: [] };
}

function stop(connection: Connection, reason: StopReason, detail?: string): Step {
  const { token: _, ...rest } = connection;
  const phase: Phase = { kind: "stopped", reason, ...(detail === undefined ? {} : { detail }) };
  return { connection: { ...rest, phase }, commands: [{ type: "abandon", attempt: connection.attempt }] };
}

/** The next try: with the token that is there, or a new one. */
function attempt(connection: Connection, now: number): Step {
  const next = { ...connection, attempt: connection.attempt + 1 };
  const { token } = next;
  if (token !== undefined && token.endsAt - now > TOKEN_SPARE_MS) return open(next, token, now);
  return {
    connection: { ...next, phase: { kind: "proving", deadline: now + OPEN_MS } },
    commands: [{ type: "prove", attempt: next.attempt }],
  };
}

function open(connection: Connection, token: Token, now: number): Step {
  return {
    connection: { ...connection, phase: { kind: "opening", deadline: now + OPEN_MS } },
    commands: [{ type: "open", attempt: connection.attempt, token: token.token }],
  };
}

function woke(connection: Connection, now: number): Step {
  const { phase } = connection;
  if (phase.kind === "waiting") return attempt({ ...connection, failures: 0 }, now);
  return probe(connection, now);
}

function probe(connection: Connection, now: number): Step {
  const { phase, attempt } = connection;
  if (phase.kind !== "live" || phase.probe !== undefined) return stay(connection);
  return {
    connection: { ...connection, phase: { ...phase, probe: now + PROBE_MS } },
    commands: [{ type: "probe", attempt }],
  };
}

function tick(connection: Connection, now: number, chance: number): Step {
  const due = nextAt(connection);
  if (due === undefined || now < due) return stay(connection);
  const { phase } = connection;
  if (phase.kind === "waiting") return attempt(connection, now);
  if (phase.kind !== "live") return lose(connection, "silent", now, chance, true);
  if (phase.probe === undefined) return probe(connection, now);
  // A socket that is known to be dead is replaced at once: the wait is for daemons that refuse.
  const lost = lose(connection, "silent", now, chance, false);
  const again = attempt({ ...lost.connection, failures: 0 }, now);
  return { connection: again.connection, commands: [...lost.commands, ...again.commands] };
}

function closed(connection: Connection, code: number, reason: string, now: number, chance: number): Step {
  const { phase } = connection;
  if (phase.kind !== "opening" && phase.kind !== "live") return stay(connection);
  if (code === 1008 && reason.includes("revoked")) return stop(connection, "revoked");
  if (code === 1002) return stop(connection, "protocol", reason);
  const why: LostReason = code === 1001 ? "daemon_stops" : code === 1013 ? "slow" : phase.kind === "opening" ? "unreachable" : "closed";
  // A page is not told why a socket was refused: the token may be of a daemon that is gone.
  return lose(connection, why, now, chance, phase.kind === "opening" || code === 1008 || code === 1001);
}

function lose(connection: Connection, lost: LostReason, now: number, chance: number, newToken: boolean): Step {
  const { phase, attempt } = connection;
  const stood = phase.kind === "live";
  const failures = stood && now - phase.since >= STABLE_MS ? 0 : connection.failures;
  const { token, ...rest } = connection;
  return {
    connection: {
      ...rest,
      ...(token === undefined || newToken ? {} : { token }),
      phase: { kind: "waiting", until: now + waitFor(failures, chance) },
      failures: failures + 1,
      lost,
      lostAt: stood ? now : connection.lostAt,
    },
    commands: [{ type: "abandon", attempt }],
  };
}
