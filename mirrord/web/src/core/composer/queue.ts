/** The words for what waits in Pi. Pure. */

import type { OwnTurn, Queued } from "../../chat/contract.ts";
import { DELIVERIES } from "./intent.ts";

export const QUEUED: Readonly<Record<Queued["kind"], { readonly name: string; readonly what: string }>> = {
  ...DELIVERIES,
  compaction: { name: "After summing up", what: "Pi gets it when it has summed up the conversation" },
};

export type Origin = { readonly kind: "device"; readonly name: string } | { readonly kind: "here" | "elsewhere" | "terminal"; readonly words: string };

/** Who sent what waits. What has no submission was typed at the terminal. */
export function originOf({ clientTurnId, from }: Queued, turns: readonly OwnTurn[]): Origin {
  if (clientTurnId !== undefined && turns.some((turn) => turn.id === clientTurnId)) return { kind: "here", words: "from this device" };
  if (from !== undefined) return { kind: "device", name: from };
  if (clientTurnId !== undefined) return { kind: "elsewhere", words: "from another device" };
  return { kind: "terminal", words: "from the terminal" };
}
