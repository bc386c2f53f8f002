import type { RefObject } from "preact";
import { useEffect, useReducer, useRef } from "preact/hooks";

// A click follows the lifting of its pointer by a few ms.
const CLICK_MS = 60;

/** `value`, except while a pointer is down on `root`: then it stays what it was, so that nothing is replaced under a finger. */
export function useHeld<T>(value: T, root: RefObject<HTMLElement | null>): T {
  const [, render] = useReducer((count: number, _: undefined) => count + 1, 0);
  const pressed = useRef(false);
  const shown = useRef(value);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const press = (event: PointerEvent): void => {
      if (!(event.target instanceof Node) || root.current?.contains(event.target) !== true) return;
      clearTimeout(timer);
      pressed.current = true;
    };
    const lift = (): void => {
      if (!pressed.current) return;
      timer = setTimeout(() => {
        pressed.current = false;
        render(undefined);
      }, CLICK_MS);
    };
    addEventListener("pointerdown", press, true);
    addEventListener("pointerup", lift, true);
    addEventListener("pointercancel", lift, true);
    return () => {
      clearTimeout(timer);
      removeEventListener("pointerdown", press, true);
      removeEventListener("pointerup", lift, true);
      removeEventListener("pointercancel", lift, true);
    };
  }, [root]);
  if (!pressed.current) shown.current = value;
  return shown.current;
}
