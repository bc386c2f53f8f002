/**
 * What this browser sends into a conversation, until its receipt: when each goes out again, what failed and is kept. Pure; time is
 * passed in.
 *
 * `mirrord/client/turns.py` is the same rule: written to a socket is not sent. A turn goes out again under its id, over the next
 * connection too, until a receipt has come; it acts once, however often it arrives. What was rejected, or may have acted, is kept with
 * its text until the person sends it again or gives it up. More than one tab shows a turn; the one that has `mine` sends it.
 * Milliseconds.
 */

import type { OwnTurn, SubmitKind } from "../../chat/contract.ts";
import type { ContentPart } from "../../protocol.ts";
import { PIECE_UNITS, pieces } from "../content.ts";
import { RETRY_MS } from "../pending.ts";
import type { ChatAction, Receipt } from "./messages.ts";

/** Texts that failed and wait for a decision; of more the oldest goes. */
export const KEPT_TURNS = 16;
/** What was sent longer ago and has no receipt is not sent by itself any more: the person may have done otherwise meanwhile. */
export const LATE_MS = 10 * 60_000;

/** Rejections of which nothing was kept, so that the same id may be tried again. */
const SAME_ID: ReadonlySet<string> = new Set(["detached", "busy", "store"]);

const AWAY = "mirrord could not be reached, so this was not sent.";
const SILENT = "It was sent a while ago, and mirrord has not said whether it took this.";

export interface Submission {
  readonly id: string;
  readonly kind: SubmitKind;
  readonly text: string;
  readonly literal?: true;
  readonly excluded?: true;
  /** When it was submitted, by the daemon's clock. */
  readonly at: number;
}

/** `open`: there is no receipt. `discarding`: it was given up, and the daemon has not said so yet. */
export interface Turn extends Submission {
  readonly stage: "open" | "accepted" | "queued" | "rejected" | "unknown";
  readonly code?: string;
  readonly reason?: string;
  readonly discarding?: true;
}

/** What this tab alone knows of a turn. */
interface Care {
  readonly mine: boolean;
  readonly dueAt: number;
  /** It was said that there is no receipt. */
  readonly told: boolean;
}

export interface Turns {
  readonly connected: boolean;
  /** By id, the newest last. */
  readonly all: ReadonlyMap<string, Turn>;
  readonly care: ReadonlyMap<string, Care>;
}

export const NO_TURNS: Turns = { connected: false, all: new Map(), care: new Map() };

/** The turns after something happened, and frames to send now, in order. */
export interface Sent {
  readonly turns: Turns;
  readonly send: readonly (ContentPart | ChatAction)[];
}

/** The turns without one that failed, and what is to be given once more. */
export interface Again {
  readonly turns: Turns;
  readonly given: Submission;
}

const UNCARED: Care = { mine: false, dueAt: 0, told: false };

/** The person submits something, and this tab sends it. While no connection stands it is not sent, and kept. */
export function give(turns: Turns, sessionId: string, given: Submission, now: number): Sent {
  if (!turns.connected) return quiet(put(turns, { ...given, stage: "rejected", code: "detached", reason: AWAY }));
  return sent(put(turns, { ...given, stage: "open" }, { mine: true, dueAt: now + RETRY_MS, told: false }), sessionId, given.id, now);
}

/** This tab sends the turn from here on: another one that did, or an earlier load of this page, is gone. `wall`: the daemon's clock. */
export function adopt(turns: Turns, sessionId: string, id: string, now: number, wall: number): Sent {
  const turn = turns.all.get(id);
  if (turn === undefined || !needsCare(turn) || isMine(turns, id)) return quiet(turns);
  if (isLate(turn, wall)) return quiet(failed(turns, unheardOf(turn)));
  const mine = put(turns, turn, { ...careOf(turns, id), mine: true });
  return turns.connected ? sent(mine, sessionId, id, now) : quiet(mine);
}

/** A new connection stands: all that this tab sends and is not late goes out again, also to be told over it what becomes of them. */
export function back(turns: Turns, sessionId: string, now: number, wall: number): Sent {
  return again({ ...withoutLate(turns, wall), connected: true }, sessionId, now, () => true);
}

/** The connection ended: what has no receipt is not confirmed. */
export function lost(turns: Turns): Turns {
  const care = new Map(turns.care);
  for (const [id, one] of care) care.set(id, { ...one, told: true });
  return { ...turns, connected: false, care };
}

