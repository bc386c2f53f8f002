/**
 * What this client shows of a conversation, made from `chat_event`s and `chat_frame`s. Pure.
 *
 * `mirrord/client/chat_reducer.py` is the same in Python; both play `fixtures/chat/`. The rules are in docs/protocol.md, section
 * "The conversation". Messages are JSON objects as they came, so that fields of a later daemon are kept.
 */

import { record } from "../reading.ts";

export type StreamError = "malformed" | "interleaved" | "incomplete" | "patch_before_messages";
type Json = Readonly<Record<string, unknown>>;
/** A message as it came; `id` is a text and `parts`, if it is there, a list of objects. */
export type RawMessage = Json & { readonly id: string };

/** Of one fragmented event: a daemon's window is a MiB, and JSON makes at most six characters of one. */
const EVENT_CHARACTERS = 16 * 1024 * 1024;

/** Pieces of an event that is coming in. */
interface Fragments {
  readonly event: number;
  readonly count: number;
  readonly pieces: readonly string[];
  readonly characters: number;
}

export interface ChatView {
  readonly messages: readonly RawMessage[];
  /** Names each message for as long as it is there, also when its id changes. */
  readonly keys: readonly string[];
  /** The rest of the snapshot. */
  readonly fields: Json;
  readonly cursor?: string;
  /** Of the last event of this connection; absent before the first. */
  readonly revision?: number;
  /** All messages came on this connection, so patches may follow. */
  readonly complete: boolean;
  /** Why the stream is of no more use: subscribe again. */
  readonly error?: StreamError;
  readonly fragments?: Fragments;
}

export const EMPTY_CHAT: ChatView = { messages: [], keys: [], fields: {}, complete: false };

/** A view after a frame, and what the frame said that is shown once. */
export interface Step {
  readonly view: ChatView;
  readonly notice?: Json;
  readonly boundary?: string;
  readonly gap?: Json;
}

/** A subscription begins, on this connection or a new one: what is shown stays, unfinished fragments are forgotten. */
export function connect(view: ChatView): ChatView {
  const { revision: _, error: __, fragments: ___, ...shown } = view;
  return { ...shown, complete: false };
}

/** The stream ended by itself: an event that has not come whole is a stream error. */
export function end(view: ChatView): ChatView {
  return view.fragments === undefined || view.error !== undefined ? view : failed(view, "incomplete");
}

/** Takes a `chat_event` or `chat_frame`. What is wrong sets `error` and changes nothing that is shown; after that all is ignored. */
export function reduce(view: ChatView, frame: Json): Step {
  if (view.error !== undefined) return { view };
  try {
    if (frame["type"] === "chat_frame") return piece(view, frame);
    if (frame["type"] !== "chat_event") return { view };
    if (view.fragments !== undefined) throw new Wrong("interleaved");
    return event(view, frame);
  } catch (wrong) {
    if (wrong instanceof Wrong) return { view: failed(view, wrong.why) };
    throw wrong;
  }
}

class Wrong extends Error {
  readonly why: StreamError;
  constructor(why: StreamError = "malformed") {
    super(why);
    this.why = why;
  }
}

function failed(view: ChatView, error: StreamError): ChatView {
  return { ...unfragmented(view), error };
}

function unfragmented(view: ChatView): ChatView {
  const { fragments: _, ...rest } = view;
  return rest;
}

// ---- fragments ---------------------------------------------------------------------------------------------------------

function piece(view: ChatView, frame: Json): Step {
  const [of, index, count] = [integer(frame["event"]), integer(frame["index"]), integer(frame["count"])];
  const data = text(frame["data"]);
  if (index >= count) throw new Wrong();
  const begun = view.fragments;
  if (begun === undefined) {
    if (view.revision !== undefined && of <= view.revision) return { view };
    if (index !== 0) throw new Wrong();
  } else if (of !== begun.event || count !== begun.count || index !== begun.pieces.length) {
    throw new Wrong("interleaved");
  }
  const pieces = [...(begun?.pieces ?? []), data];
  const characters = (begun?.characters ?? 0) + data.length;
  if (characters > EVENT_CHARACTERS) throw new Wrong();
  if (pieces.length < count) return { view: { ...view, fragments: { event: of, count, pieces, characters } } };
  const whole = parsed(pieces.join(""));
  if (whole["type"] !== "chat_event" || whole["revision"] !== of) throw new Wrong();
  return event(unfragmented(view), whole);
}

function parsed(json: string): Json {
  let raw: unknown;
  try {
    raw = JSON.parse(json);
  } catch {
    throw new Wrong();
  }
  const found = record(raw);
  if (found === undefined) throw new Wrong();
  return found;
}

// ---- events ------------------------------------------------------------------------------------------------------------

