// A record of a process in which nothing has happened yet, and a session that keeps to itself.
import { Board, type Sink } from "../../../bridge/extension/board.ts";
import { Recorder } from "../../../bridge/extension/components.ts";
import type { Around, Put } from "../../../bridge/extension/dialogs.ts";
import { ABI, type Registry } from "../../../bridge/extension/registry.ts";
import { Views } from "../../../bridge/extension/views.ts";

export function blankRegistry(): Registry {
  return {
    abi: ABI,
    owner: undefined,
    candidate: undefined,
    interactive: undefined,
    hooks: new Set(),
    terminalId: "1-1",
    startTime: "1",
    generation: 0,
    off: false,
    quiet: false,
    environment: new Map(),
    kept: [],
    settled: new Set(),
    verdicts: new Map(),
    copies: [],
  };
}

const NOBODY: Sink = { put: () => {}, drop: () => {}, hopeful: false, linked: false };

/** The agent rests, no key is pressed, nobody is told who won and nobody looks on, unless `fields` say otherwise. */
export function around(put: Put, fields: Partial<Around> = {}): Around {
  const views = new Views({ board: new Board(NOBODY), recorder: new Recorder(), sees: () => true, drawn: () => {} });
  return { put, keyboard: () => undefined, run: () => undefined, won: () => {}, views, ...fields };
}
