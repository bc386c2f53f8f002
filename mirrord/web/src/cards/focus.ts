// Whose focus it was: a card that goes while it has the focus leaves it to the card that comes next.

// A next card that comes later than this is news, not a continuation.
const CONTINUES_MS = 10_000;

let leftAt = Number.NEGATIVE_INFINITY;

/** A card goes. */
export function leave(hadFocus: boolean, now: number): void {
  if (hadFocus) leftAt = now;
}

/** A card comes: whether it takes over the focus. `isFree`: nothing has it. Answers yes once for each card that left. */
export function cameWithFocus(isFree: boolean, now: number): boolean {
  const isContinued = isFree && now - leftAt <= CONTINUES_MS;
  leftAt = Number.NEGATIVE_INFINITY;
  return isContinued;
}