/** Time has passed, and the page may have slept: what has no receipt and is not late goes out again. */
export function tick(turns: Turns, sessionId: string, now: number, wall: number): Sent {
  if (!turns.connected) return quiet(turns);
  return again(withoutLate(turns, wall), sessionId, now, (turn, care) => isUnheard(turn) && now >= care.dueAt, true);
}

/** When `tick` has something to do; undefined: never. */
export function nextAt(turns: Turns): number | undefined {
  const due = [...turns.care].filter(([id, { mine }]) => mine && turns.connected && isUnheard(turns.all.get(id)));
  return due.length === 0 ? undefined : Math.min(...due.map(([, { dueAt }]) => dueAt));
}

/** The daemon said what became of a turn. The same turns when that is nothing new, or none of ours. */
export function receive(turns: Turns, { clientTurnId: id, stage, code, reason }: Receipt): Turns {
  const turn = turns.all.get(id);
  if (turn === undefined) return turns;
  if (stage === "consumed" || code === "discarded") return remove(turns, id);
  const { code: _, reason: __, discarding, ...rest } = turn;
  const why = { ...(code === undefined ? {} : { code }), ...(reason === undefined ? {} : { reason }) };
  switch (stage) {
    case "accepted":
    case "queued":
      return turn.stage === stage && !discarding ? turns : put(turns, { ...rest, stage });
    case "rejected":
      return discarding ? remove(turns, id) : failed(turns, { ...rest, stage, ...why });
    case "unknown":
      // One that is being given up stays so: the daemon has not heard of that.
      return discarding ? turns : failed(turns, { ...rest, stage, ...why });
  }
}

/**
 * The person sends one that failed once more. One that may have acted keeps its id, so that it acts once; one that was rejected gets
 * `newId`, unless nothing was kept of it. Undefined while no connection stands, or where there is no such failed turn.
 */
export function retry(turns: Turns, id: string, newId: string, wall: number): Again | undefined {
  const turn = turns.all.get(id);
  if (turn === undefined || !turns.connected || !isFailed(turn) || turn.discarding) return undefined;
  const { stage, code = "", reason: _, discarding: __, ...submission } = turn;
  const same = stage === "unknown" || SAME_ID.has(code);
  return { turns: remove(turns, id), given: { ...submission, id: same ? id : newId, at: wall } };
}

/** The person gives up one that failed. One that may have acted is forgotten when the daemon says so: a tab is to `adopt` it. */
export function discard(turns: Turns, id: string): { readonly turns: Turns; readonly text?: string } {
  const turn = turns.all.get(id);
  if (turn === undefined || !isFailed(turn) || turn.discarding) return { turns };
  if (turn.stage === "rejected") return { turns: remove(turns, id), text: turn.text };
  return { turns: put(turns, { ...turn, discarding: true }), text: turn.text };
}

/** Whether a tab is to send it, and to be told what becomes of it. */
export function needsCare(turn: Turn): boolean {
  return isUnderway(turn) || turn.discarding === true;
}

/** Whether this tab sends it. */
function isMine(turns: Turns, id: string): boolean {
  return turns.care.get(id)?.mine === true;
}

/**
 * Another tab, or an earlier load of this page, has it so: what was `kept` before and is no more is over. What this tab sends it knows
 * better, and what the storage had no room for it knows alone.
 */
export function merge(turns: Turns, kept: readonly Turn[], before: ReadonlySet<string>): Turns {
  const all = new Map(kept.map((turn) => [turn.id, turn]));
  const care = new Map(turns.care);
  for (const [id, turn] of turns.all) {
    if (isRuled(turn, all.get(id))) care.delete(id);
    else if (isMine(turns, id) || !(all.has(id) || before.has(id))) all.set(id, turn);
  }
  const sorted = [...all.values()].sort((one, other) => one.at - other.at);
  return bounded({ ...turns, all: new Map(sorted.map((turn) => [turn.id, turn])), care: caredFor(care, all) });
}

/** The tab that sent it heard how it failed, wrote that and let go of it; this one took over before it could read so. A retry is later. */
function isRuled(turn: Turn, kept: Turn | undefined): boolean {
  return turn.stage === "open" && kept !== undefined && kept.at === turn.at && isFailed(kept);
}

/** As the screens are given them. */
export function shown(turns: Turns): readonly OwnTurn[] {
  const found: OwnTurn[] = [];
  for (const turn of turns.all.values()) {
    if (turn.discarding) continue;
    const { id, kind, text, at, excluded, reason } = turn;
    const waits = !turns.connected || careOf(turns, id).told;
    const stage = turn.stage === "open" ? (waits ? "unsure" : "sending") : turn.stage;
    found.push({ id, kind, text, at, stage, ...(excluded ? { excluded } : {}), ...(reason === undefined ? {} : { reason }) });
  }
  return found;
}

