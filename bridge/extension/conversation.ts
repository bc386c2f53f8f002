// Pi's session under the terminal, and Pi's words for why one starts or ends.

import type { ChatReason } from "./chat_protocol.ts";
import { FIRST_MESSAGE_BYTES, TEXT_BYTES } from "./limits.ts";
import { call, field, isObject, sessionId, textOr } from "./pi.ts";
import type { Conversation, EndReason, StartReason } from "./protocol.ts";
import { cut } from "./text.ts";

/** The conversation that `ctx` belongs to. Throws when `ctx` is stale. */
export function conversationOf(ctx: unknown): Conversation {
  const manager = field(ctx, "sessionManager");
  const id = sessionId(ctx) ?? "unknown";
  const cwd = textOr(field(ctx, "cwd"), process.cwd());
  const name = textOr(call(manager, "getSessionName"), undefined);
  const file = textOr(call(manager, "getSessionFile"), undefined);
  const first = firstMessage(manager, id);
  return {
    id: cut(id, TEXT_BYTES).text,
    cwd: cut(cwd, TEXT_BYTES).text,
    ...(name !== undefined && { name: cut(name, TEXT_BYTES).text }),
    ...(file !== undefined && { file: cut(file, TEXT_BYTES).text }),
    ...(first !== undefined && { firstMessage: first }),
  };
}

/** Session manager → the conversation it was asked about last, and its first message: entries are read until there is one, then never again. */
const firstMessages = new WeakMap<object, { id: string; text: string }>();

/** What the person wrote first in it. */
function firstMessage(manager: unknown, id: string): string | undefined {
  if (!isObject(manager)) return undefined;
  const known = firstMessages.get(manager);
  if (known?.id === id) return known.text;
  const entries = call(manager, "getEntries");
  for (const entry of Array.isArray(entries) ? entries : []) {
    const message = field(entry, "message");
    if (field(entry, "type") !== "message" || field(message, "role") !== "user") continue;
    const text = cut(written(field(message, "content")), FIRST_MESSAGE_BYTES).text;
    if (text.trim() === "") continue;
    firstMessages.set(manager, { id, text });
    return text;
  }
  return undefined;
}

/** The text of a message: its content is a string, or a list of texts and images. */
function written(content: unknown): string {
  if (!Array.isArray(content)) return textOr(content, "");
  return content.map((part) => (field(part, "type") === "text" ? textOr(field(part, "text"), "") : "")).join("");
}

export function startReason(value: unknown): StartReason {
  return value === "reload" || value === "new" || value === "resume" || value === "fork" ? value : "startup";
}

/** Why a conversation is told from its beginning. */
export function chatReason(reason: StartReason): ChatReason {
  return reason === "startup" || reason === "daemon" ? "start" : reason;
}

/** A word that we do not know announces another session rather than the end: the daemon watches the process anyway. */
export function endReason(value: unknown): EndReason {
  return value === "quit" || value === "new" || value === "resume" || value === "fork" ? value : "reload";
}
