/** What the surfaces of a session are given by the page: their memory, and the way to other sessions. */

import { signal } from "@preact/signals";

import { keep, NEW_MEMORY, type Memory } from "../core/memory.ts";
import type { SessionView } from "../core/state.ts";
import type { Around } from "../surfaces/around.ts";
import { state } from "./app.ts";
import { go, hrefOf } from "./route.ts";

/** By session, for as long as it is there: who comes back to a session finds its panels as they were left. */
const memories = signal<ReadonlyMap<string, Memory>>(new Map());

const known = new Map<string, Around>();

/** The same object until something is kept: what is drawn of it is drawn anew with another one. */
export function around(sessionId: string): Around {
  const memory = memories.value.get(sessionId) ?? NEW_MEMORY;
  const before = known.get(sessionId);
  if (before?.memory === memory) return before;
  const now = made(sessionId, memory);
  known.set(sessionId, now);
  return now;
}

/** Nothing of the session is remembered. */
export function forgetAround(sessionId: string): void {
  known.delete(sessionId);
  if (!memories.peek().has(sessionId)) return;
  const rest = new Map(memories.peek());
  rest.delete(sessionId);
  memories.value = rest;
}

function made(sessionId: string, memory: Memory): Around {
  return {
    memory,
    keep: (name, value) => {
      const before = memories.peek().get(sessionId) ?? NEW_MEMORY;
      memories.value = new Map(memories.peek()).set(sessionId, keep(before, name, value));
    },
    sessionHref: (id) => hrefOf({ screen: "session", sessionId: find(id)?.session.sessionId ?? id }),
    openSession: (id) => {
      const found = find(id);
      if (found !== undefined) go({ screen: "session", sessionId: found.session.sessionId });
      return found !== undefined;
    },
  };
}

/** A link names a conversation of Pi's; the page shows it by the process that it runs in. */
function find(id: string): SessionView | undefined {
  const all = [...state.peek().sessions.values()];
  return all.find(({ session }) => session.conversationId === id) ?? all.find(({ session }) => session.sessionId === id);
}
