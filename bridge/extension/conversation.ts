// Pi's session under the terminal, and Pi's words for why one starts or ends.

import { TEXT_BYTES } from "./limits.ts";
import { call, field, sessionId, textOr } from "./pi.ts";
import type { Conversation, EndReason, StartReason } from "./protocol.ts";
import { cut } from "./text.ts";

/** The conversation that `ctx` belongs to. Throws when `ctx` is stale. */
export function conversationOf(ctx: unknown): Conversation {
  const manager = field(ctx, "sessionManager");
  const id = sessionId(ctx) ?? "unknown";
  const cwd = textOr(field(ctx, "cwd"), process.cwd());
  const name = textOr(call(manager, "getSessionName"), undefined);
  const file = textOr(call(manager, "getSessionFile"), undefined);
  return {
    id: cut(id, TEXT_BYTES).text,
    cwd: cut(cwd, TEXT_BYTES).text,
    ...(name !== undefined && { name: cut(name, TEXT_BYTES).text }),
    ...(file !== undefined && { file: cut(file, TEXT_BYTES).text }),
  };
}

export function startReason(value: unknown): StartReason {
  return value === "reload" || value === "new" || value === "resume" || value === "fork" ? value : "startup";
}

/** A word that we do not know announces another session rather than the end: the daemon watches the process anyway. */
export function endReason(value: unknown): EndReason {
  return value === "quit" || value === "new" || value === "resume" || value === "fork" ? value : "reload";
}
