/** What this page holds of a session in memory goes when the session does: a page stays open for weeks, and sees many. */

import { computed, effect } from "@preact/signals";

import { state } from "./app.ts";
import { putAway } from "./composing.ts";
import { showing } from "./presence.ts";
import { forgetAround } from "./surroundings.ts";

export function sweepSessions(): void {
  const seen = new Set<string>();
  const listed = computed(() => [...state.value.sessions.keys()].join(" "));
  effect(() => {
    const here = new Set(listed.value.split(" "));
    for (const sessionId of here) seen.add(sessionId);
    const { value: shown } = showing;
    for (const sessionId of seen) {
      if (here.has(sessionId) || sessionId === shown) continue;
      seen.delete(sessionId);
      putAway(sessionId);
      forgetAround(sessionId);
    }
  });
}
