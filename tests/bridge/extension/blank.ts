// A record of a process in which nothing has happened yet.
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
