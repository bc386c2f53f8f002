/** What became of what was sent from this browser, in words. Pure. */

import type { OwnTurn } from "../../chat/contract.ts";

export const STAGE_WORDS: Readonly<Record<OwnTurn["stage"], string>> = {
  sending: "Sending",
  unsure: "Not confirmed yet; it is sent again by itself",
  accepted: "At Pi’s terminal",
  queued: "Waits in Pi’s queue",
  rejected: "Not sent",
  unknown: "Nobody can tell whether Pi took it",
};

/** It stays, with its text, until the person says what becomes of it. */
export function isFailed({ stage }: Pick<OwnTurn, "stage">): boolean {
  return stage === "rejected" || stage === "unknown";
}

/** What a screen reader is told of the turns that have failed since `before`; empty where none has. No texts: they can be given up. */
export function failures(before: readonly OwnTurn[], turns: readonly OwnTurn[]): string {
  const stages = new Map(before.map(({ id, stage }) => [id, stage]));
  const failed = turns.filter((turn) => isFailed(turn) && stages.get(turn.id) !== turn.stage);
  const sentences = failed.flatMap(({ stage, reason }) => [`${STAGE_WORDS[stage]}.`, reason ?? ""]);
  return [...new Set(sentences)].filter((one) => one !== "").join(" ");
}
