/** Tells that time passed in which this page did not run: the machine slept, or the browser froze the page. Pure. */

/** Timers of a page that is seen are late by less than this. */
const LATE_MS = 10_000;
/** The monotonic clock stands still in sleep on some systems, the wall clock does not; it is stepped by less than this otherwise. */
const APART_MS = 5_000;

export interface Moment {
  /** Monotonic milliseconds. */
  readonly steady: number;
  /** Milliseconds since the epoch. */
  readonly wall: number;
}

/** Whether between two looks that should be `planned` milliseconds apart the page stood still. */
export function stoodStill(before: Moment, after: Moment, planned: number): boolean {
  const steady = after.steady - before.steady;
  const wall = after.wall - before.wall;
  return steady - planned > LATE_MS || wall - steady > APART_MS;
}