function event(view: ChatView, said: Json): Step {
  const [revision, cursor] = [integer(said["revision"]), text(said["cursor"])];
  if (view.revision !== undefined && revision <= view.revision) return { view };
  const [snapshot, patches, appends] = [object(said["snapshot"]), list(said["patches"]), list(said["appends"])];
  const anew = Object.hasOwn(snapshot, "messages");
  const complete = view.complete || anew;
  if ((patches.length > 0 || appends.length > 0) && !complete) throw new Wrong("patch_before_messages");
  let messages = anew ? allMessages(snapshot["messages"]) : [...view.messages];
  for (const patch of patches) messages = patched(messages, object(patch));
  for (const one of appends) append(messages, object(one));
  const { messages: _, ...fields } = snapshot;
  const after: ChatView = {
    ...view,
    messages,
    keys: anew || patches.length > 0 ? keysOf(view, messages) : view.keys,
    fields: { ...view.fields, ...fields },
    cursor,
    revision,
    complete,
  };
  const [notice, gap, boundary] = [object(said["notice"]), object(said["gap"]), said["boundary"]];
  return {
    view: after,
    ...(said["notice"] == null ? {} : { notice }),
    ...(typeof boundary === "string" ? { boundary } : {}),
    ...(said["gap"] == null ? {} : { gap }),
  };
}

const PATH = /^\/messages\/(0|[1-9][0-9]{0,8})$/;

function patched(messages: RawMessage[], patch: Json): RawMessage[] {
  const [op, path, value] = [patch["op"], text(patch["path"]), patch["value"]];
  if (path === "/messages" && op === "replace") return allMessages(value);
  const found = PATH.exec(path);
  const index = found === null ? -1 : Number(found[1]);
  if (index < 0 || index >= messages.length + (op === "add" ? 1 : 0)) throw new Wrong();
  switch (op) {
    case "add":
      messages.splice(index, 0, oneMessage(value));
      return messages;
    case "replace":
      messages[index] = oneMessage(value);
      return messages;
    case "remove":
      messages.splice(index, 1);
      return messages;
    default:
      throw new Wrong();
  }
}

function append(messages: RawMessage[], said: Json): void {
  const [at, number, offset, more] = [integer(said["message"]), integer(said["part"]), integer(said["offset"]), text(said["text"])];
  const message = messages[at];
  if (message === undefined) throw new Wrong();
  const parts = list(message["parts"]).map(object);
  if (said["start"] != null) {
    if (number !== parts.length) throw new Wrong();
    parts.push(object(said["start"]));
  }
  const part = parts[number];
  if (part === undefined) throw new Wrong();
  const name = part["type"] === "tool_call" ? "args" : "text";
  const before = typeof part[name] === "string" ? part[name] : "";
  if (offset > before.length || splits(before, offset)) throw new Wrong();
  parts[number] = { ...part, [name]: before.slice(0, offset) + more };
  messages[at] = { ...message, parts };
}

/** Whether the first `offset` units end in the middle of a character. */
function splits(whole: string, offset: number): boolean {
  return offset > 0 && offset < whole.length && (whole.codePointAt(offset - 1) ?? 0) > 0xffff;
}

// ---- presentation identity ---------------------------------------------------------------------------------------------

/** A key for each message: the one it had, under its id, its temporary id or its submission, else its id made unique. */
function keysOf(view: ChatView, messages: readonly RawMessage[]): readonly string[] {
  const known = new Map<string, string>();
  view.messages.forEach((message, place) => {
    const key = view.keys[place];
    for (const name of names(message)) if (key !== undefined && !known.has(name)) known.set(name, key);
  });
  const free = new Set(view.keys);
  const keys: (string | undefined)[] = messages.map(() => undefined);
  // First by id alone, so that no message takes the key of one that is still there under its own id.
  for (const round of [1, 3]) {
    messages.forEach((message, place) => {
      if (keys[place] !== undefined) return;
      for (const name of names(message).slice(0, round)) {
        const key = known.get(name);
        if (key === undefined || !free.has(key)) continue;
        keys[place] = key;
        free.delete(key);
        return;
      }
    });
  }
  const taken = new Set(keys);
  return keys.map((had, place) => {
    if (had !== undefined) return had;
    const id = messages[place]?.id ?? "";
    let own = id;
    for (let number = 2; taken.has(own); number += 1) own = `${id}#${number}`;
    taken.add(own);
    return own;
  });
}

/** What a message may be known by, the surest first. */
function names(message: RawMessage): string[] {
  const found = [`id ${message.id}`];
  if (typeof message["liveId"] === "string") found.push(`id ${message["liveId"]}`);
  if (typeof message["clientTurnId"] === "string") found.push(`turn ${message["clientTurnId"]}`);
  return found;
}

// ---- reading -----------------------------------------------------------------------------------------------------------

function integer(value: unknown): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) throw new Wrong();
  return value;
}

function text(value: unknown): string {
  if (typeof value !== "string") throw new Wrong();
  return value;
}

/** Null and absence are an object without fields. */
function object(value: unknown): Json {
  if (value === undefined || value === null) return {};
  const found = record(value);
  if (found === undefined) throw new Wrong();
  return found;
}

function list(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new Wrong();
  return value;
}

function allMessages(value: unknown): RawMessage[] {
  if (!Array.isArray(value)) throw new Wrong();
  return value.map(oneMessage);
}

function oneMessage(value: unknown): RawMessage {
  const found = record(value);
  if (found === undefined || typeof found["id"] !== "string") throw new Wrong();
  if (list(found["parts"]).some((part) => record(part) === undefined)) throw new Wrong();
  return found as RawMessage;
}
