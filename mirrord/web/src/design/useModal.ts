import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

import { enter, isOpen, leave, waiting, type Modals } from "../core/modals.ts";

const modals = signal<Modals>([]);

/** A place among the windows over the page, for as long as the component is there. Whether it may be open now: one is, the others wait. */
export function useModal(): boolean {
  const id = useRef<symbol | undefined>(undefined);
  id.current ??= Symbol();
  const { current } = id;
  useLayoutEffect(() => {
    modals.value = enter(modals.peek(), current);
    return () => {
      modals.value = leave(modals.peek(), current);
    };
  }, [current]);
  return isOpen(modals.value, current);
}

/** How many wait behind the one that is open. */
export function modalsWaiting(): number {
  return waiting(modals.value);
}
