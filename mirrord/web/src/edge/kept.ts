/** What this browser keeps for this page besides its key and the person's choices: texts that were not sent, and names of sessions. */

import { attempt, keysOf } from "../core/shelf.ts";
import { isChoice, PREFIX } from "./preferences.ts";

/** Whether anything of the kind is kept, in this tab or for all of them. */
export function keepsSomething(): boolean {
  return allKeys().length > 0;
}

/** Takes all of it away: of this tab, and what all have together. */
export function clearKept(): void {
  for (const [storage, key] of allKeys()) storage?.removeItem(key);
}

function allKeys(): readonly (readonly [Storage | undefined, string])[] {
  return [attempt(() => localStorage), attempt(() => sessionStorage)].flatMap((storage) =>
    keysOf(storage, PREFIX).flatMap((key) => (isChoice(key) ? [] : [[storage, key] as const])),
  );
}
