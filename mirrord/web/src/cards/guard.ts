// A card that has just appeared or moved takes no tap and no key: what is pressed then was meant for what was there before.

/** How long, in ms. A person needs about 250 ms to see a change and to hold back a finger that is on its way. */
export const GUARD_MS = 400;

// Layout rounds to fractions of a pixel; a finger notices more than this.
const NOTICEABLE_PX = 2;

/** Where a card is on the screen, in CSS pixels. */
export interface Place {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** What is known of a card's place. `since` is when it was last seen to change, on a clock in ms that does not jump. */
export interface Guard {
  readonly place: Place | undefined;
  readonly since: number;
}

/** A card that appears now. */
export function appeared(now: number): Guard {
  return { place: undefined, since: now };
}

/** The card was seen at `place`; the time starts again when it moved or changed its size. */
export function seen(guard: Guard, place: Place, now: number): Guard {
  const { place: before } = guard;
  if (before === undefined) return { ...guard, place };
  return hasMoved(before, place) ? { place, since: now } : guard;
}

/** The card shows something else at the same place, such as the next question. */
export function changed(guard: Guard, now: number): Guard {
  return { ...guard, since: now };
}

/** Whether taps and keys count. */
export function isOpen(guard: Guard, now: number): boolean {
  return now - guard.since >= GUARD_MS;
}

function hasMoved(before: Place, after: Place): boolean {
  return (["left", "top", "width", "height"] as const).some((side) => Math.abs(before[side] - after[side]) > NOTICEABLE_PX);
}
