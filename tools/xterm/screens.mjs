// Screens on request, one JSON line for each: {inputs, cols, rows} is answered by {screens, nanoseconds}, or by {error} when xterm.js throws.
// There is a screen after each input: a list of runs for each of its rows. The time is that of parsing the inputs and reading the rows;
// neither the making of the terminal nor JSON counts.

import { createInterface } from "node:readline";
import { runsOf, terminalOf } from "./cells.mjs";

for await (const request of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(answer(JSON.parse(request)))}\n`);
}

function answer({ inputs, cols, rows }) {
  const terminal = terminalOf(cols, rows);
  const cell = terminal.buffer.active.getNullCell();
  const screens = [];
  const start = process.hrtime.bigint();
  try {
    for (const input of inputs) {
      // What `write` calls after a timer's millisecond, which is not xterm.js's work.
      terminal._core.writeSync(input);
      screens.push(Array.from({ length: rows }, (_, row) => runsOf(terminal, row, cell)));
    }
  } catch (error) {
    return { error: error.message };
  }
  const nanoseconds = Number(process.hrtime.bigint() - start);
  terminal.dispose();
  return { screens, nanoseconds };
}
