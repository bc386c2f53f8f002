// What was typed into a card that has ended, for a person to read and to copy.

import type { ExtensionUIRequest } from "../protocol.ts";
import type { DraftFields } from "./contract.ts";
import { mark } from "./marks.ts";
import { clip } from "./text.ts";

export interface KeptText {
  /** What it was typed for. */
  readonly label: string;
  readonly text: string;
  /** The same with every character that a mark stands for, where that is known. */
  readonly content: string;
}

const LABEL_CHARS = 80;

/** The typed texts of a draft, in the order of the questions. Lists in it are choices, which need no keeping. */
export function keptTexts(prompt: Pick<ExtensionUIRequest, "questions" | "title" | "prefill">, draft: DraftFields): readonly KeptText[] {
  const questions = prompt.questions ?? [];
  const label = (name: string): string => clip(questions.find(({ id }) => id === name)?.question ?? prompt.title, LABEL_CHARS);
  const place = (name: string): number => questions.findIndex(({ id }) => id === name);
  const contentOf = (text: string): string => (prompt.prefill === undefined ? text : (mark(prompt.prefill)?.restore(text) ?? text));
  return Object.entries(draft)
    .flatMap(([name, text]) => (typeof text === "string" && text !== "" ? [{ name, text }] : []))
    .sort((one, other) => place(one.name) - place(other.name))
    .map(({ name, text }) => ({ label: label(name), text, content: contentOf(text) }));
}
