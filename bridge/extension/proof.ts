// Whether a session is the one that a person sees in this terminal. Sub-agents in the same process are not.

import { field, showsSession } from "./pi.ts";
import type { Registry } from "./registry.ts";
import type { World } from "./world.ts";

/** "later": this Pi does not say it in the context, but will show it when its terminal is known. */
export type Proof = "full" | "later" | "none";

export function proofOf({ interactive }: Registry, world: World, ctx: unknown): Proof {
  if (!world.isTerminal() || field(ctx, "hasUI") !== true) return "none";
  const shown = interactive === undefined ? undefined : showsSession(interactive, ctx);
  if (shown !== undefined) return shown ? "full" : "none";
  const mode = field(ctx, "mode");
  if (mode === undefined) return "later";
  return mode === "tui" ? "full" : "none";
}
