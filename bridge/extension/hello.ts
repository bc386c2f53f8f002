// The first message of a link.

import { PROTOCOL_MAX, PROTOCOL_MIN, type Conversation, type Hello, type StartReason } from "./protocol.ts";
import type { Copy, Registry } from "./registry.ts";

/** What is known of the Pi that loaded us. */
export interface Host {
  readonly version: string | null;
  /** The prototype of the class that draws the terminal. */
  readonly interactive: object | undefined;
  readonly capabilities: readonly string[];
  /** Hooks that this Pi has no place for. */
  readonly missing: readonly string[];
}

export const UNKNOWN_HOST: Host = { version: null, interactive: undefined, capabilities: [], missing: [] };

const BASIC = ["prompt:select", "prompt:confirm", "prompt:input", "notify", "status", "title", "activity"];

export interface Greeting {
  readonly copy: Copy;
  readonly generation: number;
  readonly conversation: Conversation;
  readonly reason: StartReason;
}

export function greet(shared: Registry, host: Host, { copy, generation, conversation, reason }: Greeting): Hello {
  return {
    type: "hello",
    protocol: { min: PROTOCOL_MIN, max: PROTOCOL_MAX },
    bridge: { version: copy.version, path: copy.path, generation },
    terminal: {
      id: shared.terminalId,
      pid: process.pid,
      startTime: shared.startTime,
      mode: "tui",
      piVersion: host.version,
      node: process.version,
    },
    conversation,
    reason,
    capabilities: [...BASIC, ...host.capabilities],
  };
}
