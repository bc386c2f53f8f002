// What an instance says first on each link: which copy speaks, for which terminal, and what this Pi lets it do.

import { capabilitiesOf } from "./capabilities.ts";
import { chatCapabilities } from "./chat_actions.ts";
import { field } from "./pi.ts";
import type { Kit } from "./kit.ts";
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
  /** The components that ask is made of; undefined where this Pi does not share them. */
  readonly kit: Kit | undefined;
}

export const UNKNOWN_HOST: Host = { version: null, interactive: undefined, capabilities: [], missing: [], kit: undefined };

export interface Facts extends Copy {
  readonly shared: Registry;
  readonly host: Host;
  readonly generation: number;
  readonly reason: StartReason;
  readonly conversation: Conversation;
  readonly ctx: unknown;
}

export function helloOf({ shared, host, path, version, generation, reason, conversation, ctx }: Facts): Hello {
  return {
    type: "hello",
    protocol: { min: PROTOCOL_MIN, max: PROTOCOL_MAX },
    bridge: { version, path, generation },
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
    capabilities: [...capabilitiesOf(field(ctx, "ui")), ...chatCapabilities(shared.interactive), ...host.capabilities],
  };
}
