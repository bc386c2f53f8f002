// A test extension that notes what others ask of ctx.ui: a line with the member's name for each call that shows something, in the file that
// WITNESS_LOG names. To be loaded first.
import { appendFileSync } from "node:fs";

import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";

type Any = (...args: any[]) => any;

/** Their first argument is a key, the second what is shown. */
const KEYED = ["setStatus", "setWidget"];

export default function witness(pi: ExtensionAPI): void {
  pi.on("session_start", (_event, { ui }) => {
    for (const [name, value] of Object.entries(Object.getOwnPropertyDescriptors(ui))) {
      if (typeof value.value !== "function") continue;
      const original = value.value as Any;
      Object.assign(ui, {
        [name]: (...args: unknown[]) => {
          // Without a value they clear.
          if (args[KEYED.includes(name) ? 1 : 0] !== undefined || original.length === 0) appendFileSync(process.env.WITNESS_LOG ?? "", `${name}\n`);
          return original.apply(ui, args);
        },
      });
    }
  });
}
