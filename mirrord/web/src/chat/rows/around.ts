import { createContext } from "preact";
import type { ReadonlySignal } from "@preact/signals";
import { signal } from "@preact/signals";

/** What rows need of the timeline around them. */
export interface TimelineAround {
  /** The daemon's clock, at least each half minute. Milliseconds since the epoch. */
  readonly now: ReadonlySignal<number>;
  /** The row that is pointed at, focused or tapped: it shows its facts and what can be done with it. */
  readonly active: ReadonlySignal<string | undefined>;
  /** All texts of a message as they were written, for the clipboard. */
  readonly wholeText: (messageId: string) => string;
  /** Said once, politely, to who cannot see. */
  readonly announce: (words: string) => void;
}

export const Timeline = createContext<TimelineAround>({
  now: signal(Date.now()),
  active: signal(undefined),
  wholeText: () => "",
  announce: () => undefined,
});
