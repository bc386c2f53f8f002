/**
 * One conversation as this page keeps it: the daemon's window, which the reducer makes, the rows before it, and what is shown once. Pure.
 *
 * A row that nothing was told about is the same object after each event and over new connections, so that drawing costs what
 * changed. A word that is appended costs a look at the window; rows before it are copied by reference when a new `Conversation` is
 * made, once a frame.
 */

import type { Conversation, Older, OwnTurn, Row } from "../../chat/contract.ts";
import type { ChatSubscribe } from "./messages.ts";
import { NOTICES } from "./limits.ts";
import { isFull, NO_OLDER, withLeft, withPage, without, type OlderRows } from "./older.ts";
import { readFields, readHistory, readNotice, readPage, readRow } from "./read.ts";
import { connect, EMPTY_CHAT, reduce, type ChatView, type RawMessage } from "./reducer.ts";
import { shared } from "./sharing.ts";

export const EMPTY_CONVERSATION: Conversation = {
  isKnown: false,
  isStale: true,
  rows: [],
  older: { kind: "none" },
  boundary: { count: 0 },
  streaming: false,
  readOnly: false,
  queue: [],
  turns: [],
  notices: [],
};

const UNREADABLE = "mirrord sent messages that this page cannot read.";

/** A page that was asked for: of which conversation, and before which row. */
export interface Asked {
  readonly boundary: number;
  readonly before: string;
}

export interface Talk {
  readonly view: ChatView;
  readonly older: OlderRows;
  readonly isKnown: boolean;
  readonly boundary: Conversation["boundary"];
  readonly notices: Conversation["notices"];
  /** How many notices there were; the last one's id. */
  readonly noticed: number;
  /** The newest messages are on the screen. */
  readonly isAtEnd: boolean;
  readonly asked?: Asked;
  /** Why the last page did not come. */
  readonly failure?: string;
}

export const NEW_TALK: Talk = { view: EMPTY_CHAT, older: NO_OLDER, isKnown: false, boundary: { count: 0 }, notices: [], noticed: 0, isAtEnd: false };

/** Follow it from here on, on this connection or a new one: what is shown stays, and the daemon is told how far that goes. */
export function subscribed(talk: Talk, sessionId: string): { readonly talk: Talk; readonly send: ChatSubscribe } {
  const entryId = talk.view.messages.findLast((message) => typeof message["entryId"] === "string")?.["entryId"] as string | undefined;
  const { cursor } = talk.view;
  return {
    talk: lost(talk),
    send: {
      type: "chat_subscribe",
      sessionId,
      ...(cursor === undefined ? {} : { since: cursor }),
      ...(entryId === undefined ? {} : { entryId }),
    },
  };
}

/** It is followed no more: nothing that was shown goes. */
export function lost(talk: Talk): Talk {
  const { asked: _, ...rest } = talk;
  return { ...rest, view: connect(talk.view) };
}

/** Takes a `chat_event` or `chat_frame`. With `talk.view.error` the stream is of no more use. */
export function take(talk: Talk, frame: Readonly<Record<string, unknown>>): Talk {
  const before = talk.view;
  const { view: reduced, notice, boundary, gap } = reduce(before, frame);
  if (reduced.revision === before.revision) return { ...talk, view: reduced };
  const view = asBefore(before, reduced);
  const isKnown = talk.isKnown || view.complete;
  const after = { ...talk, view, isKnown, ...noticed(talk, notice) };
  const reason = boundary ?? (gap !== undefined || isTorn(before, view) ? "gap" : undefined);
  if (reason !== undefined) return talk.isKnown ? replaced(after, reason) : after;
  return view.keys === before.keys ? after : moved(after, before);
}

// ---- older pages -------------------------------------------------------------------------------------------------------

/** The page before the first row is to be fetched; undefined while one is on its way, or there is none that could be had. */
export function askOlder(talk: Talk): { readonly talk: Talk; readonly asked: Asked } | undefined {
  const before = firstOf(talk);
  if (before === undefined || talk.asked !== undefined || !talk.view.complete || isFull(talk.older)) return undefined;
  const asked = { boundary: talk.boundary.count, before };
  const { failure: _, ...rest } = talk;
  return { talk: { ...rest, asked }, asked };
}

