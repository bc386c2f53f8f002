/** How the replies to the commands of notifications are read (docs/protocol.md, "Notifications"). */

import { bool, record, struct, text, type Read, type Reader } from "./reading.ts";

export type NotifyKind = "waiting" | "yourTurn" | "failed" | "titles";

const deviceSwitches = struct({ waiting: bool, yourTurn: bool, failed: bool, titles: bool }, {});
const sessionSwitches = struct({}, { waiting: bool, yourTurn: bool, failed: bool });
/** Where a session differs from its device; what is absent does not. */
export type SessionSwitches = Read<typeof sessionSwitches>;

const bySession: Reader<ReadonlyMap<string, SessionSwitches>> = (raw) => {
  const found = record(raw);
  if (found === undefined) return undefined;
  const read = Object.entries(found).map(([id, one]) => [id, sessionSwitches(one)] as const);
  return new Map(read.filter((pair): pair is readonly [string, SessionSwitches] => pair[1] !== undefined));
};

/** `notify_settings` and `notify_set`. */
export const readNotifySettings = struct({ device: deviceSwitches, sessions: bySession }, {});
export type NotifySettings = Read<typeof readNotifySettings>;

/** `push_info`: the key to subscribe with, or one sentence why there is no push. */
export const readPushInfo = struct({ available: bool }, { publicKey: text, reason: text });
export type PushInfo = Read<typeof readPushInfo>;
