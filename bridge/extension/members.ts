// The members of `ctx.ui`. One that we do not know is left alone; that there is one is told, for it may be a dialog.

import { UNKNOWN_MEMBERS } from "./limits.ts";
import { isObject } from "./pi.ts";

/** All that both generations have, and `ask`. */
export const KNOWN: ReadonlySet<string> = new Set([
  "addAutocompleteProvider",
  "ask",
  "confirm",
  "custom",
  "editor",
  "getAllThemes",
  "getEditorComponent",
  "getEditorText",
  "getTheme",
  "getToolsExpanded",
  "input",
  "notify",
  "onTerminalInput",
  "pasteToEditor",
  "select",
  "setEditorComponent",
  "setEditorText",
  "setFooter",
  "setHeader",
  "setHiddenThinkingLabel",
  "setStatus",
  "setTheme",
  "setTitle",
  "setToolsExpanded",
  "setWidget",
  "setWorkingIndicator",
  "setWorkingMessage",
  "setWorkingVisible",
  "theme",
]);

/** Names of functions of `ui` that are not KNOWN. No getter is called. */
export function unknownMembers(ui: unknown): string[] {
  if (!isObject(ui)) return [];
  const names = Object.entries(Object.getOwnPropertyDescriptors(ui))
    .filter(([name, { value }]) => typeof value === "function" && !KNOWN.has(name))
    .map(([name]) => name);
  return names.slice(0, UNKNOWN_MEMBERS);
}
