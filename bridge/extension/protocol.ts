// The messages of docs/bridge.md: their types, and how one becomes a line. decode.ts reads the lines of the daemon.

import type { ChatIncoming, ChatOutgoing } from "./chat_protocol.ts";
import { FRAME_BYTES } from "./limits.ts";

export const PROTOCOL_MIN = 1;
export const PROTOCOL_MAX = 1;

export type Method = "select" | "confirm" | "input" | "editor" | "ask" | "custom";
export type StartReason = "startup" | "reload" | "new" | "resume" | "fork" | "daemon";
export type EndReason = "quit" | "reload" | "new" | "resume" | "fork";
export type NotifyType = "info" | "warning" | "error";
export type Placement = "aboveEditor" | "belowEditor";
export type RegionName = "header" | "footer";
export type DeviceRole = "observer" | "controller";
export type RejectReason = "settled" | "unknown" | "invalid";
export type ActivityCause = "agent_start" | "agent_end" | "agent_settled" | "turn_start" | "turn_end" | "resync";

export interface Truncation {
  field: string;
  shown: number;
  total: number;
}

/** One option of a question: `value` is content and goes back as it is; it is empty where no remote can answer. */
export interface QuestionOption {
  value: string;
  label: string;
  description?: string;
}

export interface Question {
  id: string;
  question: string;
  options: QuestionOption[];
  multiSelect?: boolean;
}

/** Why no remote can answer: the content is the terminal's, over its limit, or holds a lone surrogate. */
export type TerminalOnly = "custom" | "too_large" | "half_characters";

/** An open dialog, its texts as the author wrote them, cut to the bounds. Times in ms since the epoch, `timeout` in ms. */
export interface Prompt {
  id: string;
  method: Method;
  title: string;
  openedAt: number;
  message?: string;
  options?: string[];
  optionCount?: number;
  placeholder?: string;
  timeout?: number;
  timeoutAt?: number;
  truncated?: Truncation[];
  source?: string;
  prefill?: string;
  prefillParts?: number;
  questions?: Question[];
  allowCustom?: boolean;
  terminalOnly?: TerminalOnly;
  cancellable?: boolean;
}

export type Answer = { index?: number; label: string } | { confirmed: boolean; certain: boolean } | { labels: string[] };

/** How a prompt ended; there is exactly one for each prompt. */
export interface Settled {
  type: "prompt_settled";
  id: string;
  outcome: "answered" | "cancelled" | "timed_out" | "withdrawn";
  winner: "terminal" | "remote" | "none";
  at: number;
  responseId?: string;
  answer?: Answer;
  reason?: EndReason | "signal" | "error" | "closed";
  /** A daemon has had it: this one has it for who answers late, and need not tell anybody else. */
  again?: true;
}

export interface Rejected {
  type: "response_rejected";
  responseId: string;
  id: string;
  reason: RejectReason;
}

export interface Conversation {
  id: string;
  cwd: string;
  name?: string;
  file?: string;
  firstMessage?: string;
}

export interface Hello {
  type: "hello";
  protocol: { min: number; max: number };
  bridge: { version: string; path: string; generation: number };
  terminal: { id: string; pid: number; startTime: string | null; mode: string; piVersion: string | null; node: string };
  conversation: Conversation;
  reason: StartReason;
  capabilities: string[];
}

export interface Activity {
  type: "activity";
  working: boolean;
  cause: ActivityCause;
  at: number;
}

/** The theme's foreground colours: the name of a token → the SGR sequence that starts it. */
export interface Palette {
  type: "palette";
  tokens: Record<string, string>;
}

/** `lines` are raw: SGR, OSC 8 and caret markers; null clears the key. `width` is null where they were given, not drawn. */
export interface Widget {
  type: "widget";
  key: string;
  placement: Placement;
  lines: string[] | null;
  width: number | null;
  /** What `renderNative()` gave, or why there is nothing of it. */
  native?: object;
  nativeError?: string;
  source?: string;
  truncated?: Truncation[];
}

/** `lines` null: the region is Pi's own. */
export interface Region {
  type: "region";
  name: RegionName;
  lines: string[] | null;
  width: number | null;
  source?: string;
  truncated?: Truncation[];
}

/** What an open `custom` dialog draws; `id` is the prompt's. */
export interface View {
  type: "view";
  id: string;
  lines: string[];
  width: number;
  overlay: boolean;
  /** It may show what somebody types. */
  typing: boolean;
  source?: string;
  truncated?: Truncation[];
}

