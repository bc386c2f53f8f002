import { useEffect, useReducer, useRef, useState } from "preact/hooks";
import { announcement, countdown, untilNextTick, type Countdown, type Urgency } from "./countdown.ts";

// The server's clock can turn out to be another one after a reconnect, so the pill looks again at least this often.
const LOOK_AGAIN_MS = 10_000;

/** The countdown to `timeoutAt`, and what a screen reader is told of it. Both undefined when nothing ends the prompt by time. */
export function useCountdown(openedAt: number | undefined, timeoutAt: number | undefined, now: () => number) {
  const [, tick] = useReducer((count: number, _: undefined) => count + 1, 0);
  const [said, say] = useState<string>();
  const before = useRef<Urgency | undefined>(undefined);
  const current: Countdown | undefined = timeoutAt === undefined ? undefined : countdown(openedAt ?? timeoutAt, timeoutAt, now());
  useEffect(() => {
    if (timeoutAt === undefined || current === undefined) return undefined;
    // What a card says when it appears names the time already.
    const sentence = before.current === undefined ? undefined : announcement(before.current, current);
    before.current = current.urgency;
    if (sentence !== undefined) say(sentence);
    const timer = setTimeout(() => tick(undefined), Math.min(LOOK_AGAIN_MS, untilNextTick(timeoutAt, now())));
    return () => clearTimeout(timer);
  });
  return { current, said };
}
