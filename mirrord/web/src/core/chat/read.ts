/**
 * What the reducer keeps as it came, as the screens are given it. Nothing here throws: a field that is wrong counts as absent, and
 * one that no message can be without gets its plainest value. What was read of an object is kept with it, so that the same message is
 * the same object.
 */

import type { Agent, ChatMessage, ChatPart, Conversation, Queued, Row, SlashCommand } from "../../chat/contract.ts";
import { line, truncation, type Line } from "../../surface.ts";
import { bool, list, named, number, oneOf, readable, record, struct, text, type Reader } from "../reading.ts";
import { receiptOf } from "./messages.ts";
import type { RawMessage } from "./reducer.ts";

const state = named(["streaming", "done", "error", "aborted"], "done");

const part = struct(
  { type: text },
  { text, toolCallId: text, name: text, args: text, mimeType: text, bytes: number },
) satisfies Reader<ChatPart>;

/** One that cannot be read keeps its place: `truncated` counts by it. */
const UNREADABLE: ChatPart = { type: "unreadable" };

const spans: Reader<Line> = (raw) => line(record(raw)?.["spans"]);

const optional = struct(
  {},
  {
    entryId: text,
    error: text,
    provider: text,
    model: text,
    stopReason: text,
    startedAt: number,
    durationMs: number,
    isError: bool,
    toolCallId: text,
    toolName: text,
    args: text,
    command: text,
    excluded: bool,
    exitCode: number,
    cancelled: bool,
    customType: text,
    tokensBefore: number,
    drawn: struct({ lines: list(spans), width: number }, {}),
    truncated: readable(truncation),
    clientTurnId: text,
  },
);

const parts = new WeakMap<object, ChatPart>();
const messages = new WeakMap<RawMessage, ChatMessage>();
const rows = new WeakMap<RawMessage, Row>();

/** A message of the reducer. */
export function readMessage(raw: RawMessage): ChatMessage {
  return kept(messages, raw, () => ({
    ...optional(raw),
    id: raw.id,
    kind: text(raw["kind"]) ?? "custom",
    at: number(raw["at"]) ?? 0,
    state: state(raw["state"]) ?? "done",
    parts: (Array.isArray(raw["parts"]) ? (raw["parts"] as unknown[]) : []).map(readPart),
    display: raw["display"] !== false,
  }));
}

/** A message and its name on screen. */
export function readRow(raw: RawMessage, key: string): Row {
  const known = rows.get(raw);
  if (known?.key === key) return known;
  const row = { key, message: readMessage(raw) };
  rows.set(raw, row);
  return row;
}

/** Messages as `chat_history` has them: those that are none are left out. */
const rawMessages = readable((raw): RawMessage | undefined => {
  const found = record(raw);
  return found !== undefined && typeof found["id"] === "string" ? (found as RawMessage) : undefined;
});

/** Data of `chat_history`: messages before the one that was asked for, the oldest first. */
export const readPage = struct({ messages: rawMessages, more: bool }, { before: text });

const command = struct({ name: text }, { description: text, source: text }) satisfies Reader<SlashCommand>;
/** Data of `chat_commands`. */
export const readCommands = struct({ commands: readable(command) }, {});

/** Data of `chat_receipts`. */
export const readReceipts = struct({ receipts: readable(receiptOf) }, {});

// ---- the rest of the snapshot ------------------------------------------------------------------------------------------

export const readHistory = struct({ more: bool }, { before: text });

const notice = struct({ text }, { level: named(["info", "warning", "error"], "info") });

/** Something to show once; undefined when there is nothing. */
export function readNotice(raw: unknown): { readonly level: "info" | "warning" | "error"; readonly text: string } | undefined {
  const found = notice(raw);
  return found === undefined ? undefined : { level: found.level ?? "info", text: found.text };
}

const stopping = struct({ since: number, by: text }, { overdue: bool });

const queued = struct(
  { kind: oneOf(["steer", "follow_up", "compaction"]), position: number, text },
  { clientTurnId: text, from: text },
) satisfies Reader<Queued>;

const model = struct({ provider: text, id: text, name: text }, {});
const texts: Reader<Readonly<Record<string, string>>> = (raw) => {
  const found = Object.entries(record(raw) ?? {}).filter(([, value]) => typeof value === "string");
  return Object.fromEntries(found) as Record<string, string>;
};

const agent = struct(
  {},
  {
    compacting: bool,
    bash: bool,
    retrying: struct({ attempt: number, maxAttempts: number, delayMs: number, error: text }, {}),
    cannotRun: text,
    model,
    models: readable(model),
    thinkingLevel: text,
    levels: readable(text),
    refuses: texts,
  },
);

/** What screens show of the snapshot besides its messages. */
export type Fields = Pick<
  Conversation,
  | "conversationId"
  | "streaming"
  | "stopping"
  | "readOnly"
  | "readOnlyReason"
  | "queue"
  | "queueReadOnlyReason"
  | "steeringUnavailable"
  | "agent"
>;

const agents = new WeakMap<object, Agent>();
const queues = new WeakMap<object, readonly Queued[]>();
const stops = new WeakMap<object, NonNullable<Fields["stopping"]>>();
const all = new WeakMap<object, Fields>();
const EMPTY: readonly Queued[] = [];

/** The fields of a view; what of them did not change is the same object. */
export function readFields(raw: Json): Fields {
  return kept(all, raw, () => {
    const one = <V extends object>(name: string, of: WeakMap<object, V>, read: (found: object) => V | undefined): V | undefined => {
      const found = raw[name];
      return typeof found === "object" && found !== null ? keptIf(of, found, () => read(found)) : undefined;
    };
    return defined({
      conversationId: text(raw["conversationId"]),
      streaming: raw["streaming"] === true,
      stopping: one("stopping", stops, (found) => {
        const read = stopping(found);
        return read === undefined ? undefined : { since: read.since, by: read.by, overdue: read.overdue === true };
      }),
      readOnly: raw["readOnly"] === true,
      readOnlyReason: text(raw["readOnlyReason"]),
      queue: one("queuedFollowUps", queues, readable(queued)) ?? EMPTY,
      queueReadOnlyReason: raw["queueReadOnly"] === true ? text(raw["queueReadOnlyReason"]) : undefined,
      steeringUnavailable: text(raw["queueSteeringUnavailableReason"]),
      agent: one("agent", agents, readAgent),
    });
  });
}

function readAgent(raw: unknown): Agent | undefined {
  const found = agent(raw);
  return found === undefined ? undefined : { compacting: false, bash: false, models: [], levels: [], refuses: {}, ...found };
}

function readPart(raw: unknown): ChatPart {
  const found = record(raw);
  return found === undefined ? UNREADABLE : kept(parts, found, () => part(found) ?? UNREADABLE);
}

function kept<K extends object, V extends object>(of: WeakMap<K, V>, key: K, read: () => V): V {
  return keptIf(of, key, read) as V;
}

function keptIf<K extends object, V extends object>(of: WeakMap<K, V>, key: K, read: () => V | undefined): V | undefined {
  const known = of.get(key);
  if (known !== undefined) return known;
  const value = read();
  if (value !== undefined) of.set(key, value);
  return value;
}

type Json = Readonly<Record<string, unknown>>;
type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Without the fields that are undefined. */
function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
