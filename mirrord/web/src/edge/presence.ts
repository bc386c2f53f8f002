/** Whether this page can be seen, and whether somebody is at it: no other window has the focus. */

import { batch, computed, signal } from "@preact/signals";

import { route } from "./route.ts";

export const visible = signal(document.visibilityState === "visible");
export const focused = signal(document.hasFocus());

/** The session on the screen. */
export const showing = computed(() => (route.value.screen === "session" ? route.value.sessionId : null));
/** The session that somebody looks at now. */
export const lookedAt = computed(() => (visible.value && focused.value ? showing.value : null));

export function followPresence(): void {
  const look = () =>
    batch(() => {
      visible.value = document.visibilityState === "visible";
      focused.value = document.hasFocus();
    });
  document.addEventListener("visibilitychange", look);
  for (const change of ["focus", "blur", "pageshow"]) addEventListener(change, look);
}
