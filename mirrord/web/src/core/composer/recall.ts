/** Earlier messages of this conversation, brought back with the arrow keys. Pure. */

import type { OwnTurn, Row } from "../../chat/contract.ts";
import type { Sent } from "./journal.ts";

/** More than a person walks through. */
export const RECALLED = 100;

/** Where the person is among earlier messages: `place` counts back from the newest, which is 0. */
export interface Recalling {
  readonly place: number;
  readonly text: string;
}

/** What can be recalled, the newest first, none twice: of the conversation, and what this browser sent. */
export function recallable(rows: readonly Row[], sent: readonly Sent[]): readonly string[] {
  const found = new Set<string>();
  let next = sent.length - 1;
  for (let at = rows.length - 1; at >= -1 && found.size < RECALLED; at -= 1) {
    const row = rows[at];
    for (; next >= 0 && (row === undefined || (sent[next]?.at ?? 0) >= row.message.at); next -= 1) add(found, sent[next]?.text ?? "");
    add(found, textOf(row));
  }
  return [...found].slice(0, RECALLED);
}

/** The message before the one that is shown; undefined when there is none. */
export function older(all: readonly string[], now: Recalling | undefined): Recalling | undefined {
  // By what is shown, not by number: messages come while one looks through them.
  return at(all, now === undefined ? 0 : placeOf(all, now) + 1);
}

/** The message after the one that is shown; undefined where what was typed before comes back. */
export function newer(all: readonly string[], now: Recalling): Recalling | undefined {
  return at(all, placeOf(all, now) - 1);
}

/** What was submitted, as it stood in the composer. */
export function asTyped({ kind, text, excluded = false }: Pick<OwnTurn, "kind" | "text" | "excluded">): string {
  return kind === "bash" ? `${excluded ? "!!" : "!"}${text}` : text;
}

function at(all: readonly string[], place: number): Recalling | undefined {
  const text = all[place];
  return text === undefined ? undefined : { place, text };
}

function placeOf(all: readonly string[], { place, text }: Recalling): number {
  const found = all.indexOf(text);
  return found < 0 ? place : found;
}

/** What the person typed for this row, as it would be typed again. Commands kept from Pi's context are not brought back. */
function textOf(row: Row | undefined): string {
  if (row === undefined) return "";
  const { kind, parts, command, excluded = false } = row.message;
  if (kind === "bash") return command === undefined || excluded ? "" : `!${command}`;
  if (kind !== "user") return "";
  return parts.map((part) => (part.type === "text" ? (part.text ?? "") : "")).join("");
}

function add(found: Set<string>, text: string): void {
  if (text.trim() !== "") found.add(text);
}
