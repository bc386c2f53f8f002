// What can be mirrored of this Pi: looked for in what it gives us, never concluded from its version.

import { METHODS, type Member } from "./members.ts";
import { colours } from "./palette.ts";
import { field, isObject } from "./pi.ts";
import { canTell } from "./source.ts";

/** What the methods of `ctx.ui` make possible, each when all of its methods are there. */
const NEEDS: readonly (readonly [string, readonly Member[]])[] = [
  ["prompt:select", ["select"]],
  ["prompt:confirm", ["confirm"]],
  ["prompt:input", ["input"]],
  ["prompt:editor", ["editor"]],
  ["prompt:custom", ["custom"]],
  ["prompt:ask", ["ask"]],
  ["notify", ["notify"]],
  ["status", ["setStatus"]],
  ["title", ["setTitle"]],
  ["widget", ["setWidget"]],
  ["widget:component", ["setWidget"]],
  ["widget:native", ["setWidget"]],
  ["region:header", ["setHeader"]],
  ["region:footer", ["setFooter"]],
  ["view:custom", ["custom"]],
  ["working", ["setWorkingMessage", "setWorkingVisible", "setWorkingIndicator"]],
  ["thinking-label", ["setHiddenThinkingLabel"]],
  ["tools-expanded", ["setToolsExpanded"]],
  ["editor-text", ["setEditorText", "pasteToEditor"]],
];

/** What the extension does with Pi's events and actions, which both generations have. */
const ALWAYS = ["stop", "activity", "screen-share"];

export function capabilitiesOf(ui: unknown): string[] {
  const there = new Set(METHODS.filter((name) => typeof field(ui, name) === "function"));
  const found = NEEDS.filter(([, needs]) => needs.every((name) => there.has(name))).map(([name]) => name);
  const theme = field(ui, "theme");
  if (isObject(theme) && Object.keys(colours(theme)).length > 0) found.push("palette");
  if (canTell()) found.push("provenance");
  return [...found, ...ALWAYS];
}
