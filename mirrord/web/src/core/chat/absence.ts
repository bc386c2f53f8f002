/** Why a session has no conversation here. Pure. */

import type { Session } from "../../protocol.ts";

/** What an extension says that tells its Pi's conversation. */
const CHAT = "chat";

/** One sentence; undefined where there is a conversation. */
export function noConversation({ capabilities }: Session): string | undefined {
  if (capabilities?.includes(CHAT) === true) return undefined;
  return "There is no conversation here: the mirrord extension in this Pi is of an earlier version. Type /reload there.";
}
