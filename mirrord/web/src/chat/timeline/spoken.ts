/** What a screen reader is told of a conversation while it goes on: whole messages, once each, never word by word. Pure. */

import { clip } from "../../cards/text.ts";
import type { Row } from "../contract.ts";
import { speaker, textOf } from "../rows/words.ts";

/** The rest is read in the conversation itself. */
const SPOKEN_CHARS = 280;
const SPOKEN_KINDS: ReadonlySet<string> = new Set(["user", "assistant", "custom", "bash"]);

/** The messages that are whole in `rows` and were not in `before`, as one text; empty where the rows were replaced. */
export function news(before: readonly Row[], rows: readonly Row[]): string {
  const last = before.at(-1);
  if (last === undefined) return "";
  // Earlier pages come before; only what is at or after the last row that was there is new.
  const from = rows.findLastIndex(({ key }) => key === last.key);
  if (from < 0) return "";
  const fresh = rows.slice(last.message.state === "streaming" ? from : from + 1);
  return fresh.map(({ message }) => said(message)).filter((words) => words !== "").join(". ");
}

function said(message: Row["message"]): string {
  if (message.state === "streaming" || !message.display || !SPOKEN_KINDS.has(message.kind)) return "";
  // What was sent from a page was just typed there; what is typed at the terminal is news.
  if (message.kind === "user" && message.clientTurnId !== undefined) return "";
  const words = clip(message.kind === "bash" ? (message.command ?? "") : textOf(message), SPOKEN_CHARS);
  const end = message.state === "error" ? `failed: ${message.error ?? "no reason was given"}` : message.state === "aborted" ? "stopped" : "";
  const all = [words, end].filter((one) => one.trim() !== "").join(". ");
  return all === "" ? "" : `${speaker(message)}: ${all}`;
}
