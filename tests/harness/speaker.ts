// A test extension to be copied to where an extension can be, with another NAME: it says something in the ways in which code comes to be
// called. In its folder may be `helper.ts`, and a package `talker` may be there for it; both say what they are given.
//
//   /say-NAME {how, key}    sets the status `key`: from the "command", after an "await", from a "timer", a "tool" or an "event" (both by
//                           themselves), by a "file" of its own, by a "package", "handed" over to be called, or after a "flood"
//   /wrap-NAME, /unwrap-NAME    puts a function of its own around `setStatus`, and takes it away
import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";

type SetStatus = ExtensionContext["ui"]["setStatus"];
type Say = (set: SetStatus, key: string) => void;

const NAME = "speaker";
const TEXT = "said";
// More than are looked at in a row.
const FLOOD = 45;
// So long that an earlier flood is forgotten.
const AWAIT_MS = 20;

// By a variable, so that the compiler does not look for what is not here.
const from = async (place: string): Promise<Say> => ((await import(place)) as { say: Say }).say;

const WAYS: Record<string, (ui: ExtensionContext["ui"], key: string) => void | Promise<void>> = {
  command: (ui, key) => ui.setStatus(key, TEXT),
  await: async (ui, key) => {
    await new Promise((resolve) => setTimeout(resolve, AWAIT_MS));
    ui.setStatus(key, TEXT);
  },
  timer: (ui, key) => void setTimeout(() => ui.setStatus(key, TEXT), AWAIT_MS),
  file: async (ui, key) => (await from("./helper.ts"))(ui.setStatus, key),
  package: async (ui, key) => (await from("talker"))(ui.setStatus, key),
  handed: (ui, key) => void setTimeout(ui.setStatus, AWAIT_MS, key, TEXT),
  flood: (ui, key) => {
    for (let turn = 0; turn < FLOOD; turn += 1) ui.setStatus(`${key}-${turn % 2}`, `${turn}`);
    ui.setStatus(key, TEXT);
  },
};

export default function speaker(pi: ExtensionAPI): void {
  let wrapped: SetStatus | undefined;
  pi.on("session_start", (_event, { ui }) => ui.setStatus(`event-${NAME}`, TEXT));
  pi.registerCommand(`say-${NAME}`, {
    description: "test who is said to show something",
    handler: async (text, { ui }) => {
      const { how, key } = JSON.parse(text) as { how: string; key: string };
      await WAYS[how]?.(ui, key);
    },
  });
  pi.registerCommand(`wrap-${NAME}`, {
    description: "test a wrapper around setStatus",
    handler: async (_text, { ui }) => {
      const original = (wrapped = ui.setStatus);
      ui.setStatus = (key, value) => original(key, value);
    },
  });
  pi.registerCommand(`unwrap-${NAME}`, {
    description: "test without that wrapper",
    handler: async (_text, { ui }) => {
      if (wrapped !== undefined) ui.setStatus = wrapped;
    },
  });
  pi.registerTool({
    name: `tool_${NAME}`,
    label: NAME,
    description: "Sets a status.",
    parameters: { type: "object", properties: {} } as never,
    execute: async (_id, _given, _signal, _update, { ui }) => {
      ui.setStatus(`tool-${NAME}`, TEXT);
      return { content: [{ type: "text", text: TEXT }], details: undefined };
    },
  });
}
