// Content that goes back to the terminal as it is: whether it can travel, and in which pieces.

import { CONTENT_BYTES, INLINE_BYTES, PIECE_BYTES } from "./limits.ts";
import type { ResponsePart, TerminalOnly } from "./protocol.ts";
import { hasHalfCharacter, withoutSplitPair } from "./text.ts";

/** Why `content` cannot travel and come back the same; undefined when it can. */
export function obstacle(content: string): TerminalOnly | undefined {
  // A UTF-16 unit is at least one byte and at most three.
  const isLarge = content.length > CONTENT_BYTES || (content.length > CONTENT_BYTES / 3 && Buffer.byteLength(content) > CONTENT_BYTES);
  if (isLarge) return "too_large";
  return hasHalfCharacter(content) ? "half_characters" : undefined;
}

/** Whether `content` is short enough for the message of its prompt. */
export function fitsInline(content: string): boolean {
  return jsonBytes(content) <= INLINE_BYTES;
}

/** `content` in pieces of at most PIECE_BYTES as JSON, each ending between two characters. */
export function pieces(content: string): string[] {
  const cut: string[] = [];
  for (let from = 0; from < content.length; ) {
    let length = PIECE_BYTES;
    let piece = head(content, from, length);
    while (jsonBytes(piece) > PIECE_BYTES) piece = head(content, from, (length = Math.floor(length / 2)));
    cut.push(piece);
    from += piece.length;
  }
  return cut;
}

/** How many bytes `text` takes as JSON on the wire, with its quotes. */
export function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text), "utf8");
}

function head(content: string, from: number, length: number): string {
  const slice = content.slice(from, from + length);
  return from + length < content.length ? withoutSplitPair(slice) : slice;
}

/** Puts the pieces of one text together: in order, one text at a time, at most CONTENT_BYTES. What does not follow is forgotten. */
export class Assembly {
  private name: string | undefined;
  private parts = 0;
  private texts: string[] = [];
  private bytes = 0;

  add({ responseId, part, parts, text }: ResponsePart): void {
    if (part === 0) {
      this.clear();
      this.name = responseId;
      this.parts = parts;
    }
    const follows = responseId === this.name && part === this.texts.length && parts === this.parts && part < parts;
    this.bytes += Buffer.byteLength(text, "utf8");
    if (!follows || this.bytes > CONTENT_BYTES) return this.clear();
    this.texts.push(text);
  }

  /** The text of this name, which is then forgotten; undefined when it has not come whole. */
  take(responseId: string, parts: number): string | undefined {
    const isWhole = responseId === this.name && parts === this.parts && parts === this.texts.length;
    const text = isWhole ? this.texts.join("") : undefined;
    this.clear();
    return text;
  }

  private clear(): void {
    this.name = undefined;
    this.parts = 0;
    this.texts = [];
    this.bytes = 0;
  }
}
