// Whether the agent works, from Pi's events. Pi may go on after `agent_end` (a retry, a queued message), and only newer ones say
// `agent_settled`; so after `agent_end` Pi is asked until it rests, and nobody is left "working" for ever.

import { after, guard, type Timer } from "./guard.ts";
import { IDLE_LOOK_MS } from "./limits.ts";
import type { ActivityCause } from "./protocol.ts";

export class Working {
  private readonly set: (working: boolean, cause: ActivityCause) => void;
  private readonly isIdle: () => unknown;
  private look: Timer | undefined;

  /** `isIdle` is Pi's own answer; anything but false counts as yes. */
  constructor(set: Working["set"], isIdle: () => unknown) {
    this.set = set;
    this.isIdle = isIdle;
  }

  event(cause: Exclude<ActivityCause, "resync">): void {
    this.stop();
    if (cause === "agent_end") this.ask();
    else this.set(cause !== "agent_settled", cause);
  }

  stop(): void {
    this.look?.cancel();
    this.look = undefined;
  }

  private ask(): void {
    if (guard("activity.look", this.isIdle, undefined) !== false) return this.set(false, "agent_end");
    this.look = after(IDLE_LOOK_MS, "activity.look", () => this.ask());
  }
}
