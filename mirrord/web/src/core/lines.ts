/** Lines that were drawn for a terminal, taken apart for a page and for a screen reader. Pure. */

import type { Line, Span, TerminalBlock } from "../surface.ts";

/** Frames, blocks, Braille patterns and icons of terminal fonts: they are looked at, not read. */
const DECORATION = /[\u2500-\u259f\u2800-\u28ff\ue000-\uf8ff\u{1fb00}-\u{1fbff}\u{f0000}-\u{ffffd}]+/u;
const FRAME = /[\u2500-\u259f]/;

export interface Piece {
  readonly text: string;
  readonly isDecoration: boolean;
}

/** `text` in pieces that a screen reader reads, and pieces that it passes over. */
export function pieces(text: string): readonly Piece[] {
  if (!DECORATION.test(text)) return [{ text, isDecoration: false }];
  const split = text.split(new RegExp(`(${DECORATION.source})`, "u"));
  return split.flatMap((one, at) => (one === "" ? [] : [{ text: one, isDecoration: at % 2 === 1 }]));
}

/** Whether frames join from line to line, so that the lines must stand close. */
export function isFramed(lines: readonly Line[]): boolean {
  return lines.some((line) => line.some(({ text }) => FRAME.test(text)));
}

/** The columns that the widest line takes: what was drawn at a hundred may fill ten. A letter of two columns counts as two. */
export function columnsOf(lines: readonly Line[]): number {
  return lines.reduce((widest, line) => Math.max(widest, columns(line.map(({ text }) => text).join("").trimEnd())), 1);
}

const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/gu;

function columns(text: string): number {
  return Array.from(text).length + (text.match(WIDE)?.length ?? 0);
}

/** What can be read of a line that also draws. */
export function words(text: string): string {
  return pieces(text)
    .map((piece) => (piece.isDecoration ? " " : piece.text))
    .join("")
    .replace(/\s+/g, " ")
    .trim();
}

/** The line in two where the caret stands, so many code points from its beginning. */
export function splitAt(line: Line, column: number): readonly [Line, Line] {
  const before: Span[] = [];
  let left = column;
  for (const [at, span] of line.entries()) {
    const points = Array.from(span.text);
    if (points.length > left) {
      const head = { ...span, text: points.slice(0, left).join("") };
      const tail = { ...span, text: points.slice(left).join("") };
      return [head.text === "" ? before : [...before, head], [tail, ...line.slice(at + 1)]];
    }
    before.push(span);
    left -= points.length;
  }
  return [before, []];
}

/** All links of the lines, in order. */
export function* linksIn(lines: readonly Line[]): Generator<string> {
  for (const line of lines) for (const { link } of line) if (link !== undefined) yield link;
}

/** Plain lines as a terminal block: they have neither looks nor a width of their own. */
export function plain(lines: readonly string[]): TerminalBlock {
  return { type: "terminal", lines: lines.map((text) => (text === "" ? [] : [{ text }])) };
}
