/** What there is to know about a session, as facts and as a text for a report. Pure. No prompt, title or text of a conversation is in it. */

import { machineTime } from "./age.ts";

/** What a Pi of today has. Where the name is missing, this is what does not come over. */
const LACKING: ReadonlyMap<string, string> = new Map([
  ["prompt:select", "Choices stay at the terminal."],
  ["prompt:confirm", "Yes-or-no questions stay at the terminal."],
  ["prompt:input", "Questions for a line of text stay at the terminal."],
  ["prompt:editor", "Questions for a long text stay at the terminal."],
  ["prompt:ask", "Several questions at once stay at the terminal."],
  ["prompt:custom", "An extension’s own dialogs are not shown."],
  ["view:custom", "What an extension’s own dialog draws is not shown."],
  ["notify", "Notifications of extensions are not shown."],
  ["status", "Statuses of extensions are not shown."],
  ["title", "The terminal’s title is not shown."],
  ["widget", "Widgets of extensions are not shown."],
  ["widget:component", "Widgets that draw themselves are not shown."],
  ["widget:native", "Widgets are shown as terminal text alone."],
  ["region:header", "An extension’s header is not shown."],
  ["region:footer", "An extension’s footer is not shown."],
  ["working", "The words of the working row are not shown."],
  ["editor-text", "Texts that extensions put into the editor stay at the terminal."],
  ["palette", "Colours are those of a plain terminal."],
  ["provenance", "Nobody can tell which extension asks or shows something."],
  ["stop", "It cannot be stopped from here."],
  ["activity", "Whether it works is not known."],
  ["chat", "Its conversation is not shown."],
  ["chat:send", "Nothing can be sent to it."],
  ["chat:commands", "Slash commands cannot be sent to it."],
  ["chat:bash", "Shell commands cannot be sent to it."],
  ["chat:tree", "Its conversation’s branches cannot be changed from here."],
]);

/** A missing whole says it for its parts. */
const WHOLES: Readonly<Record<string, string>> = {
  "widget:component": "widget",
  "widget:native": "widget",
  "view:custom": "prompt:custom",
  "chat:send": "chat",
  "chat:commands": "chat:send",
  "chat:bash": "chat",
  "chat:tree": "chat",
};

/**
 * What this Pi cannot do, in sentences, each once. Without `capabilities` nothing is known and nothing is said of them; `refuses` has
 * Pi's own sentences.
 */
export function cannot(capabilities: readonly string[] | undefined, refuses: Readonly<Record<string, string>>): readonly string[] {
  const has = new Set(capabilities);
  const lacks = (name: string): boolean => !has.has(name);
  const missing = [...LACKING].filter(([name]) => {
    const whole = WHOLES[name];
    return has.size > 0 && lacks(name) && (whole === undefined || !lacks(whole));
  });
  return [...new Set([...missing.map(([, sentence]) => sentence), ...Object.values(refuses)])];
}

/** A name and its value; without one it is left out. */
export type Fact = readonly [name: string, value: string | undefined];

/** Facts under their heading. */
export interface Part {
  readonly heading: string;
  readonly facts?: readonly Fact[];
  readonly lines?: readonly string[];
}

/** For a bug report: plain text, one fact a line. `at` is milliseconds since the epoch. */
export function report(parts: readonly Part[], at: number): string {
  const told = parts.map(({ heading, facts = [], lines = [] }) =>
    [
      `## ${heading}`,
      ...facts.filter(([, value]) => value !== undefined && value !== "").map(([name, value]) => `${name}: ${oneLine(value ?? "")}`),
      ...lines.map((line) => `- ${oneLine(line)}`),
    ].join("\n"),
  );
  return [`mirrord session report, ${machineTime(at) ?? "at an unknown time"}`, ...told].join("\n\n") + "\n";
}

function oneLine(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}
