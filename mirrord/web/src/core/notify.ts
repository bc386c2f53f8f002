/** What the page itself does with a call for the person's attention, and what of it stands in the tab. Pure. */

import type { Attention } from "../protocol.ts";

/** Where the person is when it comes. */
export interface Whereabouts {
  /** The page can be seen. */
  readonly visible: boolean;
  /** It has the focus: nobody is in another window. */
  readonly focused: boolean;
  /** The session on its screen. */
  readonly showing: string | null;
  /** This browser may show notifications. */
  readonly permitted: boolean;
  /** The person wants sounds. */
  readonly sound: boolean;
}

export interface Reaction {
  /**
   * With the browser's notification of that session: give it to the worker, which lets nothing stack and shows nothing for what is over
   * unless something stands; take it away; or leave it.
   */
  readonly notification: "show" | "close" | "leave";
  readonly toast: boolean;
  readonly ring: boolean;
}

const NOTHING: Reaction = { notification: "leave", toast: false, ring: false };

export function reaction({ kind, sessionId }: Attention, here: Whereabouts): Reaction {
  const present = here.visible && here.focused;
  if (kind === "over") return { ...NOTHING, notification: present ? "close" : here.permitted ? "show" : "leave" };
  if (present && here.showing === sessionId) return { ...NOTHING, notification: "close" };
  // A prompt rings when it comes, also where nobody wants to be told of it here.
  const ring = here.sound && kind !== "waiting";
  if (present) return { notification: "leave", toast: true, ring };
  if (here.permitted) return { notification: "show", toast: false, ring };
  return { notification: "leave", toast: here.visible, ring };
}

/** Of each session what the person has not looked at yet. What waits is counted elsewhere. */
export type Unseen = ReadonlyMap<string, "yourTurn" | "failed">;

export const NONE_UNSEEN: Unseen = new Map();

export function noted(unseen: Unseen, { kind, sessionId }: Attention): Unseen {
  if (kind === "yourTurn" || kind === "failed") return new Map(unseen).set(sessionId, kind);
  return kind === "over" ? seen(unseen, sessionId) : unseen;
}

/** The person looks at that session. */
export function seen(unseen: Unseen, sessionId: string): Unseen {
  if (!unseen.has(sessionId)) return unseen;
  const rest = new Map(unseen);
  rest.delete(sessionId);
  return rest;
}

/** Of sessions that are here still: of one that is gone there is nothing to look at. */
export function listed(unseen: Unseen, sessions: { has(sessionId: string): boolean }): Unseen {
  const gone = [...unseen.keys()].filter((sessionId) => !sessions.has(sessionId));
  return gone.reduce(seen, unseen);
}

export type Mark = "none" | "waiting" | "failed" | "yourTurn";

/** What the tab says: the most urgent in its picture, and in front of its name, which is cut at its end. */
export interface TabSign {
  readonly mark: Mark;
  readonly title: string;
  /** For the badge of an installed app. */
  readonly count: number;
}

const WORDS: Readonly<Partial<Record<Mark, string>>> = { failed: "Failed", yourTurn: "Your turn" };

/** `name` is the tab's own; `waiting` so many prompts wait. */
export function tabSign(name: string, waiting: number, unseen: Unseen): TabSign {
  const kinds = new Set(unseen.values());
  const news: Mark = kinds.has("failed") ? "failed" : kinds.has("yourTurn") ? "yourTurn" : "none";
  const words = WORDS[news];
  const title = words === undefined ? name : `${words} · ${name}`;
  return {
    mark: waiting > 0 ? "waiting" : news,
    title: waiting > 0 ? `(${waiting}) ${title}` : title,
    count: waiting + unseen.size,
  };
}
