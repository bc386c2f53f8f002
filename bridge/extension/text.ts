// Texts as they may travel: well-formed UTF-16, and no longer than a bound in UTF-8 bytes. Nothing else is changed.

import { QUOTED_CHARS } from "./limits.ts";

const LONE_SURROGATE = /\p{Surrogate}/gu;
const CONTROL = /\p{Cc}/u;
const CONTROLS = /\p{Cc}/gu;
const NOT_PRINTABLE = /[\p{C}\p{Zl}\p{Zp}]+/gu;

/** `value` as a string in which each half of a broken surrogate pair is U+FFFD. */
export function wellFormed(value: unknown): string {
  return String(value).replace(LONE_SURROGATE, "\uFFFD");
}

/** A text of at most `limit` UTF-8 bytes; `shown` of its `total` bytes are left. */
export interface Cut {
  readonly text: string;
  readonly shown: number;
  readonly total: number;
}

/** The longest beginning of `value` that fits `limit` bytes and ends between two characters. */
export function cut(value: unknown, limit: number): Cut {
  const whole = String(value);
  // A UTF-16 unit is at least one byte, so what lies beyond `limit` units cannot fit; it is only measured.
  const head = wellFormed(whole.length > limit ? withoutSplitPair(whole.slice(0, limit)) : whole);
  const bytes = Buffer.from(head, "utf8");
  const total = whole.length > limit ? Buffer.byteLength(whole, "utf8") : bytes.length;
  if (bytes.length <= limit) return { text: head, shown: bytes.length, total };
  let end = limit;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return { text: bytes.toString("utf8", 0, end), shown: end, total };
}

/** Whether a person could have typed `text` into Pi's one-line input: no control characters, no broken pairs. */
export function isTypable(text: string): boolean {
  return !CONTROL.test(text) && !hasHalfCharacter(text);
}

/** A text of an extension for a dialog of ours: as it is, but no control character reaches the terminal. */
export function shown(text: string): string {
  return text.replace(CONTROLS, (control) => (control === "\n" ? control : " "));
}

/** Whether `text` holds half of a broken surrogate pair, which UTF-8 has no bytes for. */
export function hasHalfCharacter(text: string): boolean {
  return text.search(LONE_SURROGATE) >= 0;
}

/** A text of unknown origin for one line in the terminal: control and format characters become spaces, the rest is cut. */
export function quoted(value: unknown, limit = QUOTED_CHARS): string {
  const clean = wellFormed(value).replace(NOT_PRINTABLE, " ").trim();
  const characters = [...clean.slice(0, 4 * limit)];
  return characters.length > limit ? `${characters.slice(0, limit).join("")}…` : characters.join("");
}

/** `text` without its last unit when that is the first half of a pair. */
export function withoutSplitPair(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}
