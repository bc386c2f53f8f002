// The extension that the measurements load into Pi beside mirrord's. Times are CLOCK_MONOTONIC in ns, as text.
//
//   /b-ask N [P]  N selects in a row, P ms apart, called `ask 1` to `ask N`; then one JSON line a select goes to the file BENCH_ASKED names
//   /b-tell N     N statuses, N titles and N notifications
//   /b-times      what timed.ts has collected, as JSON to the file that BENCH_TIMES names
import { renameSync, writeFileSync } from "node:fs";

import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";

const OPTIONS = ["first", "second", "third"];
const KEYS = 5;

/** Readers take the file for whole as soon as it is there. */
function write(variable: string, content: string): void {
  const file = process.env[variable];
  if (file === undefined) throw new Error(`${variable} is not set`);
  writeFileSync(`${file}.part`, content);
  renameSync(`${file}.part`, file);
}

export default function asking(pi: ExtensionAPI): void {
  pi.registerCommand("b-ask", {
    description: "ask N times",
    handler: async (words, { ui }) => {
      const lines: string[] = [];
      const [count = 0, pause = 0] = words.trim().split(" ").map(Number);
      for (let number = 1; number <= count; number += 1) {
        if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
        const begun = String(process.hrtime.bigint());
        const value = await ui.select(`ask ${number}`, OPTIONS);
        lines.push(JSON.stringify({ number, begun, resolved: String(process.hrtime.bigint()), value }));
      }
      write("BENCH_ASKED", lines.join("\n"));
    },
  });
  pi.registerCommand("b-tell", {
    description: "tell N times",
    handler: async (words, { ui }) => {
      for (let number = 1; number <= Number(words.trim()); number += 1) {
        ui.setStatus(`key ${number % KEYS}`, `step ${number}`);
        ui.setTitle(`step ${number}`);
        ui.notify(`step ${number}`, "info");
      }
    },
  });
  pi.registerCommand("b-times", {
    description: "write the times",
    handler: async () => write("BENCH_TIMES", JSON.stringify((globalThis as { mirrordBenchTimes?: unknown }).mirrordBenchTimes)),
  });
}
