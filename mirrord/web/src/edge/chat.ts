/** The conversations of this page, for its screens. */

import { signal, type ReadonlySignal } from "@preact/signals";

import type { Conversation, ConversationActions } from "../chat/contract.ts";
import { EMPTY_CONVERSATION } from "../core/chat/conversation.ts";
import { standing } from "./app.ts";

const NONE = signal(EMPTY_CONVERSATION);

/**
 * The conversation of a session. It is followed while somebody reads the signal's value, and a little longer. Nothing here holds on to
 * the signal, or derives another from it that would hold on to all that was shown last.
 */
export function conversation(sessionId: string): ReadonlySignal<Conversation> {
  const { value } = standing;
  return value.kind === "paired" ? value.client.talks.of(sessionId).shown : NONE;
}

/** What may be done in it. Throws while this browser is no device, when no screen of a session is shown. */
export function actions(sessionId: string): ConversationActions {
  const now = standing.peek();
  if (now.kind !== "paired") throw new Error("This browser is not paired.");
  return now.client.talks.of(sessionId).actions;
}
