/**
 * Answers that have no verdict yet: when each goes out again, and which result is a verdict. Pure; time is passed in.
 *
 * An answer is never taken for done because it was written to a socket: the daemon may be gone, or stand still, or its terminal
 * may. It goes out again, under the same response id, until the terminal's ruling comes; the daemon and the extension know the id,
 * so however often an answer arrives it counts once. `mirrord/client/pending.py` is the same rule. Milliseconds.
 */

import type { ContentPart, ExtensionUIResponse, ResponseResult } from "../protocol.ts";

/** Without a verdict for so long an answer is called not confirmed, and goes out again; then each time after as long. */
export const RETRY_MS = 5_000;
/** The next try after a daemon said that it cannot tell yet: it is waiting for its terminal, which comes back within seconds. */
export const SOON_MS = 1_000;
/** A daemon that says for so long that it knows no such prompt will not learn of it: extensions come back within 5 s. */
export const UNKNOWN_MS = 30_000;

/** Refusals of an attempt. They say nothing about the attempts before it, which an earlier daemon may have passed on. */
const NOT_YET: ReadonlySet<string> = new Set(["unknown", "detached", "busy"]);

/** One answer: frames in order, the response last. All have one response id. */
export interface Outgoing {
  readonly responseId: string;
  readonly promptId: string;
  readonly frames: readonly (ContentPart | ExtensionUIResponse)[];
}

interface Waiting {
  readonly answer: Outgoing;
  readonly givenAt: number;
  readonly attempts: number;
  readonly dueAt: number;
  readonly told: boolean;
  readonly unknownSince?: number;
}

export interface Pending {
  readonly connected: boolean;
  /** When the last new connection stood; the daemon behind it may not have met its terminals yet. */
  readonly backAt?: number;
  readonly waiting: ReadonlyMap<string, Waiting>;
}

export const NONE_PENDING: Pending = { connected: false, waiting: new Map() };

export interface Sent {
  readonly pending: Pending;
  /** Answers to write to the socket now. */
  readonly send: readonly Outgoing[];
  /** Answers that are not confirmed as of now; each is named once. */
  readonly unsure: readonly Outgoing[];
}

/**
 * `decided`: the answer's end; when not `certain` nobody knows any more what became of it. `ignored`: no verdict, nothing to show.
 * `stranger`: no answer of ours that waits.
 */
export interface Judged {
  readonly pending: Pending;
  readonly judgement: "decided" | "ignored" | "stranger";
  readonly certain: boolean;
}

/** A person answers. */
export function give(pending: Pending, answer: Outgoing, now: number): Sent {
  const known = pending.waiting.get(answer.responseId);
  const waiting = known ?? { answer, givenAt: now, attempts: 0, dueAt: now, told: false };
  if (!pending.connected) return quiet(put(pending, waiting));
  return { pending: put(pending, sent(waiting, now)), send: [answer], unsure: [] };
}

/** Time has passed. */
export function tick(pending: Pending, now: number): Sent {
  const send: Outgoing[] = [];
  const unsure: Outgoing[] = [];
  const all = new Map(pending.waiting);
  for (const [id, before] of pending.waiting) {
    let waiting = before;
    if (!waiting.told && now >= waiting.givenAt + RETRY_MS) {
      waiting = { ...waiting, told: true };
      unsure.push(waiting.answer);
    }
    if (pending.connected && now >= waiting.dueAt) {
      waiting = sent(waiting, now);
      send.push(waiting.answer);
    }
    all.set(id, waiting);
  }
  return { pending: { ...pending, waiting: all }, send, unsure };
}

/** The connection ended: every answer that waits is not confirmed, and nothing can be sent until `back`. */
export function lost(pending: Pending): Sent {
  const all = new Map(pending.waiting);
  const unsure: Outgoing[] = [];
  for (const [id, waiting] of pending.waiting) {
    if (!waiting.told) unsure.push(waiting.answer);
    all.set(id, { ...waiting, told: true });
  }
  return { pending: { ...pending, connected: false, waiting: all }, send: [], unsure };
}

/** A new connection stands: every answer goes out again. */
export function back(pending: Pending, now: number): Sent {
  const all = new Map<string, Waiting>();
  for (const [id, { unknownSince: _, ...waiting }] of pending.waiting) all.set(id, sent(waiting, now));
  const send = [...all.values()].map((waiting) => waiting.answer);
  return { pending: { connected: true, backAt: now, waiting: all }, send, unsure: [] };
}

/** The daemon said what became of an answer. */
export function judge(pending: Pending, result: ResponseResult, now: number): Judged {
  const waiting = pending.waiting.get(result.responseId);
  if (waiting === undefined) return { pending, judgement: "stranger", certain: true };
  const reason = result.reason ?? "";
  const early = reason === "unknown" && pending.backAt !== undefined && now - pending.backAt < UNKNOWN_MS;
  if (result.accepted || !NOT_YET.has(reason) || (waiting.attempts < 2 && !early)) {
    return { pending: without(pending, result.responseId), judgement: "decided", certain: true };
  }
  const { unknownSince: since, ...rest } = waiting;
  const again = { ...rest, dueAt: now + SOON_MS };
  if (reason !== "unknown") return { pending: put(pending, again), judgement: "ignored", certain: true };
  const unknownSince = since ?? now;
  if (now - unknownSince >= UNKNOWN_MS) return { pending: without(pending, result.responseId), judgement: "decided", certain: false };
  return { pending: put(pending, { ...again, unknownSince }), judgement: "ignored", certain: true };
}

/** When `tick` has something to do, if nothing else happens. */
export function nextAt(pending: Pending): number | undefined {
  const due: number[] = [];
  for (const waiting of pending.waiting.values()) {
    if (!waiting.told) due.push(waiting.givenAt + RETRY_MS);
    if (pending.connected) due.push(waiting.dueAt);
  }
  return due.length === 0 ? undefined : Math.min(...due);
}

function quiet(pending: Pending): Sent {
  return { pending, send: [], unsure: [] };
}

function sent(waiting: Waiting, now: number): Waiting {
  return { ...waiting, attempts: waiting.attempts + 1, dueAt: now + RETRY_MS };
}

function put(pending: Pending, waiting: Waiting): Pending {
  return { ...pending, waiting: new Map(pending.waiting).set(waiting.answer.responseId, waiting) };
}

function without(pending: Pending, responseId: string): Pending {
  const all = new Map(pending.waiting);
  all.delete(responseId);
  return { ...pending, waiting: all };
}
