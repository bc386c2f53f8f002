/** Which notifications stand on screen, and for how long. Pure; milliseconds. */

import type { Attention, NotifyType } from "../protocol.ts";

export interface Toast {
  readonly id: number;
  readonly severity: NotifyType;
  readonly text: string;
  /** Where it comes from, for a person. */
  readonly from: string;
  readonly sessionId: string;
  /** The prompt that it is about. */
  readonly promptId?: string;
  /** Why it calls the person to that session; the next call takes its place. */
  readonly call?: Attention["kind"];
  /** When it goes by itself; an error stays until it is taken away. */
  readonly until?: number;
}

/** More than these hide what is under them; the oldest goes first, errors last. */
export const MOST = 3;

const STAYS_MS: Readonly<Record<NotifyType, number | undefined>> = { info: 6_000, warning: 12_000, error: undefined };

export function add(toasts: readonly Toast[], toast: Omit<Toast, "until">, now: number): readonly Toast[] {
  const stays = STAYS_MS[toast.severity];
  const all = [...toasts, { ...toast, ...(stays === undefined ? {} : { until: now + stays }) }];
  while (all.length > MOST) {
    const passing = all.findIndex((one) => one.until !== undefined);
    all.splice(Math.max(passing, 0), 1);
  }
  return all;
}

/** Those that are still shown at `now`; while `held` (a pointer or the focus is on them) none goes. */
export function pass(toasts: readonly Toast[], now: number, held: boolean): readonly Toast[] {
  if (held || toasts.every((one) => one.until === undefined || now < one.until)) return toasts;
  return toasts.filter((one) => one.until === undefined || now < one.until);
}
