/** The line under the text: what sending it will do, why it cannot be sent, or what else has to be said there. Pure. */

import type { Conversation, SubmitKind } from "../../chat/contract.ts";
import type { Intent } from "./intent.ts";

export interface Hint {
  readonly kind: "problem" | "waits" | SubmitKind;
  readonly text: string;
}

export interface Around extends Pick<Conversation, "stopping" | "agent" | "isStale"> {
  /** Why Stop, or the choice of a model, did not happen. */
  readonly failure: string | undefined;
  /** The browser's storage has the text. */
  readonly isKept: boolean;
}

/** The most pressing of what there is to say. A text that is refused comes first: else Enter would do nothing, and nobody would say why. */
export function hintOf(intent: Intent, { stopping, agent, isStale, failure, isKept }: Around): Hint | undefined {
  if (intent.kind === "refused") return problem(intent.why);
  if (failure !== undefined) return problem(failure);
  if (stopping?.overdue === true) return problem("Pi is still busy after Stop: a tool may not react.");
  if (intent.kind === "nothing") return agent?.cannotRun === undefined ? undefined : problem(agent.cannotRun);
  if (!isKept) return problem("This text is too long for this browser to keep: it lasts as long as the page.");
  if (isStale) return { kind: "waits", text: "Not connected: it is kept here, for you to send when the link is back." };
  return intent.what === undefined ? undefined : { kind: intent.submission.kind, text: intent.what };
}

function problem(text: string): Hint {
  return { kind: "problem", text };
}
