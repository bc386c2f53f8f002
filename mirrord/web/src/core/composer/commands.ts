/** Slash commands: what a text that begins with "/" names, and which of them complete it. Pure. */

import type { SlashCommand } from "../../chat/contract.ts";

/**
 * Commands of Pi itself that only its terminal has; the others are among those that it tells. One that a later Pi lacks is refused by name
 * rather than sent to the model.
 */
const AT_TERMINAL: ReadonlySet<string> = new Set(
  (
    "settings scoped-models model export import share copy session changelog hotkeys fork clone tree trust login logout new " +
    "debug resume quit exit thinking mcp bug"
  ).split(" "),
);

/** More than fit on a screen; a longer list says that it goes on by being cut at the edge. */
export const SHOWN = 50;

/** The name of the command that the text is, without the slash; undefined for a path, a comment, or any other text. */
export function commandNamed(text: string): string | undefined {
  return /^\/([^\s/]+)(?=\s|$)/u.exec(text.trim())?.[1];
}

/**
 * Whether a text is a command of this Pi. `unheard`: nobody knows its commands, so that it alone can tell. Those of the terminal are known
 * by name.
 */
export function judge(name: string, commands: readonly SlashCommand[]): "known" | "at_terminal" | "unknown" | "unheard" {
  if (commands.some((one) => one.name === name)) return "known";
  if (AT_TERMINAL.has(name)) return "at_terminal";
  return commands.length === 0 ? "unheard" : "unknown";
}

/** What is typed of a command's name while the caret is in it; undefined anywhere else. */
export function wordAt(text: string, caret: number): string | undefined {
  const found = /^\/([^\s/]*)$/u.exec(text.slice(0, caret));
  // A name that goes on after the caret is not being typed.
  return found !== null && /^(?:\s|$)/u.test(text.slice(caret)) ? found[1] : undefined;
}

/** The commands that a word may become, the likeliest first; at most `SHOWN`. */
export function completions(word: string, commands: readonly SlashCommand[]): readonly SlashCommand[] {
  const asked = word.toLocaleLowerCase("en");
  return commands
    .map((command) => ({ command, rank: rank(asked, command.name.toLocaleLowerCase("en")) }))
    .filter(({ rank }) => rank < NO_MATCH)
    .sort((one, other) => one.rank - other.rank || one.command.name.localeCompare(other.command.name, "en"))
    .slice(0, SHOWN)
    .map(({ command }) => command);
}

const NO_MATCH = 4;

/** 0: the whole name, 1: it begins so, 2: a word in it begins so, 3: its letters come in that order. */
function rank(asked: string, name: string): number {
  if (name === asked) return 0;
  if (name.startsWith(asked)) return 1;
  if (name.split(/[-_:.]/u).some((part) => part.startsWith(asked))) return 2;
  let at = -1;
  for (const letter of asked) {
    at = name.indexOf(letter, at + 1);
    if (at < 0) return NO_MATCH;
  }
  return 3;
}
