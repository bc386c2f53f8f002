// Pi's entries and messages as rows: pure, and made only for what is told.

import { CHAT_PARTS, CHAT_ROW_BYTES, CHAT_TEXT_BYTES, KIB, TEXT_BYTES } from "./limits.ts";
import { field, textOr } from "./pi.ts";
import type { ChatCut, ChatPart, ChatRow, RowKind, RowState } from "./chat_protocol.ts";
import { cut } from "./text.ts";

/** Below this a text is not cut further: so many parts at this size fit a row. */
const LEAST_TEXT_BYTES = KIB / 4;

/** What a row is made of, before it is cut to its bounds. */
export interface Draft {
  readonly kind: RowKind;
  readonly at: number;
  readonly state: RowState;
  readonly parts: readonly ChatPart[];
  readonly facts: Partial<ChatRow>;
}

/** The call that a tool's result answers. */
export interface Call {
  readonly args: string;
  readonly startedAt: number | undefined;
}

/** Which kind of row an entry of Pi is; undefined for one that shows nothing. */
export function kindOf(entry: unknown): RowKind | undefined {
  switch (field(entry, "type")) {
    case "message":
      return roleKind(field(field(entry, "message"), "role"));
    case "custom_message":
      return "custom";
    case "compaction":
      return "compaction";
    case "branch_summary":
      return "branch_summary";
    default:
      return undefined;
  }
}

/** Which kind of row a message of Pi is; undefined for one that shows nothing. */
export function roleKind(role: unknown): RowKind | undefined {
  switch (role) {
    case "user":
      return "user";
    case "assistant":
      return "assistant";
    case "toolResult":
      return "tool";
    case "bashExecution":
      return "bash";
    case "custom":
      return "custom";
    default:
      return undefined;
  }
}

export function entryDraft(entry: unknown, call: Call | undefined): Draft | undefined {
  const at = time(field(entry, "timestamp"));
  switch (kindOf(entry)) {
    case undefined:
      return undefined;
    case "custom":
      return field(entry, "type") === "custom_message" ? customDraft(entry, at) : messageDraft(field(entry, "message"), at, false, call);
    case "compaction": {
      const before = whole(field(entry, "tokensBefore"));
      const facts = before === undefined ? {} : { tokensBefore: before };
      return { kind: "compaction", at, state: "done", parts: textParts(field(entry, "summary")), facts };
    }
    case "branch_summary":
      return { kind: "branch_summary", at, state: "done", parts: textParts(field(entry, "summary")), facts: {} };
    default:
      return messageDraft(field(entry, "message"), at, false, call);
  }
}

/** `at` is for a message that bears no time; `streaming`: Pi still writes it. */
export function messageDraft(message: unknown, at: number, streaming: boolean, call?: Call): Draft | undefined {
  const when = whole(field(message, "timestamp")) ?? at;
  switch (roleKind(field(message, "role"))) {
    case "user":
      return { kind: "user", at: when, state: "done", parts: parts(field(message, "content")), facts: {} };
    case "assistant":
      return assistantDraft(message, when, at, streaming);
    case "tool":
      return toolDraft(message, when, call);
    case "bash":
      return bashDraft(message, when);
    case "custom":
      return customDraft(message, when);
    default:
      return undefined;
  }
}

function assistantDraft(message: unknown, startedAt: number, endedAt: number, streaming: boolean): Draft {
  const stopReason = textOr(field(message, "stopReason"), undefined);
  const error = textOr(field(message, "errorMessage"), undefined);
  const ended = stopReason === "error" || stopReason === "aborted" ? stopReason : "done";
  const durationMs = endedAt - startedAt;
  return {
    kind: "assistant",
    at: startedAt,
    state: streaming ? "streaming" : ended,
    parts: parts(field(message, "content")),
    facts: {
      ...text("provider", field(message, "provider")),
      ...text("model", field(message, "model")),
      startedAt,
      ...(!streaming && stopReason !== undefined && { stopReason }),
      ...(!streaming && error !== undefined && { error }),
      ...(!streaming && durationMs >= 0 && { durationMs }),
    },
  };
}

function toolDraft(message: unknown, at: number, call: Call | undefined): Draft {
  const isError = field(message, "isError") === true;
  const durationMs = call?.startedAt === undefined ? undefined : at - call.startedAt;
  return {
    kind: "tool",
    at,
    state: isError ? "error" : "done",
    parts: parts(field(message, "content")),
    facts: {
      ...text("toolCallId", field(message, "toolCallId")),
      ...text("toolName", field(message, "toolName")),
      ...(call !== undefined && { args: call.args }),
      ...(isError && { isError }),
      ...(durationMs !== undefined && durationMs >= 0 && { startedAt: at - durationMs, durationMs }),
    },
  };
}

function bashDraft(message: unknown, at: number): Draft {
  const exitCode = whole(field(message, "exitCode"));
  const cancelled = field(message, "cancelled") === true;
  return {
    kind: "bash",
    at,
    state: cancelled ? "aborted" : exitCode !== undefined && exitCode !== 0 ? "error" : "done",
    parts: textParts(field(message, "output")),
    facts: {
      command: String(field(message, "command") ?? ""),
      ...(field(message, "excludeFromContext") === true && { excluded: true }),
      ...(exitCode !== undefined && { exitCode }),
      ...(cancelled && { cancelled }),
    },
  };
}

function customDraft(message: unknown, at: number): Draft {
  const hidden = field(message, "display") === false;
  return {
    kind: "custom",
    at,
    state: "done",
    parts: parts(field(message, "content")),
    facts: { customType: String(field(message, "customType") ?? ""), ...(hidden && { display: false }) },
  };
}

