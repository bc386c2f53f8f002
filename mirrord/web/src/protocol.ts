/**
 * Every message of the client protocol `mirrord.v1` (docs/protocol.md), and how one that arrives is read.
 *
 * Reading never throws. A message of an unknown type, or one that lacks what it cannot be without, is `undefined` and is left
 * alone; fields of a later daemon are kept; an optional field that is wrong counts as absent. Times are milliseconds since the epoch.
 */

import { CHAT_CAPABILITIES, chatEvent, chatFrame, receipt, type ChatClientMessage, type ChatServerMessage } from "./core/chat/messages.ts";
import {
  anything,
  bool,
  list,
  literal,
  named,
  number,
  readable,
  record,
  struct,
  text,
  unlessFalse,
  type Read,
  type Reader,
} from "./core/reading.ts";
import {
  caret,
  customView,
  drawn,
  indicator,
  line,
  pills,
  placement,
  region,
  strips,
  truncation,
  widget,
  workingRow,
} from "./surface.ts";

export type { CustomView, Indicator, Pill, Region, Truncation, Widget, WorkingRow } from "./surface.ts";

export const SUBPROTOCOL = "mirrord.v1";
export const ENDPOINT = "/v1/ws";
export const PROTOCOL = { min: 1, max: 1 } as const;
export const CAPABILITIES = [
  "extension-native-ui:v1:text-fallback",
  "extension-native-ui:v1:prompt-native",
  "extension-native-ui:v1:surface-native",
  "extension-native-ui:v1:osc8-links",
  ...CHAT_CAPABILITIES,
] as const;

// ---- parts -------------------------------------------------------------------------------------------------------------

const state = named(
  ["working", "waiting", "your_turn", "idle", "failed", "retrying", "suspended", "detached", "ended"],
  // Of a later daemon: better said to be unknown than shown as something else.
  "unknown",
);
export type State = Read<typeof state>;

const method = named(["select", "confirm", "input", "editor", "ask", "custom", "other"], "other");
export type Method = Read<typeof method>;

const outcome = named(["answered", "cancelled", "timed_out", "withdrawn"], "withdrawn");
export type Outcome = Read<typeof outcome>;

const winner = named(["terminal", "remote", "none"], "none");
export type Winner = Read<typeof winner>;

const role = named(["observer", "controller", "owner"], "observer");
export type Role = Read<typeof role>;

const notifyType = named(["info", "warning", "error"], "info");
export type NotifyType = Read<typeof notifyType>;

/** Why an answer was not accepted. A reason of a later daemon is kept as it came. */
export type RefusalReason = "settled" | "invalid" | "unknown" | "detached" | "forbidden" | "busy" | "terminal_only" | (string & {});

const serverInfo = struct({ name: text, version: text, instance: text }, { host: text });
export type ServerInfo = Read<typeof serverInfo>;

const status = struct({ state, since: number }, { source: text, menu: text, detail: text });
export type Status = Read<typeof status>;

const session = struct(
  { sessionId: text, status },
  {
    conversationId: text,
    cwd: text,
    openPrompts: number,
    name: text,
    pid: number,
    piVersion: text,
    extensionVersion: text,
    capabilities: readable(text),
    notices: readable(text),
    firstMessage: text,
    screenShared: bool,
  },
);
/** One Pi in one terminal. */
export type Session = Read<typeof session>;

const questionOption = struct({ value: text, label: text }, { description: text });
/** One option of a question: `value` goes back as it is and is never shown. */
export type QuestionOption = Read<typeof questionOption>;

const question = struct({ id: text, question: text }, { options: list(questionOption), multiSelect: bool });
/** One question of an ask. */
export type Question = Read<typeof question>;

const verdict = struct({ outcome, winner, at: number }, { winnerName: text, answer: text, reason: text });
/** How a prompt ended, as far as it may be told. */
export type Verdict = Read<typeof verdict>;

const statusEntry = struct({ key: text, text }, { source: text });
/** One keyed status of an extension. */
export type StatusEntry = Read<typeof statusEntry>;

const working = struct({ active: bool, since: number }, {});
/** Whether the agent works, and since when. */
export type Working = Read<typeof working>;

