/** Which phase a card is in, and which card is shown. Pure. */

import type { CardPhase } from "../cards/contract.ts";
import type { ExtensionUIRequest, Verdict } from "../protocol.ts";
import type { AnswerState, Ended, SessionView } from "./state.ts";

/** An ended card that says who answered stays so long before it goes by itself; one with text typed in it stays until dismissed. */
export const FAREWELL_MS = 6_000;
/** The same while another prompt waits for its place: long enough to read four words. */
export const SHORT_FAREWELL_MS = 1_500;
/** The same after an answer of this page that was taken: whoever gave it needs a sign, and then the next prompt. */
export const OWN_FAREWELL_MS = 600;

export interface Shown {
  readonly prompt: ExtensionUIRequest;
  readonly phase: CardPhase;
  readonly verdict?: Verdict;
  readonly detail?: string;
  /** This browser's answer is the one that counted. */
  readonly mine: boolean;
  readonly position: { readonly index: number; readonly count: number };
}

/** A prompt that waits. */
export function open(view: SessionView, index: number, answer: AnswerState | undefined, live: boolean): Shown | undefined {
  const prompt = view.prompts[index];
  if (prompt === undefined) return undefined;
  const position = { index, count: view.prompts.length };
  return { prompt, position, mine: false, ...openPhase(view, answer, live) };
}

function openPhase(view: SessionView, answer: AnswerState | undefined, live: boolean): { phase: CardPhase; detail?: string } {
  switch (answer?.state) {
    case "sending":
    case "accepted":
      return { phase: live ? "sending" : "unsure" };
    case "unsure":
      return { phase: "unsure", ...(answer.detail === undefined ? {} : { detail: answer.detail }) };
    case "lost_race":
      // Ruled, and its end is on the way.
      return { phase: "lost_race" };
  }
  if (!live) return { phase: "link_lost" };
  const state = view.session.status.state;
  if (view.missingSince !== undefined)
    return { phase: "detached", detail: "mirrord was started again and waits for this Pi to come back." };
  if (state === "detached") return { phase: "detached", detail: "mirrord has lost its link to Pi and waits for it to come back." };
  if (state === "suspended") return { phase: "detached", detail: "Pi is stopped or does not react in its terminal." };
  if (answer?.state === "lost_track") {
    return {
      phase: "refused",
      detail: "Nobody can tell what became of your answer. If the question still waits at the terminal, answer again.",
    };
  }
  if (answer?.state === "refused") return { phase: "refused", ...(answer.detail === undefined ? {} : { detail: answer.detail }) };
  return { phase: "open" };
}

/** A prompt that is over. */
export function over({ prompt, verdict }: Ended, answer: AnswerState | undefined): Shown {
  return {
    prompt,
    phase: overPhase(answer?.state, verdict?.winner),
    ...(verdict === undefined ? {} : { verdict }),
    mine: answer?.state === "accepted",
    position: { index: 0, count: 0 },
  };
}

function overPhase(answer: AnswerState["state"] | undefined, winner: Verdict["winner"] | undefined): CardPhase {
  if (answer === "lost_race") return "lost_race";
  if (answer === undefined || answer === "accepted" || answer === "refused") return "settled";
  if (winner === "terminal") return "lost_race";
  // Everybody is told that a device has answered before each is told whether it was theirs: until then this page has neither won nor lost.
  return winner === "remote" && answer !== "lost_track" ? answer : "settled";
}

/** What the person did last, as the choice of cards has to respect it. */
export interface Hand {
  /** A pointer is down on the card of this prompt. */
  readonly pressed?: string;
  /** The card of this prompt was shown last. */
  readonly shown?: string;
  /** The answer to it was given in this page, and taken. */
  readonly taken?: boolean;
  /** The prompt that the person came for: it is first, and stays when it is over already. */
  readonly wanted?: string | undefined;
}

export interface Choice {
  /** The card on top, if any: an open prompt, or one that ended while it was shown and says its farewell. */
  readonly active?: string;
  /** When the active card has said its farewell, by this browser's clock. */
  readonly until?: number;
  /** Ended cards that hold typed text, oldest first; below the active one. */
  readonly kept: readonly string[];
}

/**
 * One card at a time, in server order. A card that ended under the person's eyes stays for its farewell; under a pressed pointer it
 * stays until that is lifted; with typed text in it, it is kept after that until dismissed.
 */
export function choose(view: SessionView, hand: Hand, hasText: (promptId: string) => boolean, now: number): Choice {
  const { pressed, wanted } = hand;
  const kept = view.ended.filter((one) => hasText(one.prompt.id) || one.prompt.id === wanted).map((one) => one.prompt.id);
  const first = (view.prompts.find((one) => one.id === wanted) ?? view.prompts[0])?.id;
  if (pressed !== undefined && isThere(view, pressed)) return { active: pressed, kept: kept.filter((id) => id !== pressed) };
  const leaving = view.ended.find((one) => one.prompt.id === hand.shown);
  if (leaving !== undefined) {
    const until = leaving.at + (first === undefined ? FAREWELL_MS : hand.taken === true ? OWN_FAREWELL_MS : SHORT_FAREWELL_MS);
    // Whether it keeps a text is settled only after it ended: choices are forgotten then, and so is what was sent.
    if (now < until) return { active: leaving.prompt.id, until, kept: kept.filter((id) => id !== leaving.prompt.id) };
  }
  return first === undefined ? { kept } : { active: first, kept };
}

function isThere(view: SessionView, promptId: string): boolean {
  return view.prompts.some((one) => one.id === promptId) || view.ended.some((one) => one.prompt.id === promptId);
}
