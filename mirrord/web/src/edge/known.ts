/** The names of the sessions that were here last, in the browser's storage, for an opening without the daemon. */

import { computed, effect, signal } from "@preact/signals";

import { namesOf, readKnown, type Known } from "../core/known.ts";
import { attempt } from "../core/shelf.ts";
import { link, state } from "./app.ts";
import { PREFIX } from "./preferences.ts";

const KEY = `${PREFIX}known`;

/** What was kept when this page was opened. */
export const known = signal<Known>(readKnown(attempt(() => localStorage.getItem(KEY)) ?? null));

/** Keeps the list as the daemon tells it, whenever it is another one. */
export function keepKnown(): void {
  const names = computed(() => JSON.stringify(namesOf(state.value)));
  effect(() => {
    const sessions = names.value;
    if (link.value?.kind !== "live") return;
    // Where nothing can be kept, an opening offline shows no names.
    attempt(() => localStorage.setItem(KEY, `{"at":${Date.now()},"sessions":${sessions}}`));
  });
}