/** Pi's content, a text or a list of blocks, as parts. */
export function parts(content: unknown): ChatPart[] {
  if (!Array.isArray(content)) return textParts(content);
  return content.slice(0, CHAT_PARTS).map(part);
}

function part(block: unknown): ChatPart {
  switch (field(block, "type")) {
    case "thinking":
      return { type: "thinking", text: String(field(block, "thinking") ?? "") };
    case "toolCall":
      return { type: "tool_call", ...text("toolCallId", field(block, "id")), ...text("name", field(block, "name")), args: argsOf(block) };
    case "image": {
      const data = field(block, "data");
      // base64: four characters for three bytes.
      const bytes = typeof data === "string" ? Math.floor((data.length * 3) / 4) : undefined;
      return { type: "image", ...text("mimeType", field(block, "mimeType")), ...(bytes !== undefined && { bytes }) };
    }
    default:
      return { type: "text", text: String(field(block, "text") ?? "") };
  }
}

/** While a call is written, its arguments are the JSON that has come so far. */
function argsOf(block: unknown): string {
  const partial = field(block, "partialJson");
  return typeof partial === "string" ? partial : json(field(block, "arguments"));
}

export function json(value: unknown): string {
  return JSON.stringify(value) ?? "";
}

export function textParts(value: unknown): ChatPart[] {
  return typeof value === "string" && value !== "" ? [{ type: "text", text: value }] : [];
}

/** The row within its bounds: each text at most CHAT_TEXT_BYTES, all of it at most CHAT_ROW_BYTES as JSON. */
export function finish(draft: Draft, ids: Partial<ChatRow> & { id: string }): ChatRow {
  const cuts: Cuts = new Map();
  if (isSmall(draft)) return compose(shorten(draft, cuts, () => CHAT_TEXT_BYTES), ids, cuts);
  // What comes first has room first; what has been cut once is short for all that follows, however long it was.
  let room = CHAT_ROW_BYTES - (draft.parts.length + 3) * LEAST_TEXT_BYTES;
  let short = shorten(draft, cuts, (length) => {
    const most = Math.min(CHAT_TEXT_BYTES, Math.max(room, LEAST_TEXT_BYTES));
    room -= Math.min(length, most);
    return most;
  });
  for (let limit = CHAT_TEXT_BYTES; ; limit = Math.floor(limit / 2)) {
    short = shorten(short, cuts, () => limit);
    const row = compose(short, ids, cuts);
    if (limit < LEAST_TEXT_BYTES || bytesOf(row) <= CHAT_ROW_BYTES) return row;
  }
}

/** Whether it surely fits: a UTF-16 unit has at most six bytes as JSON. */
function isSmall({ parts: told, facts }: Draft): boolean {
  const texts = told.reduce((sum, one) => sum + (one.text?.length ?? 0) + (one.args?.length ?? 0) + LEAST_TEXT_BYTES, 0);
  const rest = (facts.args?.length ?? 0) + (facts.command?.length ?? 0) + (facts.error?.length ?? 0);
  return 6 * (texts + rest) <= CHAT_ROW_BYTES;
}

/** How many bytes a row takes on the wire. */
export function bytesOf(row: ChatRow): number {
  return Buffer.byteLength(JSON.stringify(row), "utf8");
}

/** By field, how much of a text is left, and how much there was. */
type Cuts = Map<string, { shown: number; total: number }>;

/** The draft with each text within `limit` bytes, which is told how many UTF-16 units it has. */
function shorten(draft: Draft, cuts: Cuts, limit: (length: number) => number): Draft {
  const short = (name: string, value: string, most = limit(value.length)): string => {
    const { text: kept, shown, total } = cut(value, most);
    if (shown < total) cuts.set(name, { shown, total: cuts.get(name)?.total ?? total });
    return kept;
  };
  const { args, command, error } = draft.facts;
  return {
    ...draft,
    parts: draft.parts.map((one, index) => ({
      ...one,
      ...(one.text !== undefined && { text: short(`parts.${index}`, one.text) }),
      ...(one.args !== undefined && { args: short(`parts.${index}`, one.args) }),
    })),
    facts: {
      ...draft.facts,
      ...(args !== undefined && { args: short("args", args) }),
      ...(command !== undefined && { command: short("command", command) }),
      ...(error !== undefined && { error: short("error", error, TEXT_BYTES) }),
    },
  };
}

function compose({ kind, at, state, parts: told, facts }: Draft, ids: Partial<ChatRow> & { id: string }, cuts: Cuts): ChatRow {
  const truncated = [...cuts].map(([name, lengths]): ChatCut => ({ field: name, ...lengths }));
  return {
    ...ids,
    kind,
    at,
    state,
    ...(told.length > 0 && { parts: [...told] }),
    ...facts,
    ...(truncated.length > 0 && { truncated }),
  };
}

function time(value: unknown): number {
  const read = typeof value === "number" ? value : Date.parse(String(value));
  return Number.isSafeInteger(read) ? read : 0;
}

/** A number that the wire can carry as an integer. */
export function whole(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? Math.trunc(value) : undefined;
}

type Name = "provider" | "model" | "toolCallId" | "toolName" | "name" | "mimeType";

/** A name for programs or people, where Pi has one. */
function text<K extends Name>(key: K, value: unknown): Partial<Record<K, string>> {
  return typeof value === "string" ? ({ [key]: cut(value, TEXT_BYTES).text } as Record<K, string>) : {};
}
