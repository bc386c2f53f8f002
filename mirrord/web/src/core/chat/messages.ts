/** How the conversation's messages are read (docs/protocol.md, "The conversation"). What is in an event is judged by the reducer. */

import { literal, named, number, struct, text, type Read } from "../reading.ts";

export const CHAT_CAPABILITIES = ["mirrord:chat:v1", "mirrord:chat:v1:appends"] as const;

export const chatEvent = struct({ type: literal("chat_event"), sessionId: text }, {});
/** One change of a conversation. */
export type ChatEvent = Read<typeof chatEvent>;

export const chatFrame = struct({ type: literal("chat_frame"), sessionId: text }, {});
/** One piece of an event that is too long for a frame. */
export type ChatFrame = Read<typeof chatFrame>;

// A stage of a later daemon says that something happened, not what.
const stage = named(["accepted", "queued", "consumed", "rejected", "unknown"], "unknown");

const told = { at: number, code: text, reason: text, rowId: text };
export const receipt = struct({ type: literal("receipt"), sessionId: text, clientTurnId: text, stage }, told);
/** The same in the data of `chat_receipts`. */
export const receiptOf = struct({ clientTurnId: text, stage }, told);
/** What became of a message that was sent. */
export type Receipt = Read<typeof receipt>;

export interface ChatSubscribe {
  readonly type: "chat_subscribe";
  readonly sessionId: string;
  readonly since?: string;
  readonly entryId?: string;
}

export interface ChatUnsubscribe {
  readonly type: "chat_unsubscribe";
  readonly sessionId: string;
}

/** A message, or the end of one whose receipt is `unknown`. With `parts`, so many `content_part`s under the `clientTurnId` came before. */
export interface ChatAction {
  readonly type: "chat_action";
  readonly sessionId: string;
  readonly clientTurnId: string;
  readonly action: "submit" | "discard";
  readonly kind?: "prompt" | "steer" | "follow_up" | "command" | "bash";
  readonly text?: string;
  readonly parts?: number;
  readonly literal?: true;
  readonly excluded?: true;
}

export type ChatServerMessage = ChatEvent | ChatFrame | Receipt;
export type ChatClientMessage = ChatSubscribe | ChatUnsubscribe | ChatAction;
