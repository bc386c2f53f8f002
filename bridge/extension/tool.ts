// A tool with which the model asks the person, where they want that: it opens `ctx.ui.ask`.

import { follow, guard, isPromise } from "./guard.ts";
import { call, field } from "./pi.ts";
import { labels, readQuestions } from "./questions.ts";
import type { Answers, Question } from "./protocol.ts";

export const TOOL = "ask";

const TEXT = (description: string): object => ({ type: "string", description });

const PARAMETERS = {
  type: "object",
  required: ["questions"],
  properties: {
    questions: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        required: ["id", "question", "options"],
        properties: {
          id: TEXT("A short name of the question; the answer comes back under it"),
          question: TEXT("The question, as the person reads it"),
          options: {
            type: "array",
            items: {
              type: "object",
              required: ["value", "label"],
              properties: {
                value: TEXT("What comes back when this option is chosen"),
                label: TEXT("The option, as the person reads it"),
                description: TEXT("What choosing it means"),
              },
            },
          },
          multiSelect: { type: "boolean", description: "Whether several options may be chosen" },
        },
      },
    },
    allowCustom: { type: "boolean", description: "Whether the person may type another answer; true unless told otherwise" },
  },
} as const;

interface Result {
  content: { type: "text"; text: string }[];
  details: unknown;
}

/** Registers the tool, unless one of its name is there. */
export function registerAskTool(pi: unknown): void {
  const tools = call(pi, "getAllTools");
  if (!Array.isArray(tools) || tools.some((tool) => field(tool, "name") === TOOL)) return;
  call(pi, "registerTool", {
    name: TOOL,
    label: "Ask",
    description: "Ask the person one or more questions, each with options to choose from. They may also type an answer or skip a question.",
    parameters: PARAMETERS,
    execute: (_id: unknown, given: unknown, signal: unknown, _update: unknown, ctx: unknown): Promise<Result> => {
      const questions = field(given, "questions");
      const shown = call(field(ctx, "ui"), "ask", questions, field(given, "allowCustom") !== false, { signal });
      if (!isPromise(shown)) return Promise.resolve(result("There is nobody to ask.", { answers: {}, allIgnored: true }));
      const said = (details: unknown): Result =>
        guard("ask.tool", () => result(text(readQuestions(questions), field(details, "answers") as Answers), details), result("Asked.", details));
      return new Promise((resolve, reject) => follow(shown, "ask.tool", () => {}, (details) => resolve(said(details)), reject));
    },
  });
}

function result(words: string, details: unknown): Result {
  return { content: [{ type: "text", text: words }], details };
}

/** For the model: each question with the value that was chosen, and its label where that says more. */
function text(questions: readonly Question[], answers: Answers): string {
  if (Object.keys(answers).length === 0) return "The person answered none of the questions.";
  return questions
    .map((question) => {
      const answer = answers[question.id];
      if (answer === undefined) return `${question.id}: not answered`;
      const said = Array.isArray(answer) ? answer.join(", ") : answer;
      const named = labels([question], answers).join(", ");
      return `${question.id}: ${said}${named === "" || named === said ? "" : ` (${named})`}`;
    })
    .join("\n");
}