/** The data of `chat_history` came. */
export function paged(talk: Talk, asked: Asked, data: unknown): Talk {
  if (talk.asked !== asked) return talk;
  const { asked: _, ...rest } = talk;
  if (asked.boundary !== talk.boundary.count || asked.before !== firstOf(talk)) return rest;
  const page = readPage(data);
  if (page === undefined) return { ...rest, failure: UNREADABLE };
  const taken = new Set(talk.view.keys);
  for (const { id, liveId } of talk.view.messages) {
    taken.add(id);
    if (typeof liveId === "string") taken.add(liveId);
  }
  const older = withPage(talk.older, page.messages, page.more && page.messages.length > 0, taken);
  if (older.held.length === 0) return { ...rest, view: withoutHistory(talk.view) };
  return { ...rest, older };
}

/** It did not come; `why` is a sentence for a person. */
export function notPaged(talk: Talk, asked: Asked, why: string): Talk {
  if (talk.asked !== asked) return talk;
  const { asked: _, ...rest } = talk;
  return { ...rest, failure: why };
}

/** Something that is shown once. */
export function withNotice(talk: Talk, level: "info" | "warning" | "error", words: string): Talk {
  return { ...talk, ...noticed(talk, { level, text: words }) };
}

export function dismissNotice(talk: Talk, id: number): Talk {
  return { ...talk, notices: talk.notices.filter((one) => one.id !== id) };
}

// ---- what screens are given --------------------------------------------------------------------------------------------

/** What is known besides the daemon's own words. `refusal`: why nothing can be sent, whatever the daemon says. */
export interface Around {
  readonly isLive: boolean;
  readonly turns: readonly OwnTurn[];
  readonly refusal?: string;
}

export function show(talk: Talk, { isLive, turns, refusal }: Around): Conversation {
  const { view, older, isKnown, boundary, notices } = talk;
  const { readOnlyReason: told, readOnly, ...fields } = readFields(view.fields);
  const reason = refusal ?? told;
  return {
    ...fields,
    isKnown,
    isStale: !isLive || !view.complete,
    rows: rowsOf(view, older),
    older: olderOf(talk),
    boundary,
    readOnly: readOnly || refusal !== undefined,
    ...(reason === undefined ? {} : { readOnlyReason: reason }),
    turns: unshown(turns, view.messages),
    notices,
  };
}

const windows = new WeakMap<readonly RawMessage[], readonly Row[]>();
const pages = new WeakMap<OlderRows, readonly Row[]>();

function rowsOf({ messages, keys }: ChatView, older: OlderRows): readonly Row[] {
  let rows = windows.get(messages);
  if (rows === undefined) {
    rows = messages.map((raw, place) => readRow(raw, keys[place] ?? raw.id));
    windows.set(messages, rows);
  }
  if (older.held.length === 0) return rows;
  let before = pages.get(older);
  if (before === undefined) {
    before = older.held.map(({ raw, key }) => readRow(raw, key));
    pages.set(older, before);
  }
  return before.concat(rows);
}

function olderOf(talk: Talk): Older {
  if (talk.asked !== undefined) return { kind: "loading" };
  if (firstOf(talk) === undefined) return { kind: "none" };
  if (isFull(talk.older)) return { kind: "full" };
  return talk.failure === undefined ? { kind: "more" } : { kind: "failed", why: talk.failure };
}

/** A submission that is a row is not told twice. */
function unshown(turns: readonly OwnTurn[], messages: readonly RawMessage[]): readonly OwnTurn[] {
  if (turns.length === 0) return turns;
  const rows = new Set(messages.map((message) => message["clientTurnId"]));
  return turns.some(({ id }) => rows.has(id)) ? turns.filter(({ id }) => !rows.has(id)) : turns;
}

// ---- events ------------------------------------------------------------------------------------------------------------

