// The conversation's messages: section "The conversation" of docs/bridge.md.

import type { By } from "./protocol.ts";

export type ChatReason = "start" | "reload" | "new" | "resume" | "fork" | "tree" | "resync";
export type RowKind = "user" | "assistant" | "tool" | "bash" | "custom" | "compaction" | "branch_summary";
export type RowState = "streaming" | "done" | "error" | "aborted";
export type TurnKind = "prompt" | "steer" | "follow_up" | "command" | "bash";
export type TurnStage = "accepted" | "queued" | "consumed" | "rejected" | "unknown";
export type DeliveryMode = "all" | "one-at-a-time";

export interface ChatPart {
  type: "text" | "thinking" | "tool_call" | "image";
  text?: string;
  toolCallId?: string;
  name?: string;
  args?: string;
  mimeType?: string;
  bytes?: number;
}

/** A text that was cut: `shown` of `total` UTF-8 bytes. `field` is the name of a field, or `parts.<index>`. */
export interface ChatCut {
  field: string;
  shown: number;
  total: number;
}

/** Times in ms since the epoch. */
export interface ChatRow {
  id: string;
  kind: RowKind;
  at: number;
  state: RowState;
  parts?: ChatPart[];
  entryId?: string;
  liveId?: string;
  error?: string;
  provider?: string;
  model?: string;
  stopReason?: string;
  startedAt?: number;
  durationMs?: number;
  isError?: boolean;
  toolCallId?: string;
  toolName?: string;
  args?: string;
  command?: string;
  excluded?: boolean;
  exitCode?: number;
  cancelled?: boolean;
  customType?: string;
  display?: boolean;
  tokensBefore?: number;
  truncated?: ChatCut[];
  clientTurnId?: string;
}

export interface ChatQueueItem {
  kind: "steer" | "follow_up" | "compaction";
  text: string;
  clientTurnId?: string;
}

/** A slash command that a remote can send. `source` is `extension`, `prompt`, `skill` or `built-in`. */
export interface ChatCommand {
  name: string;
  description?: string;
  source: string;
}

export interface ChatModel {
  provider: string;
  id: string;
  name: string;
}

export interface ChatState {
  type: "chat_state";
  idle: boolean;
  since: number;
  compacting?: boolean;
  bash?: boolean;
  retrying?: { attempt: number; maxAttempts: number; delayMs: number; error: string };
  lastTurn?: { at: number; outcome: "done" | "error" | "aborted"; error?: string };
  cannotRun?: string;
  model?: ChatModel;
  models?: ChatModel[];
  thinkingLevel?: string;
  levels?: string[];
  sessionName?: string;
  steeringMode?: DeliveryMode;
  followUpMode?: DeliveryMode;
  autoCompaction?: boolean;
  autoRetry?: boolean;
  context?: { tokens: number | null; window: number; percent: number | null };
  trusted?: boolean;
  refuses?: Record<string, string>;
}

export interface ChatDelta {
  type: "chat_delta";
  id: string;
  part: number;
  offset: number;
  text: string;
  start?: ChatPart;
}

export interface TurnResult {
  type: "turn_result";
  clientTurnId: string;
  stage: TurnStage;
  reason?: string;
  rowId?: string;
}

export type ChatOutgoing =
  | { type: "chat_reset"; conversationId: string; leaf: string | null; reason: ChatReason; more?: boolean }
  | { type: "chat_ready" }
  | { type: "chat_row"; row: ChatRow; after: string | null }
  | ChatDelta
  | { type: "chat_confirm"; id: string; entryId: string }
  | { type: "chat_remove"; id: string }
  | { type: "chat_page"; requestId: string; rows: ChatRow[]; more?: boolean; error?: string }
  | { type: "chat_queue"; items: ChatQueueItem[] }
  | ChatState
  | TurnResult
  | { type: "action_result"; requestId: string; ok: boolean; message?: string; data?: object; commands?: readonly ChatCommand[] };

export interface ChatHistory {
  type: "chat_history";
  requestId: string;
  before: string;
  limit: number;
}

export interface TurnPart {
  type: "turn_part";
  clientTurnId: string;
  part: number;
  parts: number;
  text: string;
}

export interface Turn {
  type: "turn";
  clientTurnId: string;
  kind: TurnKind;
  by: By;
  text?: string;
  /** So many pieces of the text came before. */
  parts?: number;
  literal?: boolean;
  excluded?: boolean;
}

export interface Action {
  type: "action";
  requestId: string;
  name: string;
  by: By;
  args: Readonly<Record<string, unknown>>;
}

export type ChatIncoming = ChatHistory | { type: "chat_resync" } | TurnPart | Turn | Action;
