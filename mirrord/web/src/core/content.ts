/** How an answer travels: one frame, or pieces before it where the text is long. Pure. */

import type { Answer } from "../cards/contract.ts";
import type { ContentPart, ExtensionUIResponse } from "../protocol.ts";
import type { Outgoing } from "./pending.ts";

/** The wire's bound on one piece, as JSON. */
export const PIECE_BYTES = 256 * 1024;
/** A UTF-16 unit is at most six bytes of JSON (`\u001b`), so that many always fit a piece. */
export const PIECE_UNITS = Math.floor(PIECE_BYTES / 6);

/** The frames of an answer to this prompt. */
export function outgoing(promptId: string, responseId: string, answer: Answer): Outgoing {
  const response: ExtensionUIResponse = { type: "extension_ui_response", id: promptId, responseId };
  if (!("value" in answer) || answer.value.length <= PIECE_UNITS) {
    return { promptId, responseId, frames: [{ ...response, ...answer }] };
  }
  const texts = pieces(answer.value);
  const parts = texts.length;
  const before = texts.map((text, part): ContentPart => ({ type: "content_part", responseId, part, parts, text }));
  return { promptId, responseId, frames: [...before, { ...response, parts }] };
}

/** The text in pieces of at most PIECE_UNITS; a character outside the basic plane stays whole. */
export function pieces(text: string): string[] {
  const found: string[] = [];
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + PIECE_UNITS, text.length);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
    found.push(text.slice(start, end));
    start = end;
  }
  return found;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
