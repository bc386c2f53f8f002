// A record of a process in which nothing has happened yet, and a session that keeps to itself.
import type { Around, Put } from "../../../bridge/extension/dialogs.ts";
import { ABI, type Registry } from "../../../bridge/extension/registry.ts";

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

/** The agent rests, no key is pressed and nobody is told who won, unless `fields` say otherwise. */
export function around(put: Put, fields: Partial<Around> = {}): Around {
  return { put, keyboard: () => undefined, run: () => undefined, won: () => {}, ...fields };
}
