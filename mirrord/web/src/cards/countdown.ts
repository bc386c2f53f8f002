// How long Pi still waits. It is Pi that ends a prompt: nothing here answers, and a card whose time is up stays until Pi has ruled.

/** How near the end is: for the look, and for what a screen reader is told. */
export type Urgency = "calm" | "soon" | "last" | "over";

export interface Countdown {
  /** Short, for the pill: `2 min`, `45 s`. */
  readonly text: string;
  readonly urgency: Urgency;
  /** What is left of the whole time, from 1 to 0. */
  readonly fraction: number;
}

const SOON_MS = 60_000;
const LAST_MS = 15_000;

/** The state of the countdown at `serverNow`. All times in ms since the epoch, on the server's clock. */
export function countdown(openedAt: number, timeoutAt: number, serverNow: number): Countdown {
  const left = timeoutAt - serverNow;
  const whole = Math.max(1, timeoutAt - openedAt);
  return { text: duration(left), urgency: urgencyOf(left), fraction: Math.min(1, Math.max(0, left / whole)) };
}

/** What a screen reader is told when a countdown goes from one urgency to the next: three sentences in a prompt's life, no ticking. */
export function announcement(before: Urgency | undefined, now: Countdown): string | undefined {
  if (before === now.urgency) return undefined;
  switch (now.urgency) {
    case "calm":
      return undefined;
    case "soon":
    case "last":
      return `Pi waits ${now.text} more.`;
    case "over":
      return "The time is up. Waiting for Pi.";
  }
}

/** ms until the shown text changes. */
export function untilNextTick(timeoutAt: number, serverNow: number): number {
  const left = timeoutAt - serverNow;
  if (left <= 0) return Number.POSITIVE_INFINITY;
  const unit = left > 2 * 60_000 ? 60_000 : 1_000;
  return Math.max(50, left % unit || unit);
}

function urgencyOf(left: number): Urgency {
  if (left <= 0) return "over";
  if (left <= LAST_MS) return "last";
  return left <= SOON_MS ? "soon" : "calm";
}

// Rounded up, so that it says 1 s until the end and never 0 s while Pi still waits.
function duration(left: number): string {
  if (left <= 0) return "Time is up";
  const seconds = Math.ceil(left / 1_000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`;
}
