/** What is said of messages. Pure; times are milliseconds. */

import type { Truncation } from "../../protocol.ts";
import type { ChatMessage } from "../contract.ts";

/** "0.3 s", "12 s", "1 min 4 s", "2 h 5 min". */
export function duration(ms: number): string {
  if (ms < 9_950) return `${(Math.max(0, ms) / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** "512 bytes", "880 KiB", "1.2 MiB". */
export function size(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? "1 byte" : `${bytes} bytes`;
  const kib = bytes / 1024;
  return kib < 1_000 ? `${Math.round(kib)} KiB` : `${(kib / 1024).toFixed(1)} MiB`;
}

/** "256 KiB of 880 KiB shown", of a part by its number or of a field by its name; undefined where all is there. */
export function cutOf(truncated: readonly Truncation[] | undefined, ...fields: readonly string[]): string | undefined {
  const cut = truncated?.find(({ field }) => fields.some((name) => field === name || field.startsWith(`${name}.`)));
  return cut === undefined ? undefined : `${size(cut.shown)} of ${size(cut.total)} shown`;
}

/** A line that is longer takes the room of several: what was minified is one line of a megabyte. In UTF-16 units. */
const LINE_UNITS = 200;

/** As much of the lines as `most` lines take, the last one cut where it must be; undefined where that is all, or nearly. */
export function firstOf(lines: readonly string[], most: number): readonly string[] | undefined {
  const roomOf = (line: string): number => Math.max(1, Math.ceil(line.length / LINE_UNITS));
  // For one or two more lines nobody presses a button.
  let room = most + 2;
  if (lines.every((line) => (room -= roomOf(line)) >= 0)) return undefined;
  const first: string[] = [];
  room = most;
  for (const line of lines) {
    if (room <= 0) break;
    first.push(roomOf(line) <= room ? line : line.slice(0, room * LINE_UNITS).replace(/[\ud800-\udbff]$/, ""));
    room -= roomOf(line);
  }
  return first;
}

/** Whoever or whatever a message is from, as its row is called. */
export function speaker({ kind, customType, toolName }: ChatMessage): string {
  switch (kind) {
    case "user":
      return "You";
    case "assistant":
      return "Pi";
    case "bash":
      return "Shell command";
    case "tool":
      return toolName ?? "Tool";
    case "compaction":
      return "Compaction";
    case "branch_summary":
      return "Branch summary";
    default:
      return customType ?? kind;
  }
}

/** All texts of a message, as they were written. */
export function textOf({ parts }: ChatMessage): string {
  return parts
    .filter(({ type, text }) => type !== "thinking" && text !== undefined && text !== "")
    .map(({ text }) => text)
    .join("\n\n");
}

/** A media type as people call it: "PNG image". */
export function imageName(mimeType: string | undefined): string {
  const sub = /^image\/(?:x-)?([a-z0-9]+)/i.exec(mimeType ?? "")?.[1];
  return sub === undefined ? "Image" : `${sub.toUpperCase()} image`;
}

/** Why a conversation began anew. */
export function beginning(reason: string | undefined): string {
  switch (reason) {
    case "new":
      return "New conversation";
    case "resume":
      return "Resumed conversation";
    case "fork":
      return "Forked conversation";
    case "tree":
      return "Another branch of this conversation";
    default:
      return "Another conversation";
  }
}

/** A day as a divider says it: "Today", "Yesterday", else its date in the browser's language. */
export function dayName(at: number, now: number): string {
  const day = dayOf(at);
  if (day === dayOf(now)) return "Today";
  if (day === dayOf(now - 86_400_000)) return "Yesterday";
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "Unknown day";
  const isThisYear = date.getFullYear() === new Date(now).getFullYear();
  return date.toLocaleDateString(undefined, { weekday: "long", day: "numeric", month: "long", ...(isThisYear ? {} : { year: "numeric" }) });
}

/** Names a day of this browser's zone; the same for any two times of it. */
export function dayOf(at: number): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${date.getMonth()}-${date.getDate()}`;
}

/** Made once: it is asked for each row of each drawing. */
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" });

/** "14:02" in the browser's language. */
export function clockTime(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? "" : CLOCK.format(date);
}
