// Whether a card has room above the composer. One that has none is opened full screen, because nothing scrolls inside a scroll.

import type { ExtensionUIRequest } from "../protocol.ts";

/** The room for a card, in CSS pixels, and how large its text is: 1 as designed, 2 at 200 %. */
export interface Room {
  readonly width: number;
  readonly height: number;
  readonly scale: number;
}

// The design's measures in px: a line of text, the mean width of a character, a row without its text, and head, foot and padding.
const LINE = 24;
const CHARACTER = 8.2;
const ROW = 24;
const FRAME = 132;
const PADDING = 88;
const FIELD = 60;

/** Whether the card of `prompt` fits in `room`, estimated from its texts; the card itself measures again once it is drawn. */
export function fits(prompt: ExtensionUIRequest, room: Room): boolean {
  const { height, scale } = room;
  if (prompt.method === "editor" && prompt.terminalOnly === undefined) return false;
  return scale * (FRAME + tallest(prompt, room)) <= height;
}

function tallest(prompt: ExtensionUIRequest, room: Room): number {
  const { method, title, message = "", terminalOnly = "" } = prompt;
  const head = LINE * (lines(title, room) + (message === "" ? 0 : lines(message, room)));
  if (terminalOnly !== "") return hasMoreToRead(prompt) ? Number.POSITIVE_INFINITY : head + LINE * lines(terminalOnly, room) + ROW;
  switch (method) {
    case "select": {
      const { options = [], optionCount = 0 } = prompt;
      return optionCount > options.length ? Number.POSITIVE_INFINITY : head + choices(options, room);
    }
    case "confirm":
      return head + choices(["Yes", "No"], room);
    case "ask":
      return Math.max(0, ...(prompt.questions ?? []).map((question) => ofQuestion(question, room)));
    default:
      return head + FIELD;
  }
}

/** Whether a prompt that only the terminal can answer has more to it than its title. */
function hasMoreToRead({ questions = [], options = [], prefill = "" }: ExtensionUIRequest): boolean {
  return questions.length > 0 || options.length > 0 || prefill !== "";
}

function ofQuestion({ question, options = [] }: NonNullable<ExtensionUIRequest["questions"]>[number], room: Room): number {
  const texts = options.map(({ label, description }) => (description === undefined ? label : `${label}\n${description}`));
  return LINE * lines(question, room) + choices(texts, room) + FIELD;
}

function choices(texts: readonly string[], room: Room): number {
  // Enough to know that it does not fit, however many there are.
  return texts.slice(0, 100).reduce((sum, text) => sum + ROW + LINE * lines(text, room), 0);
}

// A text of any length, read only as far as it matters.
function lines(text: string, { width, height, scale }: Room): number {
  const perLine = Math.max(8, (width - PADDING) / (CHARACTER * scale));
  const most = height / LINE + 2;
  const head = text.slice(0, Math.ceil(most * perLine));
  return head.split("\n").reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / perLine)), 0);
}
