// The answers of an ask while they are made: pages of questions, what is chosen and typed for each, and what would be sent.

import type { ExtensionUIRequest, Question } from "../protocol.ts";
import type { DraftFields } from "./contract.ts";
import { typedObstacle } from "./text.ts";
import { quoted } from "./words.ts";

/** One question's state. `own`: what was typed counts as an answer, beside the choices of a `multiSelect` and instead of one otherwise. */
export interface Entry {
  readonly chosen: ReadonlySet<number>;
  readonly typed: string;
  readonly own: boolean;
}

export interface Ask {
  readonly questions: readonly Question[];
  readonly allowCustom: boolean;
  readonly entries: readonly Entry[];
  /** The question on screen; past the last one, what would be sent is shown. */
  readonly page: number;
}

const NOTHING: Entry = { chosen: new Set(), typed: "", own: false };

/** An ask with what is kept of it. */
export function begin(prompt: Pick<ExtensionUIRequest, "questions" | "allowCustom">, draft: DraftFields): Ask {
  const questions = prompt.questions ?? [];
  return { questions, allowCustom: prompt.allowCustom !== false, entries: questions.map((one) => restored(one, draft)), page: 0 };
}

/** Several questions end in a page that shows all answers before they are sent. */
export function hasReview(ask: Ask): boolean {
  return ask.questions.length > 1;
}

export function isReview(ask: Ask): boolean {
  return hasReview(ask) && ask.page >= ask.questions.length;
}

/** Whether a text of one's own can answer: a question without options could not be answered otherwise. */
export function takesTyped(ask: Ask, question: Question): boolean {
  return ask.allowCustom || optionsOf(question).length === 0;
}

export function optionsOf(question: Question): NonNullable<Question["options"]> {
  return question.options ?? [];
}

export function entryOf(ask: Ask, at: number): Entry {
  return ask.entries[at] ?? NOTHING;
}

/** An option was tapped: the one choice, or one of several, which a second tap takes back. */
export function choose(ask: Ask, at: number, option: number): Ask {
  const isMulti = ask.questions[at]?.multiSelect === true;
  return edit(ask, at, (entry) => {
    if (!isMulti) return { ...entry, chosen: new Set([option]), own: false };
    const chosen = new Set(entry.chosen);
    if (!chosen.delete(option)) chosen.add(option);
    return { ...entry, chosen };
  });
}

/** Something was typed. It is then what is answered, until an option is chosen instead. */
export function type(ask: Ask, at: number, typed: string): Ask {
  const isMulti = ask.questions[at]?.multiSelect === true;
  return edit(ask, at, (entry) => {
    const own = !isBlank(typed);
    return { chosen: own && !isMulti ? new Set() : entry.chosen, typed, own };
  });
}

/** The row of the typed text was tapped: it counts, or counts no more. What was typed stays. */
export function useTyped(ask: Ask, at: number): Ask {
  const isMulti = ask.questions[at]?.multiSelect === true;
  return edit(ask, at, (entry) => {
    const own = isMulti ? !entry.own && !isBlank(entry.typed) : !isBlank(entry.typed);
    return { ...entry, chosen: own && !isMulti ? new Set() : entry.chosen, own };
  });
}

/** The question gets no answer. What was typed for it stays, and is not sent. */
export function skip(ask: Ask, at: number): Ask {
  return turn(
    edit(ask, at, (entry) => ({ ...entry, chosen: new Set(), own: false })),
    at + 1,
  );
}

/** To a question, or to the page of all answers. */
export function turn(ask: Ask, page: number): Ask {
  const last = hasReview(ask) ? ask.questions.length : ask.questions.length - 1;
  return { ...ask, page: Math.max(0, Math.min(page, last)) };
}

export function isAnswered(entry: Entry): boolean {
  return entry.chosen.size > 0 || entry.own;
}

/** How many questions have an answer. */
export function answered(ask: Ask): number {
  return ask.entries.filter(isAnswered).length;
}

