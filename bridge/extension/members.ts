// The members of `ctx.ui`, each with what becomes of it. One that we do not know is left alone; that there is one is told, for it may
// be a dialog.

import { UNKNOWN_MEMBERS } from "./limits.ts";
import { isObject } from "./pi.ts";

/**
 * "dialog": a remote is asked too. "told": a remote is told what was given. "drawn": a remote is told what the terminal draws.
 * "theme": the colours are told. "terminal": it is between the extension and the terminal.
 */
export type Treatment = "dialog" | "told" | "drawn" | "theme" | "terminal";

/** All that both generations have, and `ask`. */
export const MEMBERS = {
  addAutocompleteProvider: "terminal",
  ask: "dialog",
  confirm: "dialog",
  custom: "dialog",
  editor: "dialog",
  getAllThemes: "terminal",
  getEditorComponent: "terminal",
  getEditorText: "terminal",
  getTheme: "terminal",
  getToolsExpanded: "terminal",
  input: "dialog",
  notify: "told",
  onTerminalInput: "terminal",
  pasteToEditor: "told",
  select: "dialog",
  // What it draws is what a person types.
  setEditorComponent: "terminal",
  setEditorText: "told",
  setFooter: "drawn",
  setHeader: "drawn",
  setHiddenThinkingLabel: "told",
  setStatus: "told",
  setTheme: "theme",
  setTitle: "told",
  setToolsExpanded: "told",
  setWidget: "drawn",
  setWorkingIndicator: "told",
  setWorkingMessage: "told",
  setWorkingVisible: "told",
  theme: "terminal",
} as const satisfies Record<string, Treatment>;

export type Member = keyof typeof MEMBERS;

/** The methods that are mirrored. */
export const METHODS = (Object.keys(MEMBERS) as Member[]).filter((name) => MEMBERS[name] !== "terminal");

/** Names of functions of `ui` that are no MEMBERS. No getter is called. */
export function unknownMembers(ui: unknown): string[] {
  if (!isObject(ui)) return [];
  const names = Object.entries(Object.getOwnPropertyDescriptors(ui))
    .filter(([name, { value }]) => typeof value === "function" && !Object.hasOwn(MEMBERS, name))
    .map(([name]) => name);
  return names.slice(0, UNKNOWN_MEMBERS);
}
