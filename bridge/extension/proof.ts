// Whether a session is the one that a person sees in this terminal. Sub-agents in the same process are not.

import { field, sessionId, showsSession } from "./pi.ts";
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

/** Whether the owner's session is over without a word: the terminal shows `ctx`, and that is another session or loads `path` in its place. */
export function isLeftBehind(shared: Registry, world: World, path: string, ctx: unknown): boolean {
  const { owner } = shared;
  if (owner === undefined || proofOf(shared, world, ctx) !== "full") return false;
  return owner.path === path || owner.sessionId() !== sessionId(ctx);
}
