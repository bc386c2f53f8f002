// What may be done with a card in each of its phases.

import type { CardProps } from "./contract.ts";

/** A card, and what this browser last sent for it. */
export interface Sent extends CardProps {
  /** What is on its way, or was taken, says that nothing is answered. */
  readonly isIgnoring?: boolean;
}

type Standing = Pick<CardProps, "phase" | "readOnly">;

/** Whether an answer can be sent now. */
export function canAnswer({ phase, readOnly }: Standing): boolean {
  return !readOnly && (phase === "open" || phase === "refused");
}

/** Whether choices and fields can be changed: not while an answer is on its way, since that one is what counts. */
export function canEdit({ phase, readOnly }: Standing): boolean {
  return !readOnly && (phase === "open" || phase === "refused" || phase === "link_lost" || phase === "detached");
}

/** Whether an answer is on its way. */
export function isOnItsWay({ phase }: Standing): boolean {
  return phase === "sending" || phase === "unsure";
}
