// The keyboard of a card: numbers choose, arrows move, Enter goes on, Esc steps out. It counts only while the card has the focus.

import { isOfInputMethod, type TypedKey } from "../core/input_method.ts";

/** What a key is pressed on. */
export interface Place {
  /** A text field, of one line or of several. */
  readonly field: "none" | "line" | "lines";
  /** A button that does something of its own on Enter and Space. */
  readonly isButton: boolean;
  /** Of the choices that are on screen: how many, the focused one (-1: none), and whether several can be chosen. */
  readonly count: number;
  readonly current: number;
  readonly several: boolean;
}

export interface Key extends TypedKey {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  readonly repeat: boolean;
}

export type KeyAction =
  | { readonly kind: "choose"; readonly index: number }
  | { readonly kind: "move"; readonly index: number; readonly choose: boolean }
  | { readonly kind: "submit" }
  | { readonly kind: "leave" };

/** What `key` does on `place`; undefined leaves it to the browser. */
export function keyAction(key: Key, place: Place): KeyAction | undefined {
  // Enter that ends a composition is no Enter.
  if (isOfInputMethod(key) || key.altKey) return undefined;
  const isWithCommand = key.ctrlKey || key.metaKey;
  if (key.key === "Enter") return enter(key, place, isWithCommand);
  if (isWithCommand) return undefined;
  if (key.key === "Escape") return { kind: "leave" };
  if (place.field !== "none") return undefined;
  if (/^[1-9]$/.test(key.key)) {
    const index = Number(key.key) - 1;
    return index < place.count && !key.repeat ? { kind: "choose", index } : undefined;
  }
  return arrow(key, place);
}

function enter(key: Key, place: Place, isWithCommand: boolean): KeyAction | undefined {
  // A key that is held down sends once.
  if (key.repeat || key.shiftKey || place.isButton) return undefined;
  if (place.field === "lines") return isWithCommand ? { kind: "submit" } : undefined;
  return { kind: "submit" };
}

function arrow(key: Key, { count, current, several }: Place): KeyAction | undefined {
  if (count === 0 || key.shiftKey) return undefined;
  const to = destination(key.key, current, count);
  return to === undefined ? undefined : { kind: "move", index: to, choose: !several };
}

function destination(key: string, current: number, count: number): number | undefined {
  switch (key) {
    case "ArrowDown":
      return (current + 1) % count;
    case "ArrowUp":
      return current <= 0 ? count - 1 : current - 1;
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return undefined;
  }
}