/** null: Pi's own. No frames at all: no indicator. */
export interface WorkingRow {
  type: "working_row";
  message: string | null;
  visible: boolean;
  frames: string[] | null;
  intervalMs: number | null;
}

export interface EditorText {
  type: "editor_text";
  id: string;
  /** At the cursor, instead of in the place of what is there. */
  paste: boolean;
  text?: string;
  /** So many pieces of the text came before. */
  parts?: number;
  source?: string;
}

export interface Notice {
  type: "notice";
  code: "dropped" | "too_large" | "second_copy" | "hook_missing" | "unknown_member" | "editor_text" | "gave_way";
  detail?: string;
  count?: number;
}

export interface Bye {
  type: "bye";
  reason: EndReason | "off";
}

/** What the extension says, before it has its `seq`. */
export type Outgoing =
  | Hello
  | { type: "resync_begin" }
  | { type: "resync_end" }
  | { type: "prefill_part"; id: string; part: number; parts: number; text: string }
  | { type: "options_part"; id: string; offset: number; options: string[] }
  | { type: "prompt_opened"; prompt: Prompt }
  | Settled
  | Rejected
  | { type: "stop_result"; requestId: string; ok: boolean; message?: string }
  | { type: "notification"; message: string; notifyType?: NotifyType; source?: string }
  | { type: "status"; key: string; text: string | null; source?: string }
  | { type: "title"; title: string | null; source?: string }
  | Palette
  | Widget
  | Region
  | View
  | WorkingRow
  | { type: "thinking_label"; label: string | null }
  | { type: "tools_expanded"; expanded: boolean }
  | { type: "screen_share"; on: boolean }
  | { type: "editor_text_part"; id: string; part: number; parts: number; text: string }
  | EditorText
  | Activity
  | { type: "conversation"; conversation: Conversation }
  | Notice
  | { type: "pair_code_request"; requestId: string; role?: DeviceRole }
  | ChatOutgoing
  | Bye
  | { type: "ping"; n: number }
  | { type: "pong"; n: number };

export interface Welcome {
  type: "welcome";
  protocol: number;
  daemon: { version: string; instance: string; pid: number };
  now: number;
}

export interface Refused {
  type: "refused";
  code: string;
  message: string;
}

/** Who answers, for display. */
export interface By {
  name: string;
  kind: string;
}

/** The answers of an ask: question id → one value, or a list where several may be chosen. */
export type Answers = Readonly<Record<string, string | string[]>>;

/** An answer from afar. Which of the last seven are there, and whether they suit the prompt, is judged where it is used. */
export interface Response {
  type: "response";
  responseId: string;
  id: string;
  by: By;
  index?: number;
  confirmed?: boolean;
  text?: string;
  /** So many pieces of the text came before. */
  parts?: number;
  unchanged?: boolean;
  answers?: Answers;
  cancelled?: boolean;
}

export interface ResponsePart {
  type: "response_part";
  responseId: string;
  part: number;
  parts: number;
  text: string;
}

export interface Stop {
  type: "stop";
  requestId: string;
  by: By;
}

/** A code for one device. `qr` is `url` as lines of half blocks; `expiresAt` is in ms since the epoch. */
export interface PairCode {
  type: "pair_code";
  requestId: string;
  code: string;
  url: string;
  page: string;
  role: string;
  expiresAt: number;
  qr: string[];
}

export interface PairCodeRefused {
  type: "pair_code_refused";
  requestId: string;
  message: string;
}

/** `outcome` is `used`, `failed`, `old`, `replaced`, `too_many_tries` or a word of a later daemon. */
export interface PairCodeEnded {
  type: "pair_code_ended";
  requestId: string;
  outcome: string;
  device?: string;
}

/** How it stands with this terminal's screen. */
export interface ScreenView {
  type: "screen_view";
  /** Whether `mirrord pi` started this Pi, and follows its screen. */
  followed: boolean;
  shared: boolean;
  watchers: number;
}

export type PairMessage = PairCode | PairCodeRefused | PairCodeEnded;

export type Incoming =
  | Welcome
  | Refused
  | { type: "ack"; upTo: number }
  | { type: "resync" }
  | ResponsePart
  | Response
  | Stop
  | PairMessage
  | ScreenView
  | ChatIncoming
  | { type: "ping"; n: number }
  | { type: "pong"; n: number };

/** `message` as a line with its LF, or undefined when it has more than FRAME_BYTES. */
export function encode(seq: number, message: Outgoing): string | undefined {
  const { type, ...fields } = message;
  const line = `${JSON.stringify({ type, seq, ...fields })}\n`;
  return Buffer.byteLength(line, "utf8") > FRAME_BYTES ? undefined : line;
}
