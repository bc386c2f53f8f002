import { useEffect, useState } from "preact/hooks";

import type { Handoff } from "../../core/ambient.ts";
import type { Desk } from "../../edge/composing.ts";

/** How long tabs that nobody is at leave a text to the one that somebody is at, in ms; and up to how long more, so that two of them differ. */
const LEAVES_MS = 250;
const DIFFERS_MS = 1_000;

/** Puts each text that came into the draft of one tab of this device. The ids of those that no draft can hold. */
export function useUnfit(handoffs: readonly Handoff[], desk: Desk, taken: (handoffId: string) => void): ReadonlySet<string> {
  const [unfit, setUnfit] = useState<ReadonlySet<string>>(new Set());
  const waiting = handoffs.filter((one) => one.text !== undefined && !unfit.has(one.id));
  const ids = waiting.map((one) => one.id).join(" ");
  useEffect(() => {
    if (waiting.length === 0) return undefined;
    const take = (): void => {
      for (const { id, text, source } of waiting) {
        if (text === undefined) continue;
        if (desk.hand(id, text, source)) taken(id);
        else setUnfit((before) => new Set(before).add(id));
      }
    };
    if (document.hasFocus()) {
      take();
      return undefined;
    }
    const timer = setTimeout(take, LEAVES_MS + Math.random() * DIFFERS_MS);
    return () => clearTimeout(timer);
  }, [ids, desk]);
  return unfit;
}
