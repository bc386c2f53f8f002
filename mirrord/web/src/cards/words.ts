// What a card says. Sentences of ours around words of others, which are clipped and quoted.

import type { ExtensionUIRequest, Session, Truncation, Verdict } from "../protocol.ts";
import { clip, counted } from "./text.ts";

// What fits on a button of a narrow phone, and in a notice.
const BUTTON_CHARS = 24;
const NOTICE_CHARS = 80;

/** Where an answer goes: `Pi on laptop`. */
export function target(machine: string): string {
  return machine === "" ? "Pi" : `Pi on ${clip(machine, NOTICE_CHARS)}`;
}

/** What a session is called: its name, else its folder. */
export function sessionName({ name, cwd }: Pick<Session, "name" | "cwd">): string {
  if (name !== undefined && name.trim() !== "") return clip(name, NOTICE_CHARS);
  const folder = (cwd ?? "").split("/").findLast((part) => part !== "");
  return folder === undefined ? "Session" : clip(folder, NOTICE_CHARS);
}

/** Who asks: the extension, where it is known. */
export function asker({ source }: Pick<ExtensionUIRequest, "source">): string {
  return source === undefined || source.trim() === "" ? "Pi" : clip(source, NOTICE_CHARS);
}

/** `“Yes”`, as much of it as a button has room for. */
export function quoted(text: string, limit = BUTTON_CHARS): string {
  const shown = clip(text, limit);
  return shown === "" ? "the empty option" : `“${shown}”`;
}

/** How a prompt ended, in a title and, where there is more to say, a sentence. `isOurs`: this browser's answer was taken. */
export interface Ending {
  readonly title: string;
  readonly sentence?: string;
}

/** Why a prompt is no longer there. */
export function ending(verdict: Verdict | undefined, isOurs: boolean): Ending {
  if (verdict === undefined) return { title: "This is over", sentence: "Pi does not wait for it any more." };
  const { outcome, winner, winnerName, answer, reason } = verdict;
  const who = isOurs ? "You" : winner === "remote" ? clip(winnerName ?? "Another device", NOTICE_CHARS) : undefined;
  switch (outcome) {
    case "answered":
      return {
        title: who === undefined ? "Answered at the terminal" : isOurs ? "Answered" : `${who} answered`,
        ...(answer !== undefined && { sentence: quoted(answer, NOTICE_CHARS) }),
      };
    case "cancelled":
      return { title: who === undefined ? "Ignored at the terminal" : isOurs ? "Ignored" : `${who} ignored it` };
    case "timed_out":
      return { title: "Its time ran out", sentence: "Pi goes on without an answer." };
    case "withdrawn":
      return { title: "No longer asked", ...whyWithdrawn(reason) };
  }
}

function whyWithdrawn(reason: string | undefined): { readonly sentence?: string } {
  const sentence = reason === undefined ? undefined : REASONS[reason];
  return sentence === undefined ? {} : { sentence };
}

const REASONS: Readonly<Record<string, string>> = Object.assign(Object.create(null) as object, {
  closed: "It was closed at the terminal.",
  fork: "Pi went to a fork of the conversation.",
  gone: "Pi has ended.",
  new: "Pi began a new conversation.",
  quit: "Pi was closed.",
  reload: "Pi reloaded its extensions.",
  resume: "Pi went to another conversation.",
  signal: "The extension took it back.",
});

/** This browser answered and was not first. */
export function lostRace(verdict: Verdict | undefined): Ending {
  const { title, sentence } = ending(verdict, false);
  const how = verdict === undefined ? "It was over before your answer arrived." : `${title}${sentence === undefined ? "." : `: ${sentence}`}`;
  return { title: "Too late, yours was not used", sentence: how.replace(/([^.”])$/, "$1.") };
}

/** What is not shown whole, as sentences. What can be loaded or opened is not among it. */
export function notShown(truncated: readonly Truncation[] | undefined): readonly string[] {
  const sentences = new Set<string>();
  for (const { field, shown, total } of truncated ?? []) {
    const [head = "", , part = ""] = field.split(".");
    if (field === "options") continue;
    else if (field === "questions") sentences.add(`${counted(total - shown, "more question")} can only be answered at the terminal.`);
    else if (head === "questions" && part === "question") sentences.add("A question is too long to be shown whole; the terminal has it.");
    else if (head === "questions" || head === "options") sentences.add("An option is too long to be shown whole; the terminal has it.");
    else sentences.add(`The ${WHERE.get(head) ?? "text"} is too long to be shown whole; the terminal has it.`);
  }
  return [...sentences];
}

const WHERE: ReadonlyMap<string, string> = new Map([
  ["title", "title"],
  ["message", "message"],
  ["placeholder", "hint"],
]);
