/**
 * All that the conversation's screens are given, and all that they may do. `core/chat/` makes it of the daemon's messages, `edge/chat.ts`
 * carries it out; nothing in this folder knows a socket. Times are milliseconds since the epoch, of the daemon's clock.
 */

import type { Line } from "../surface.ts";
import type { Truncation } from "../protocol.ts";

export type MessageKind = "user" | "assistant" | "tool" | "bash" | "custom" | "compaction" | "branch_summary" | (string & {});
export type MessageState = "streaming" | "done" | "error" | "aborted";
export type SubmitKind = "prompt" | "steer" | "follow_up" | "command" | "bash";

/** A piece of a message. `type` is `text`, `thinking`, `tool_call`, `image`, or a word of a later Pi. */
export interface ChatPart {
  readonly type: string;
  readonly text?: string;
  readonly toolCallId?: string;
  readonly name?: string;
  /** JSON text, not whole while it streams. */
  readonly args?: string;
  readonly mimeType?: string;
  readonly bytes?: number;
}

/** One message, as docs/protocol.md has it. Lines are sanitized spans. */
export interface ChatMessage {
  readonly id: string;
  readonly kind: MessageKind;
  readonly at: number;
  readonly state: MessageState;
  readonly parts: readonly ChatPart[];
  readonly entryId?: string;
  readonly error?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly stopReason?: string;
  readonly startedAt?: number;
  readonly durationMs?: number;
  readonly isError?: boolean;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly args?: string;
  readonly command?: string;
  readonly excluded?: boolean;
  readonly exitCode?: number;
  readonly cancelled?: boolean;
  readonly customType?: string;
  /** False: in the conversation, not on the terminal's screen. */
  readonly display: boolean;
  readonly tokensBefore?: number;
  readonly drawn?: { readonly lines: readonly Line[]; readonly width: number };
  readonly truncated?: readonly Truncation[];
  readonly clientTurnId?: string;
}

/** A message under the name that it keeps on screen for as long as it is there, also when its id changes. */
export interface Row {
  readonly key: string;
  readonly message: ChatMessage;
}

/** What is before the first row. `full`: more, of which this page takes none. */
export type Older = { readonly kind: "none" | "more" | "loading" | "full" } | { readonly kind: "failed"; readonly why: string };

export interface Queued {
  readonly kind: "steer" | "follow_up" | "compaction";
  readonly position: number;
  readonly text: string;
  readonly clientTurnId?: string;
  /** The name of the device that sent it; absent where it was typed at the terminal, or nobody knows. */
  readonly from?: string;
}

export interface Model {
  readonly provider: string;
  readonly id: string;
  readonly name: string;
}

/**
 * What Pi is set to and does, as far as screens show it. `refuses` has a sentence for each command, or kind of submission, that this Pi
 * cannot do from afar.
 */
export interface Agent {
  readonly compacting: boolean;
  readonly bash: boolean;
  readonly retrying?: { readonly attempt: number; readonly maxAttempts: number; readonly delayMs: number; readonly error: string };
  readonly cannotRun?: string;
  readonly model?: Model;
  readonly models: readonly Model[];
  readonly thinkingLevel?: string;
  readonly levels: readonly string[];
  readonly refuses: Readonly<Record<string, string>>;
}

/**
 * Something this browser sent and that is not a row yet. `sending`: no word; `unsure`: no word for longer than usual, sent again by itself.
 * `rejected` never acted and `unknown` may have: both stay, with the text, until the person retries or discards.
 */
export interface OwnTurn {
  readonly id: string;
  readonly kind: SubmitKind;
  readonly text: string;
  /** A shell command that is kept from Pi's context. */
  readonly excluded?: boolean;
  readonly stage: "sending" | "unsure" | "accepted" | "queued" | "rejected" | "unknown";
  readonly reason?: string;
  /** When it was submitted. */
  readonly at: number;
}

/** One conversation as this browser knows it. Made anew when anything of it changes; rows that did not change are the same objects. */
export interface Conversation {
  /** False until the first messages came. What is shown meanwhile is an empty page that can be typed into. */
  readonly isKnown: boolean;
  /** Rows are older than the connection: it is down, or what came is not caught up with yet. */
  readonly isStale: boolean;
  /** Oldest first: pages that were asked for, then the daemon's window. */
  readonly rows: readonly Row[];
  readonly older: Older;
  /** Counts times at which all rows were replaced (`/new`, `/resume`, …), and why the last time; a gap counts. */
  readonly boundary: { readonly count: number; readonly reason?: string };
  readonly conversationId?: string;
  readonly streaming: boolean;
  readonly stopping?: { readonly since: number; readonly by: string; readonly overdue: boolean };
  readonly readOnly: boolean;
  readonly readOnlyReason?: string;
  readonly queue: readonly Queued[];
  readonly queueReadOnlyReason?: string;
  readonly steeringUnavailable?: string;
  readonly agent?: Agent;
  readonly turns: readonly OwnTurn[];
  /** Shown once each; newest last. */
  readonly notices: readonly { readonly id: number; readonly level: "info" | "warning" | "error"; readonly text: string }[];
}

/** One slash command that can be completed. `source` is `extension`, `prompt`, `skill`, `built-in` (Pi's own), or a word of a later Pi. */
export interface SlashCommand {
  readonly name: string;
  readonly description?: string;
  readonly source?: string;
}

/** What a person may do. Each promise rejects with an Error whose message is one sentence for them. */
export interface ConversationActions {
  /** Ask for the page before the first row; does nothing while one is on its way or there is none. */
  loadOlder(): void;
  /** Whether the newest messages are on the screen: then what was said long before need not be kept, and is fetched again when it is read. */
  readsEnd(isAtEnd: boolean): void;
  /** It is in `turns` from then on. Returns whether it goes out: without a connection it is `rejected` there. */
  submit(kind: SubmitKind, text: string, options?: { readonly literal?: boolean; readonly excluded?: boolean }): boolean;
  retry(turnId: string): void;
  /** Takes a failed turn away; returns its text. */
  discard(turnId: string): string | undefined;
  dismissNotice(id: number): void;
  stop(): Promise<void>;
  /** A command of docs/protocol.md, "Commands of the conversation"; `sessionId` is added. */
  command(name: string, args?: Readonly<Record<string, unknown>>): Promise<unknown>;
  setModel(model: Model): Promise<void>;
  setThinkingLevel(level: string): Promise<void>;
  /** Slash commands of this Pi; an empty list where it tells none. */
  slashCommands(): Promise<readonly SlashCommand[]>;
}