/** The view with the objects of the one before it, wherever they say the same. */
function asBefore(before: ChatView, after: ChatView): ChatView {
  const fields = shared(before.fields, after.fields);
  let { messages, keys } = after;
  if (keys !== before.keys) {
    const known = new Map(before.keys.map((key, place) => [key, before.messages[place]]));
    messages = messages.map((message, place) => shared(known.get(keys[place] ?? ""), message));
    if (equal(keys, before.keys)) keys = before.keys;
  }
  if (equal(messages, before.messages)) messages = before.messages;
  return { ...after, fields, messages, keys };
}

function equal(these: readonly unknown[], those: readonly unknown[]): boolean {
  return these.length === those.length && these.every((one, place) => one === those[place]);
}

/** Nothing of what was shown is there any more: rows may be missing in between. */
function isTorn(before: ChatView, after: ChatView): boolean {
  if (before.keys.length === 0 || after.keys.length === 0) return false;
  const now = new Set(after.keys);
  return !before.keys.some((key) => now.has(key));
}

function replaced(talk: Talk, reason: string): Talk {
  const { asked: _, failure: __, ...rest } = talk;
  return { ...rest, older: NO_OLDER, boundary: { count: talk.boundary.count + 1, reason } };
}

/** Rows came or went: what left the window at its front is kept, and nothing is here twice. */
function moved(talk: Talk, before: ChatView): Talk {
  const now = new Set(talk.view.keys);
  const stays = before.keys.findIndex((key) => now.has(key));
  const front = before.messages.slice(0, Math.max(0, stays)).map((raw, place) => ({ raw, key: before.keys[place] ?? raw.id }));
  // Where nothing is older than the window Pi took the row away.
  if (!historyOf(talk.view).more) return named(talk, before);
  // One that was no entry yet was taken away, or became one and left unseen: rows before it would be shown with a hole after them.
  const torn = front.findLastIndex(({ raw }) => typeof raw["entryId"] !== "string");
  if (torn < 0) return named({ ...talk, older: withLeft(talk.older, front, historyOf(before).more, talk.isAtEnd) }, before);
  return named({ ...talk, older: withLeft(NO_OLDER, front.slice(torn + 1), true, talk.isAtEnd) }, before);
}

/** Rows that are new to the window get names that no older row has; one that came back has its own, and is an older one no more. */
function named(talk: Talk, before: ChatView): Talk {
  const { view, older } = talk;
  if (older.held.length === 0) return talk;
  const had = new Set(before.keys);
  if (view.keys.every((key) => had.has(key))) return talk;
  const held = new Map(older.held.map(({ raw, key }) => [raw.id, key]));
  const taken = new Set([...view.keys, ...held.values()]);
  const foreign = new Set(held.values());
  const back = new Set<string>();
  const keys = view.keys.map((key, place) => {
    const id = view.messages[place]?.id ?? "";
    const own = held.get(id);
    if (had.has(key)) return key;
    if (own !== undefined) {
      back.add(id);
      return own;
    }
    if (!foreign.has(key)) return key;
    let other = key;
    for (let number = 2; taken.has(other); number += 1) other = `${key}#${number}`;
    taken.add(other);
    return other;
  });
  return { ...talk, view: { ...view, keys }, older: without(older, back) };
}

// ---- reading -----------------------------------------------------------------------------------------------------------

const NO_HISTORY = { more: false } as const;

function historyOf(view: ChatView): { readonly more: boolean; readonly before?: string } {
  return readHistory(view.fields["history"]) ?? NO_HISTORY;
}

function withoutHistory(view: ChatView): ChatView {
  return { ...view, fields: { ...view.fields, history: NO_HISTORY } };
}

/** The row that a page is asked for with; undefined when there is nothing before the first. */
function firstOf({ view, older }: Talk): string | undefined {
  const first = older.held[0];
  if (first !== undefined) return older.more ? first.raw.id : undefined;
  const { more, before } = historyOf(view);
  return more ? before : undefined;
}

function noticed(talk: Talk, raw: unknown): Pick<Talk, "notices" | "noticed"> {
  const notice = readNotice(raw);
  if (notice === undefined) return { notices: talk.notices, noticed: talk.noticed };
  const id = talk.noticed + 1;
  return { notices: [...talk.notices, { id, ...notice }].slice(-NOTICES), noticed: id };
}
