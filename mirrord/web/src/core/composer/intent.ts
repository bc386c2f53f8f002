/** What sending the text would do, and the words for it. Pure: one table for the button, the hint and the key. */

import type { Agent, Conversation, SlashCommand, SubmitKind } from "../../chat/contract.ts";
import { contentObstacle } from "../../cards/text.ts";
import { commandNamed, judge } from "./commands.ts";

/** How a message reaches Pi while it works. */
export type Delivery = "steer" | "follow_up";

export interface Submission {
  readonly kind: SubmitKind;
  readonly text: string;
  readonly options?: { readonly literal?: boolean; readonly excluded?: boolean };
}

export type Intent =
  | { readonly kind: "nothing" }
  | {
      readonly kind: "submit";
      readonly submission: Submission;
      readonly verb: string;
      /** What happens then, as a line; absent where the verb says it. */
      readonly what?: string;
    }
  /** It is not sent as it is; `literal` sends it to the model as words, where that makes sense. */
  | { readonly kind: "refused"; readonly why: string; readonly literal?: Submission };

export interface Situation {
  readonly conversation: Conversation;
  readonly delivery: Delivery;
  readonly commands: readonly SlashCommand[];
}

export const DELIVERIES: Readonly<Record<Delivery, { readonly name: string; readonly what: string }>> = {
  steer: { name: "Steer", what: "Pi reads it at its next step" },
  follow_up: { name: "Follow-up", what: "Pi gets it when it is done" },
};

export const NOTHING: Intent = { kind: "nothing" };

/** Whether Pi is in the middle of something that a message would not begin, but join. */
export function isWorking({ streaming, agent }: Conversation): boolean {
  return streaming || agent?.retrying !== undefined;
}

/** How a message would be sent now, and why not otherwise: a Pi that cannot be steered gets it afterwards. */
export function deliveryOf(conversation: Conversation, chosen: Delivery): { readonly delivery: Delivery; readonly noSteering?: string } {
  const noSteering = conversation.steeringUnavailable ?? conversation.agent?.refuses["steer"];
  return noSteering === undefined ? { delivery: chosen } : { delivery: "follow_up", noSteering };
}

/** What `content` would do. The blanks around it are let go of, as Pi's own editor does. */
export function intentOf(content: string, situation: Situation): Intent {
  const text = content.trim();
  if (text === "") return NOTHING;
  const { conversation, commands } = situation;
  if (conversation.readOnly) return { kind: "refused", why: conversation.readOnlyReason ?? "Nothing can be sent to this Pi." };
  const obstacle = contentObstacle(text);
  if (obstacle !== undefined) return { kind: "refused", why: obstacle };
  if (text.startsWith("!")) return shell(text, conversation.agent);
  const name = commandNamed(text);
  if (name === undefined) return message(text, situation);
  const why = conversation.agent?.refuses["command"];
  const literal = literally(message(text, situation, { literal: true }));
  switch (judge(name, commands)) {
    case "at_terminal":
      return { kind: "refused", why: `/${name} is at the terminal only.`, ...literal };
    case "unknown":
      return { kind: "refused", why: `This Pi has no command /${name}.`, ...literal };
    default:
      if (why !== undefined) return { kind: "refused", why, ...literal };
      return { kind: "submit", submission: { kind: "command", text }, verb: "Run", what: `Run /${name}` };
  }
}

function shell(text: string, agent: Agent | undefined): Intent {
  const excluded = text.startsWith("!!");
  const command = text.slice(excluded ? 2 : 1).trim();
  if (command === "") return { kind: "refused", why: "Type the shell command after the !" };
  const why = agent?.refuses["bash"] ?? (agent?.bash === true ? "A shell command already runs in Pi." : undefined);
  if (why !== undefined) return { kind: "refused", why };
  const what = excluded ? "Run in the shell; Pi does not see it" : "Run in the shell; Pi sees what it prints";
  return { kind: "submit", submission: { kind: "bash", text: command, ...(excluded && { options: { excluded } }) }, verb: "Run", what };
}

function message(text: string, { conversation, delivery: chosen }: Situation, options?: Submission["options"]): Intent {
  const { agent } = conversation;
  const { delivery, noSteering } = deliveryOf(conversation, chosen);
  const kind: SubmitKind = isWorking(conversation) ? delivery : "prompt";
  const why = agent?.refuses[kind] ?? agent?.cannotRun ?? (agent?.compacting === true ? "Pi sums up the conversation. Send it when that is done." : undefined);
  if (why !== undefined) return { kind: "refused", why };
  const submission = { kind, text, ...(options !== undefined && { options }) };
  if (kind === "prompt") return { kind: "submit", submission, verb: "Send" };
  const { name, what } = DELIVERIES[delivery];
  return { kind: "submit", submission, verb: name, what: `${name}: ${what}${noSteering === undefined ? "" : `. ${noSteering}`}` };
}

function literally(intent: Intent): { readonly literal?: Submission } {
  return intent.kind === "submit" ? { literal: intent.submission } : {};
}