const commandError = struct({ code: text, message: text }, {});
/** Why a command did not happen; `message` is one sentence for a person. */
export type CommandError = Read<typeof commandError>;

// ---- daemon → client ---------------------------------------------------------------------------------------------------

const request = struct(
  { type: literal("extension_ui_request"), sessionId: text, id: text, method, title: text },
  {
    openedAt: number,
    message: text,
    options: list(text),
    optionCount: number,
    placeholder: text,
    masked: unlessFalse,
    timeout: number,
    timeoutAt: number,
    truncated: readable(truncation),
    source: text,
    prefill: text,
    prefillParts: number,
    questions: list(question),
    allowCustom: bool,
    terminalOnly: text,
    cancellable: bool,
    cursor: text,
  },
);
/** A prompt that waits at the terminal. Absent: `masked` is false, `cancellable` and `allowCustom` are true. */
export type ExtensionUIRequest = Read<typeof request>;

const notification = struct(
  { type: literal("extension_ui_notification"), sessionId: text, method: text },
  {
    message: text,
    notifyType,
    statusKey: text,
    statusText: text,
    title: text,
    widgetKey: text,
    widgetPlacement: placement,
    workingVisible: bool,
    workingIndicator: indicator,
    hiddenThinkingLabel: text,
    toolsExpanded: bool,
    handoffId: text,
    text,
    textParts: number,
    paste: bool,
    requestId: text,
    overlay: bool,
    typing: bool,
    ...drawn,
    cursor: text,
  },
);
/** What an extension shows or says without waiting for an answer. The same message without its value clears. */
export type ExtensionUINotification = Read<typeof notification>;

const stripsChanged = struct({ type: literal("extension_ui_strips"), sessionId: text }, { above: pills, below: pills, cursor: text });
/** The pills of a session are these now. */
export type ExtensionUIStrips = Read<typeof stripsChanged>;

const settled = struct(
  { type: literal("extension_ui_settled"), sessionId: text, id: text, outcome, winner, at: number },
  { winnerName: text, answer: text, reason: text, cursor: text },
);
/** The terminal's verdict: dismiss this prompt. */
export type ExtensionUISettled = Read<typeof settled>;

const responseResult = struct(
  { type: literal("response_result"), responseId: text, id: text, accepted: bool },
  { reason: text, detail: text, winner, settled: verdict },
);
/** What became of one answer. */
export type ResponseResult = Read<typeof responseResult>;

const commandResult = struct({ type: literal("command_result"), requestId: text, ok: bool }, { data: anything, error: commandError });
/** The outcome of a command; `data` depends on the command. */
export type CommandResult = Read<typeof commandResult>;

const welcome = struct(
  { type: literal("welcome"), server: serverInfo, serverNow: number, protocol: number, role, sessions: readable(session) },
  { capabilities: readable(text), notice: text },
);
/** The connection stands; `sessions` is the whole list. */
export type Welcome = Read<typeof welcome>;

const sessionChanged = struct({ type: literal("session"), change: named(["added", "changed", "removed"], "changed"), session }, {});
/** A session came, changed or went. */
export type SessionChanged = Read<typeof sessionChanged>;

const snapshot = struct(
  { type: literal("snapshot"), sessionId: text, session, prompts: readable(request) },
  {
    cursor: text,
    statuses: readable(statusEntry),
    title: text,
    working,
    surfaces: readable(widget),
    header: region,
    footer: region,
    views: readable(customView),
    strips,
    workingRow,
    hiddenThinkingLabel: text,
    toolsExpanded: bool,
  },
);
/** Everything that is true of a session now; events after `cursor` follow. */
export type Snapshot = Read<typeof snapshot>;

const screen = struct(
  { type: literal("screen"), sessionId: text, columns: number, rows: number },
  { lines: readable(line), caret, hidden: text },
);
/** The terminal's screen, for who watches it; `hidden` says why it is not shown. */
export type Screen = Read<typeof screen>;

const attentionKind = named(["waiting", "yourTurn", "failed", "over"], "unknown");
const attention = struct(
  { type: literal("attention"), sessionId: text, kind: attentionKind, title: text, body: text, at: number },
  { promptId: text },
);
/** What to tell the person of a session now, in place of what was told of it before; `over`: that holds no longer. */
export type Attention = Read<typeof attention>;

