import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { appeared, changed, isOpen, seen, type Guard } from "./guard.ts";

// Keys that do something; letters and Tab always pass.
const ACTING = /^(?:Enter| |Escape|Arrow(?:Up|Down|Left|Right)|Home|End|[1-9])$/;

/**
 * Swallows taps and keys on the element while it has just appeared or moved. `view` names what it shows: another one counts as
 * appearing. Listens before everything inside, so nothing inside has to know.
 */
export function useGuard(root: RefObject<HTMLElement | null>, view: string): void {
  const guard = useRef<Guard>(appeared(performance.now()));
  useLayoutEffect(() => {
    const start = (): void => void (guard.current = changed(guard.current, performance.now()));
    start();
    // And once more when it is seen: on a slow machine that is a good while later.
    const frame = requestAnimationFrame(start);
    return () => cancelAnimationFrame(frame);
  }, [view]);
  // Before anything is painted: no tap can come between.
  useLayoutEffect(() => {
    const element = root.current;
    if (element === null) return undefined;
    const measure = (): void => {
      guard.current = seen(guard.current, element.getBoundingClientRect(), performance.now());
    };
    // What a person scrolls or what glides into its place has not jumped: only its new place is noted.
    const follow = (): void => {
      guard.current = { ...guard.current, place: element.getBoundingClientRect() };
    };
    const wake = (): void => {
      if (document.visibilityState === "visible") guard.current = changed(guard.current, performance.now());
    };
    const observer = new ResizeObserver(measure);
    for (let one: Element | null = element; one !== null; one = one.parentElement) observer.observe(one);
    const unlisten = [
      listen(window, "scroll", follow),
      listen(window, "animationend", follow),
      listen(window, "transitionend", follow),
      listen(window, "resize", measure),
      listen(document, "visibilitychange", wake),
      ...swallow(element, () => (measure(), isOpen(guard.current, performance.now()))),
    ];
    return () => {
      observer.disconnect();
      for (const stop of unlisten) stop();
    };
  }, [root]);
}

function swallow(element: HTMLElement, isAllowed: () => boolean): (() => void)[] {
  let isPressAllowed = true;
  const stop = (event: Event): void => {
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const press = (event: Event): void => {
    // The caret of a field that is being typed in may be moved at any time.
    isPressAllowed = isAllowed() || event.target === document.activeElement;
    if (!isPressAllowed) stop(event);
  };
  const rest = (event: Event): void => {
    if (!isPressAllowed) stop(event);
  };
  const click = (event: MouseEvent): void => {
    // A click of the keyboard has no press before it; one of a pointer counts when its press did and nothing moved since.
    const isFromPointer = event.detail > 0;
    if ((isFromPointer && !isPressAllowed) || !isAllowed()) stop(event);
  };
  const key = (event: KeyboardEvent): void => {
    if (!isTyped(event) && ACTING.test(event.key) && !isAllowed()) stop(event);
  };
  return [
    listen(element, "pointerdown", press),
    listen(element, "mousedown", rest),
    listen(element, "click", click as (event: Event) => void),
    listen(element, "keydown", key as (event: Event) => void),
  ];
}

/** Whether it writes: also Enter, where it begins a line and sends nothing. */
function isTyped({ target, key, ctrlKey, metaKey }: KeyboardEvent): boolean {
  if (key === "Enter") return target instanceof HTMLTextAreaElement && !ctrlKey && !metaKey;
  return isTextField(target) && key !== "Escape";
}

export function isTextField(target: EventTarget | null): target is HTMLInputElement | HTMLTextAreaElement {
  return target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
}

function listen(target: EventTarget, type: string, listener: (event: Event) => void): () => void {
  target.addEventListener(type, listener, { capture: true });
  return () => target.removeEventListener(type, listener, { capture: true });
}
