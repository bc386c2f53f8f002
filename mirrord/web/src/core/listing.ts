/** How sessions are named and ordered in the list. Pure. */

import type { Session, State as SessionState } from "../protocol.ts";
import type { SessionView, State } from "./state.ts";

/** Groups of the list, in this order. */
export type Group = "needs_you" | "active" | "ended";

/** The state that is shown: what is known here may be less than what the daemon said last. */
export type ShownState = SessionState | "missing";

export interface Entry {
  readonly view: SessionView;
  readonly group: Group;
  readonly state: ShownState;
  /** How many prompts wait. */
  readonly waiting: number;
}

/** Name, else first message where the daemon tells it, else folder. */
export function titleOf(session: Session): string {
  return session.name?.trim() || session.firstMessage?.trim() || folderOf(session) || "Session without a name";
}

/** The last part of the working directory. */
export function folderOf(session: Session): string {
  return session.cwd?.split(/[\\/]/).findLast((part) => part !== "") ?? session.cwd ?? "";
}

/** The directory, with a home directory as `~`. */
export function shortPath(path: string): string {
  return path.replace(/^(?:\/home|\/Users)\/[^/]+(?=\/|$)/u, "~").replace(/^\/root(?=\/|$)/u, "~");
}

export function stateOf(view: SessionView): ShownState {
  return view.missingSince === undefined ? view.session.status.state : "missing";
}

/** How many prompts wait: what was sent of them, or what the daemon counts where they were not. */
export function waitingIn(view: SessionView): number {
  if (view.session.status.state === "ended") return 0;
  return view.cursor === undefined ? (view.session.openPrompts ?? 0) : view.prompts.length;
}

/** All sessions: who needs you first (longest waiting first), then by latest change, ended ones last. */
export function entries(state: State): readonly Entry[] {
  return [...state.sessions.values()].map(entry).sort(compare);
}

/** How many prompts wait in all. */
export function waitingInAll(state: State): number {
  return [...state.sessions.values()].reduce((sum, view) => sum + waitingIn(view), 0);
}

function entry(view: SessionView): Entry {
  const waiting = waitingIn(view);
  const shown = stateOf(view);
  const group = shown === "ended" ? "ended" : waiting > 0 || shown === "waiting" ? "needs_you" : "active";
  return { view, group, state: shown, waiting };
}

const ORDER: Readonly<Record<Group, number>> = { needs_you: 0, active: 1, ended: 2 };

function compare(a: Entry, b: Entry): number {
  const groups = ORDER[a.group] - ORDER[b.group];
  if (groups !== 0) return groups;
  const older = a.view.session.status.since - b.view.session.status.since;
  return (a.group === "needs_you" ? older : -older) || (a.view.session.sessionId < b.view.session.sessionId ? -1 : 1);
}
