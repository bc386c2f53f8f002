/** How long to wait before the next try to connect. Pure: chance and time are passed in. Milliseconds. */

/** A daemon that is restarted answers within a second. */
export const FIRST_MS = 250;
/** The longest wait: a person who started the daemon again does not look on for longer. */
export const MOST_MS = 5_000;
/** A connection that stood for so long was no failure; one that is cut sooner, again and again, must not be made in a tight loop. */
export const STABLE_MS = 5_000;

/** The wait after `failures` tries in a row failed (from 0), cut by `chance` in [0, 1) so that many pages do not come at once. */
export function waitFor(failures: number, chance: number): number {
  return Math.min(FIRST_MS * 2 ** failures, MOST_MS) * (0.5 + chance / 2);
}
