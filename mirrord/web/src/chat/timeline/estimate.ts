/** How tall a row will be that nobody has seen yet: near enough that a scroll bar does not lie, and cheap. Pure; pixels. */

import type { Item } from "../rows/model.ts";

/** Of a line of body text and of a character of it; of a row of one line with the space around it. */
const LINE = 24;
const CHARACTER = 8;
const ONE_LINE = 44;
/** Beyond that a text is cut until somebody asks for all of it. */
const MOST_LINES = 300;

export function estimate(item: Item, width: number): number {
  switch (item.kind) {
    case "text":
      return lines(item.part.text, width) * LINE + 20;
    case "user":
      return Math.min(16, lines(item.message.parts[0]?.text, width * 0.8)) * LINE + 44;
    case "bash":
      return ONE_LINE + Math.min(40, lines(item.message.parts[0]?.text, width)) * 20 + 40;
    case "custom":
    case "other":
    case "part":
      return ONE_LINE + lines(item.message.parts[0]?.text, width) * LINE;
    default:
      return ONE_LINE;
  }
}

function lines(text: string | undefined, width: number): number {
  if (text === undefined || text === "") return 1;
  const perLine = Math.max(10, width / CHARACTER);
  let breaks = 1;
  for (let at = text.indexOf("\n"); at >= 0 && breaks < MOST_LINES; at = text.indexOf("\n", at + 1)) breaks += 1;
  return Math.min(MOST_LINES, breaks + Math.floor(text.length / perLine));
}