const gap = struct({ type: literal("gap"), sessionId: text }, { since: text });
/** The cursor could not be served: events were missed, a snapshot follows. */
export type Gap = Read<typeof gap>;

const error = struct({ type: literal("error"), code: text, message: text }, {});
/** A frame of ours that could not be taken; `message` is one sentence. */
export type ProtocolError = Read<typeof error>;

export type ServerMessage =
  | Welcome
  | SessionChanged
  | Snapshot
  | ExtensionUIRequest
  | ExtensionUINotification
  | ExtensionUIStrips
  | ExtensionUISettled
  | ResponseResult
  | CommandResult
  | Screen
  | Attention
  | Gap
  | ProtocolError
  | ChatServerMessage;

const READERS: ReadonlyMap<string, Reader<object>> = new Map<string, Reader<object>>([
  ["welcome", welcome],
  ["session", sessionChanged],
  ["snapshot", snapshot],
  ["extension_ui_request", request],
  ["extension_ui_notification", notification],
  ["extension_ui_strips", stripsChanged],
  ["extension_ui_settled", settled],
  ["response_result", responseResult],
  ["command_result", commandResult],
  ["screen", screen],
  ["attention", attention],
  ["gap", gap],
  ["error", error],
  ["chat_event", chatEvent],
  ["chat_frame", chatFrame],
  ["receipt", receipt],
]);

/** The message in one text frame, or undefined when this build cannot read it. */
export function decode(frame: unknown): ServerMessage | undefined {
  if (typeof frame !== "string") return undefined;
  let raw: unknown;
  try {
    raw = JSON.parse(frame);
  } catch {
    return undefined;
  }
  const found = record(raw);
  if (found === undefined || typeof found["type"] !== "string") return undefined;
  return READERS.get(found["type"])?.(found) as ServerMessage | undefined;
}

// ---- command data ------------------------------------------------------------------------------------------------------

/** `command options`: at most 200 options of a select from `offset` on. */
export const readOptionsPage = struct({ offset: number, options: list(text), optionCount: number }, {});
export type OptionsPage = Read<typeof readOptionsPage>;

/** `command verdict`: how a prompt ended. */
export const readVerdict = verdict;

/** `command prefill` and `command handoff`: one piece of a long text. */
export const readTextPart = struct({ part: number, parts: number, text }, {});
export type TextPart = Read<typeof readTextPart>;

// ---- client → daemon ---------------------------------------------------------------------------------------------------

export interface Hello {
  readonly type: "hello";
  readonly client: { readonly name: string; readonly kind: string };
  readonly protocol: { readonly min: number; readonly max: number };
  readonly capabilities: readonly string[];
  /** Session id → the last cursor seen; subscribes too. */
  readonly resume?: Readonly<Record<string, string>>;
}

export interface Subscribe {
  readonly type: "subscribe";
  readonly sessionId: string;
  readonly since?: string;
}

export interface Unsubscribe {
  readonly type: "unsubscribe";
  readonly sessionId: string;
}

/**
 * The session on the screen of a page that is visible and has the focus; null: another page, or hidden. `present`: it can be seen, whatever
 * is on it. After each hello and at each change.
 */
export interface Looking {
  readonly type: "looking";
  readonly sessionId: string | null;
  readonly present?: true;
}

/** An answer: exactly one of the fields after `responseId`. */
export interface ExtensionUIResponse {
  readonly type: "extension_ui_response";
  readonly id: string;
  readonly responseId?: string;
  readonly value?: string;
  readonly index?: number;
  readonly confirmed?: boolean;
  readonly answers?: Readonly<Record<string, string | readonly string[]>>;
  readonly unchanged?: true;
  readonly parts?: number;
  readonly cancelled?: true;
}

export interface ContentPart {
  readonly type: "content_part";
  readonly responseId: string;
  readonly part: number;
  readonly parts: number;
  readonly text: string;
}

export interface Command {
  readonly type: "command";
  readonly requestId: string;
  readonly name: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

export type ClientMessage = Hello | Subscribe | Unsubscribe | ExtensionUIResponse | ContentPart | Command | Looking | ChatClientMessage;
