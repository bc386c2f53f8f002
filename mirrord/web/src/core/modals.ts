/** Who may open a window over the page: one at a time, in the order in which they asked. Pure. */

/** The first one is open, the others wait. */
export type Modals = readonly symbol[];

/** One asks. It keeps its place when it asks again. */
export function enter(modals: Modals, id: symbol): Modals {
  return modals.includes(id) ? modals : [...modals, id];
}

/** One has closed, or waits no longer. */
export function leave(modals: Modals, id: symbol): Modals {
  return modals.includes(id) ? modals.filter((one) => one !== id) : modals;
}

export function isOpen(modals: Modals, id: symbol): boolean {
  return modals[0] === id;
}

/** How many wait behind the one that is open. */
export function waiting(modals: Modals): number {
  return Math.max(0, modals.length - 1);
}