/** What is sent: question id → value, or values of a `multiSelect`. Questions without an answer are left out. */
export function answers(ask: Ask): Readonly<Record<string, string | readonly string[]>> {
  const found = ask.questions.flatMap((question, at): [string, string | string[]][] => {
    const values = valuesOf(question, entryOf(ask, at));
    const [first] = values;
    if (first === undefined) return [];
    return [[question.id, question.multiSelect === true ? values : first]];
  });
  // Own properties, whatever a question is called.
  return Object.fromEntries(found);
}

/** Why what is typed for question `at` cannot be sent; undefined when it can, or is not sent. */
export function obstacleAt(ask: Ask, at: number): string | undefined {
  const entry = entryOf(ask, at);
  return entry.own ? typedObstacle(entry.typed) : undefined;
}

/** What is answered to question `at`, for a person: labels and the typed text. Empty when nothing is. */
export function labelsAt(ask: Ask, at: number): readonly string[] {
  const question = ask.questions[at];
  if (question === undefined) return [];
  const entry = entryOf(ask, at);
  const labels = optionsOf(question).flatMap(({ label }, option) => (entry.chosen.has(option) ? [label] : []));
  return entry.own ? [...labels, entry.typed] : labels;
}

/** What the button says is sent: `Send “North”`, `Send 2 choices`, `Send 3 of 4 answers`. */
export function sendLabel(ask: Ask): string {
  const total = ask.questions.length;
  if (total > 1) {
    const given = answered(ask);
    if (given === 0) return "Send no answers";
    if (given < total) return `Send ${given} of ${total} answers`;
    return `Send ${total} answers`;
  }
  const labels = labelsAt(ask, 0);
  const [only] = labels;
  if (only === undefined) return "Send";
  return labels.length === 1 ? `Send ${quoted(only)}` : `Send ${labels.length} choices`;
}

/** What is kept: texts are what was typed, lists are the values that were chosen. */
export function fields(ask: Ask): DraftFields {
  const kept = ask.questions.flatMap((question, at): [string, string | string[]][] => {
    const { typed, own } = entryOf(ask, at);
    const chosen = chosenValues(question, entryOf(ask, at));
    const lists: [string, string[]][] = chosen.length > 0 ? [[listOf(question.id), chosen]] : [];
    const used: [string, string[]][] = typed !== "" && !own ? [[unusedOf(question.id), []]] : [];
    return typed === "" ? lists : [[question.id, typed], ...lists, ...used];
  });
  return Object.fromEntries(kept);
}

const isBlank = (text: string): boolean => text.trim() === "";
const listOf = (id: string): string => `${id}#chosen`;
const unusedOf = (id: string): string => `${id}#unused`;

function restored(question: Question, draft: DraftFields): Entry {
  const typed = own(draft, question.id);
  const values = own(draft, listOf(question.id));
  const chosen = new Set(optionsOf(question).flatMap(({ value }, at) => (Array.isArray(values) && values.includes(value) ? [at] : [])));
  const text = typeof typed === "string" ? typed : "";
  const [first] = chosen;
  const isMulti = question.multiSelect === true;
  return {
    // Two options with one value are one answer, of which one is shown as chosen.
    chosen: isMulti || first === undefined ? chosen : new Set([first]),
    typed: text,
    own: !isBlank(text) && own(draft, unusedOf(question.id)) === undefined && (isMulti || first === undefined),
  };
}

function own(draft: DraftFields, name: string): string | readonly string[] | undefined {
  return Object.hasOwn(draft, name) ? draft[name] : undefined;
}

function chosenValues(question: Question, entry: Entry): string[] {
  return optionsOf(question).flatMap(({ value }, option) => (entry.chosen.has(option) ? [value] : []));
}

// Pi refuses a list that names a value twice.
function valuesOf(question: Question, entry: Entry): string[] {
  const values = chosenValues(question, entry);
  return [...new Set(entry.own ? [...values, entry.typed] : values)];
}

function edit(ask: Ask, at: number, change: (entry: Entry) => Entry): Ask {
  return { ...ask, entries: ask.entries.map((entry, index) => (index === at ? change(entry) : entry)) };
}
