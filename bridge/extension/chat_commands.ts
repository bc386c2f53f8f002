// Slash commands: what Pi would make of a text that begins with "/".

import type { ChatCommand } from "./chat_protocol.ts";
import { CHAT_COMMANDS, CHAT_COMMAND_NAME_BYTES, CHAT_COMMAND_WORDS_BYTES } from "./limits.ts";
import { call, field, textOr } from "./pi.ts";
import { cut } from "./text.ts";

export type CommandKind = "extension" | "template" | "built-in";

/** Pi's own commands of both generations. Where one has fewer, its others are refused by name rather than sent to the model. */
const BUILT_IN: ReadonlySet<string> = new Set(
  (
    "settings scoped-models model export import share copy name session changelog hotkeys fork clone tree trust login logout new compact " +
    "reload debug arminsayshi dementedelves resume quit exit thinking mcp bug"
  ).split(" "),
);

/** What kind of command the text is; undefined when Pi would send it to the model as it is. */
export function commandOf(session: unknown, text: string): CommandKind | undefined {
  if (!text.startsWith("/")) return undefined;
  const { name } = built(text);
  // Pi's terminal looks at its own commands first.
  if (BUILT_IN.has(name)) return "built-in";
  if (call(field(session, "extensionRunner"), "getCommand", name) !== undefined) return "extension";
  const templates = field(session, "promptTemplates");
  const isTemplate = Array.isArray(templates) && templates.some((one) => field(one, "name") === name);
  if (isTemplate) return "template";
  return isSkill(session, name) ? "template" : undefined;
}

/** The name of a command and what comes after it. */
export function built(text: string): { name: string; rest: string } {
  const trimmed = text.trim();
  const space = trimmed.search(/\s/u);
  return space < 0 ? { name: trimmed.slice(1), rest: "" } : { name: trimmed.slice(1, space), rest: trimmed.slice(space).trim() };
}

/** The action that does the same as one of Pi's own commands; undefined when that is done at the terminal only. */
export function actionOf(text: string): { name: string; args: Readonly<Record<string, unknown>> } | undefined {
  const { name, rest } = built(text);
  switch (name) {
    case "compact":
      return { name: "compact", args: rest === "" ? {} : { instructions: rest } };
    case "name":
      return rest === "" ? undefined : { name: "set_session_name", args: { name: rest } };
    case "reload":
      return { name: "reload", args: {} };
    default:
      return undefined;
  }
}

/** Pi's own commands that an action does, and what they do. */
const FROM_AFAR: Readonly<Record<string, { readonly action: string; readonly description: string }>> = {
  compact: { action: "compact", description: "Sum up the conversation to make room; what to keep may follow" },
  name: { action: "set_session_name", description: "Name the session" },
  reload: { action: "reload", description: "Load extensions, skills, prompts and settings anew" },
};

/** What can be sent as a command, in Pi's order; undefined when this Pi does not tell. `refuses`: actions it cannot be told from afar. */
export function commandsOf(pi: unknown, refuses: Readonly<Record<string, string>>): ChatCommand[] | undefined {
  const told = call(pi, "getCommands");
  if (!Array.isArray(told)) return undefined;
  const own = Object.entries(FROM_AFAR).filter(([, { action }]) => !Object.hasOwn(refuses, action));
  const commands = own.map(([name, { description }]): ChatCommand => ({ name, description, source: "built-in" }));
  for (const one of told) {
    const name = textOr(field(one, "name"), undefined);
    // One that is cut, that has a blank, or that Pi takes for its own could not be sent.
    if (name === undefined || BUILT_IN.has(name) || /\s/u.test(name) || Buffer.byteLength(name) > CHAT_COMMAND_NAME_BYTES) continue;
    const words = textOr(field(one, "description"), undefined);
    const source = cut(field(one, "source") ?? "", CHAT_COMMAND_NAME_BYTES).text;
    commands.push({ name, ...(words !== undefined && { description: cut(words, CHAT_COMMAND_WORDS_BYTES).text }), source });
  }
  return commands.slice(0, CHAT_COMMANDS);
}

function isSkill(session: unknown, name: string): boolean {
  if (!name.startsWith("skill:")) return false;
  const skills = field(call(field(session, "resourceLoader"), "getSkills"), "skills");
  return Array.isArray(skills) && skills.some((skill) => field(skill, "name") === name.slice("skill:".length));
}