/** A submission's frames: one, or pieces before it where the text is long. */
export function frames(sessionId: string, { id, kind, text, literal, excluded }: Submission): readonly (ContentPart | ChatAction)[] {
  const action: ChatAction = {
    type: "chat_action",
    sessionId,
    clientTurnId: id,
    action: "submit",
    kind,
    ...(literal ? { literal } : {}),
    ...(excluded ? { excluded } : {}),
  };
  if (text.length <= PIECE_UNITS) return [{ ...action, text }];
  const texts = pieces(text);
  const parts = texts.length;
  const before = texts.map((piece, part): ContentPart => ({ type: "content_part", responseId: id, part, parts, text: piece }));
  return [...before, { ...action, parts }];
}

function framesOf(sessionId: string, turn: Turn): readonly (ContentPart | ChatAction)[] {
  if (turn.discarding) return [{ type: "chat_action", sessionId, clientTurnId: turn.id, action: "discard" }];
  return isUnderway(turn) ? frames(sessionId, turn) : [];
}

function isUnderway(turn: Turn): boolean {
  return turn.stage === "open" || turn.stage === "accepted" || turn.stage === "queued";
}

function isFailed(turn: Turn): boolean {
  return turn.stage === "rejected" || turn.stage === "unknown";
}

/** Nothing was heard of the last that was sent of it. */
function isUnheard(turn: Turn | undefined): boolean {
  return turn !== undefined && (turn.stage === "open" || turn.discarding === true);
}

/** It is not sent by itself any more. */
function isLate({ stage, discarding, at }: Turn, wall: number): boolean {
  return stage === "open" && !discarding && wall - at > LATE_MS;
}

function unheardOf(turn: Turn): Turn {
  return { ...turn, stage: "unknown", reason: SILENT };
}

/** What this tab sends and is late waits for the person from here on. */
function withoutLate(turns: Turns, wall: number): Turns {
  const late = [...turns.all.values()].filter((turn) => isMine(turns, turn.id) && isLate(turn, wall));
  return late.reduce((rest, turn) => failed(rest, unheardOf(turn)), turns);
}

function careOf(turns: Turns, id: string): Care {
  return turns.care.get(id) ?? UNCARED;
}

function quiet(turns: Turns): Sent {
  return { turns, send: [] };
}

function sent(turns: Turns, sessionId: string, id: string, now: number): Sent {
  return again(turns, sessionId, now, (turn) => turn.id === id);
}

/** What this tab sends, and `which`, goes out. */
function again(turns: Turns, sessionId: string, now: number, which: (turn: Turn, care: Care) => boolean, late = false): Sent {
  const care = new Map(turns.care);
  const send: (ContentPart | ChatAction)[] = [];
  for (const turn of turns.all.values()) {
    const one = careOf(turns, turn.id);
    if (!one.mine || !which(turn, one)) continue;
    care.set(turn.id, { ...one, dueAt: now + RETRY_MS, told: one.told || late });
    send.push(...framesOf(sessionId, turn));
  }
  return { turns: { ...turns, care }, send };
}

function put(turns: Turns, turn: Turn, care?: Care): Turns {
  const all = new Map(turns.all).set(turn.id, turn);
  return bounded({ ...turns, all, care: care === undefined ? turns.care : new Map(turns.care).set(turn.id, care) });
}

/** It waits for the person; no tab sends it. */
function failed(turns: Turns, turn: Turn): Turns {
  const care = new Map(turns.care);
  care.delete(turn.id);
  return put({ ...turns, care }, turn);
}

function remove(turns: Turns, id: string): Turns {
  const [all, care] = [new Map(turns.all), new Map(turns.care)];
  all.delete(id);
  care.delete(id);
  return { ...turns, all, care };
}

function caredFor(care: ReadonlyMap<string, Care>, all: ReadonlyMap<string, Turn>): ReadonlyMap<string, Care> {
  return new Map([...care].filter(([id]) => all.has(id)));
}

function bounded(turns: Turns): Turns {
  const all = [...turns.all.values()].filter(isFailed);
  return all.slice(0, Math.max(0, all.length - KEPT_TURNS)).reduce((rest, { id }) => remove(rest, id), turns);
}
