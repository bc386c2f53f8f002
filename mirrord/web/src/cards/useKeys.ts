import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { keyAction, type KeyAction, type Place } from "./keys.ts";
import { isTextField } from "./useGuard.ts";

/** The keys of a card, on what is marked in it: `data-choice`, `data-send`, `data-quiet`. They count only inside `root`. */
export function useKeys(root: RefObject<HTMLElement | null>, isOn: boolean): void {
  useLayoutEffect(() => {
    const element = root.current;
    if (element === null || !isOn) return undefined;
    const press = (event: KeyboardEvent): void => {
      const choices = [...element.querySelectorAll<HTMLElement>("[data-choice]")];
      const action = keyAction(event, placeOf(event.target, choices));
      if (action !== undefined && act(element, choices, action)) event.preventDefault();
    };
    element.addEventListener("keydown", press);
    return () => element.removeEventListener("keydown", press);
  }, [root, isOn]);
}

function placeOf(target: EventTarget | null, choices: readonly HTMLElement[]): Place {
  const current = choices.findIndex((one) => one === target);
  return {
    field: !isTextField(target) ? "none" : target instanceof HTMLTextAreaElement ? "lines" : "line",
    isButton: current < 0 && target instanceof Element && target.closest("button, summary, a") !== null,
    count: choices.length,
    current,
    several: choices[0]?.getAttribute("role") === "checkbox",
  };
}

/** Whether something was there to act on. */
function act(element: HTMLElement, choices: readonly HTMLElement[], action: KeyAction): boolean {
  const focused = document.activeElement;
  switch (action.kind) {
    case "choose":
    case "move": {
      const choice = choices[action.index];
      choice?.focus();
      if (action.kind === "choose" || action.choose) choice?.click();
      return choice !== undefined;
    }
    case "submit":
      // Enter on a choice that is not made yet makes it; the next Enter sends.
      if (focused instanceof HTMLElement && focused.getAttribute("role") === "radio" && focused.ariaChecked !== "true") {
        focused.click();
        return true;
      }
      element.querySelector<HTMLElement>("[data-send]")?.click();
      return true;
    case "leave":
      // A dialog closes by itself, and nothing typed in it is lost. Elsewhere Esc steps out of a field, and then to Ignore.
      if (element.closest("dialog") !== null) return false;
      if (isTextField(focused)) element.focus();
      else element.querySelector<HTMLElement>("[data-quiet]")?.focus();
      return true;
  }
}
