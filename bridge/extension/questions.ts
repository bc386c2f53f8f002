// The questions of an ask: read from what the caller gave, shown to a remote, and the answers checked.

import type { Budget } from "./budget.ts";
import { PROMPT_BYTES, QUESTIONS, TYPED_BYTES, VALUE_BYTES } from "./limits.ts";
import { field } from "./pi.ts";
import type { Answers, Question, QuestionOption, TerminalOnly } from "./protocol.ts";
import type { Display } from "./prompt.ts";
import { hasHalfCharacter } from "./text.ts";

/** What the promise of an ask gives. */
export interface Asked {
  readonly answers: Answers;
  readonly allIgnored: boolean;
}

export function asked(answers: Answers): Asked {
  return { answers: { ...answers }, allIgnored: Object.keys(answers).length === 0 };
}

/** As `readQuestions`; undefined where that throws, or where nothing is asked. */
export function questionsIn(given: unknown): Question[] | undefined {
  try {
    const questions = readQuestions(given);
    return questions.length > 0 ? questions : undefined;
  } catch {
    return undefined;
  }
}

/** The questions that `given` holds. Throws a TypeError that says what is wrong with it. */
export function readQuestions(given: unknown): Question[] {
  if (!Array.isArray(given)) throw new TypeError("ask: questions is no array");
  return given.map((one: unknown, at) => {
    const options = field(one, "options") ?? [];
    if (!Array.isArray(options)) throw new TypeError(`ask: questions[${at}].options is no array`);
    return {
      id: text(field(one, "id"), `questions[${at}].id`),
      question: text(field(one, "question"), `questions[${at}].question`),
      options: options.map((option: unknown, place) => readOption(option, `questions[${at}].options[${place}]`)),
      ...(field(one, "multiSelect") === true && { multiSelect: true }),
    };
  });
}

/** Puts the questions into `display`, or as much of them as can be shown where no remote can answer. Returns a title. */
export function offer(display: Display, questions: readonly Question[], allowCustom: unknown, budget: Budget): string {
  const reason = obstacle(questions);
  if (reason !== undefined) display.terminalOnly = reason;
  const shown = questions.slice(0, QUESTIONS).map((question, at) => {
    const name = `questions.${at}`;
    const options = reason === "too_large" ? [] : question.options;
    return {
      ...question,
      id: reason === undefined ? question.id : "",
      question: budget.text(`${name}.question`, question.question),
      options: options.map((option, place) => displayed(option, `${name}.options.${place}`, reason !== undefined, budget)),
    };
  });
  if (shown.length < questions.length) budget.truncated.push({ field: "questions", shown: shown.length, total: questions.length });
  display.questions = shown;
  display.allowCustom = allowCustom !== false;
  return shown.length === 1 && shown[0] !== undefined ? shown[0].question : `${questions.length} questions`;
}

/** The answers of a remote as the promise gives them; undefined when they do not suit the questions. */
export function checked(questions: readonly Question[], allowCustom: boolean, given: Answers): Answers | undefined {
  const answers: Record<string, string | string[]> = {};
  for (const [id, answer] of Object.entries(given)) {
    const question = questions.find((one) => one.id === id);
    const texts = Array.isArray(answer) ? answer : [answer];
    if (question === undefined || new Set(texts).size < texts.length) return undefined;
    if (Array.isArray(answer) && question.multiSelect !== true) return undefined;
    if (!texts.every((one) => suits(question, one, allowCustom))) return undefined;
    // An own property whatever its name is.
    const value = question.multiSelect === true ? texts : answer;
    if (texts.length > 0) Object.defineProperty(answers, id, { value, enumerable: true, writable: true, configurable: true });
  }
  return answers;
}

/** The labels of the options that `answers` names, over all questions. */
export function labels(questions: readonly Question[], answers: unknown): string[] {
  return questions.flatMap(({ id, options }) => {
    const answer = field(answers, id);
    const texts: readonly unknown[] = Array.isArray(answer) ? answer : [answer];
    return options.filter(({ value }) => texts.includes(value)).map(({ label }) => label);
  });
}

/** Whether something other than an option may be typed: a question without options could not be answered otherwise. */
export function takesTyped({ options }: Question, allowCustom: boolean): boolean {
  return allowCustom || options.length === 0;
}

function suits(question: Question, answer: string, allowCustom: boolean): boolean {
  if (question.options.some(({ value }) => value === answer)) return true;
  return answer !== "" && takesTyped(question, allowCustom) && Buffer.byteLength(answer) <= TYPED_BYTES && !hasHalfCharacter(answer);
}

function displayed(option: QuestionOption, name: string, withoutValue: boolean, budget: Budget): QuestionOption {
  const { value, label, description } = option;
  return {
    value: withoutValue ? "" : value,
    label: budget.text(`${name}.label`, label),
    ...(description !== undefined && { description: budget.text(`${name}.description`, description) }),
  };
}

/** Ids and values go back as they are, so they must come whole; what is shown besides is counted with them. */
function obstacle(questions: readonly Question[]): TerminalOnly | undefined {
  if (questions.length > QUESTIONS) return "too_large";
  const content = questions.flatMap(({ id, options }) => [id, ...options.map(({ value }) => value)]);
  if (content.some((one) => Buffer.byteLength(one) > VALUE_BYTES) || Buffer.byteLength(JSON.stringify(questions)) > PROMPT_BYTES) return "too_large";
  return content.some(hasHalfCharacter) ? "half_characters" : undefined;
}

function readOption(option: unknown, name: string): QuestionOption {
  const value = text(field(option, "value"), `${name}.value`);
  const label = field(option, "label");
  const description = field(option, "description");
  return {
    value,
    label: typeof label === "string" ? label : value,
    ...(typeof description === "string" && { description }),
  };
}

function text(value: unknown, name: string): string {
  if (typeof value !== "string") throw new TypeError(`ask: ${name} is no text`);
  return value;
}
