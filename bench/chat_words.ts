// The peer of the conversation's events: each new text of an answer goes as one JSON line to the unix socket BENCH_RELAY, at once.
//
//   /b-words   how long the answer was and when, in UTF-16 units and ns of CLOCK_MONOTONIC, as JSON to the file BENCH_TIMES names
import { renameSync, writeFileSync } from "node:fs";
import { connect } from "node:net";

import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";

export default function words(pi: ExtensionAPI): void {
  const relay = connect(process.env["BENCH_RELAY"] ?? "");
  relay.on("error", () => {});
  let length = 0;
  let told: [length: number, at: string][] = [];
  pi.on("message_start", () => {
    length = 0;
  });
  pi.on("message_update", ({ assistantMessageEvent: event }) => {
    if (event.type !== "text_delta") return;
    const at = String(process.hrtime.bigint());
    length += event.delta.length;
    told.push([length, at]);
    relay.write(`${JSON.stringify({ length, delta: event.delta })}\n`);
  });
  pi.registerCommand("b-words", {
    description: "what was streamed, and when",
    handler: async () => {
      const file = process.env["BENCH_TIMES"] ?? "";
      writeFileSync(`${file}.part`, JSON.stringify(told));
      renameSync(`${file}.part`, file);
      told = [];
    },
  });
}
