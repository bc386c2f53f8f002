// A test extension that asks Pi's terminal for one of each thing, in one command:
//
//   /round {name, large?}    a status, a title, a notification and a conversation's name; a widget "drawn NAME", no header, no
//                            text for the editor and the dark theme; a select "Keys NAME", one that
//                            its own signal ends, and one "Remote NAME". `large` adds options of 150 kB to the first.
//
// The three values go to the exerciser's log as the value of the result "round" NAME.
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";

import { logged } from "./exerciser.ts";

const FRUIT = ["apple", "banana", "cherry"];
// Escape sequences take no room on the screen, and in JSON twice as much as here.
const LARGE = Array<string>(5).fill(`plain${"\x1b[0m".repeat(7_500)}`);
const ABORTED_AFTER_MS = 30;

const widget = (line: string) => ({
  render: () => [line],
  renderNative: () => ({ version: 1, blocks: [{ type: "text", spans: [{ text: line }] }] }),
  invalidate: () => {},
});

export default function round(pi: ExtensionAPI): void {
  pi.registerCommand("round", {
    description: "test one of each",
    handler: async (text, { ui }) => {
      const { name, large } = JSON.parse(text) as { name: string; large?: boolean };
      await logged("round", name, async () => {
        // First: Pi makes a title of it.
        pi.setSessionName(`conversation ${name}`);
        ui.setStatus("round", `status ${name}`);
        ui.setTitle(`title ${name}`);
        ui.notify(`noted ${name}`);
        ui.setWidget("round", () => widget(`drawn ${name}`));
        ui.setHeader(undefined);
        ui.setEditorText("");
        ui.setTheme("dark");
        const typed = await ui.select(`Keys ${name}`, large ? [...FRUIT, ...LARGE] : FRUIT);
        const aborted = (await ui.select(`Aborted ${name}`, FRUIT, { signal: AbortSignal.timeout(ABORTED_AFTER_MS) })) ?? null;
        const remote = await ui.select(`Remote ${name}`, FRUIT);
        return [typed, aborted, remote];
      });
    },
  });
}
