// Which dialog of Pi belongs to a call, what was chosen in it, and how it is taken off the screen without touching another.

import { follow, guard, isPromise } from "./guard.ts";
import { dialogs, isObject, isVisible, keeping, ranOut, call } from "./pi.ts";
import type { Method } from "./protocol.ts";
import type { Callable } from "./registry.ts";

/** What is known of the dialog that a call opened; empty where Pi did not let us see it. */
export interface Sight {
  interactive?: object;
  component?: object;
  /** What the selector gave: an option, or undefined when it was cancelled. */
  choice?: { readonly value: unknown };
}

export class Watch {
  private looking: Sight | undefined;

  /** Runs `open`; the first dialog that Pi opens meanwhile is the one of `sight`. Throws only what `open` throws. */
  during<T>(sight: Sight, open: () => T): T {
    const before = this.looking;
    this.looking = sight;
    try {
      return open();
    } finally {
      this.looking = before;
    }
  }

  /** Pi opens a dialog by `original`. */
  opened(interactive: object, original: Callable, args: unknown[]): unknown {
    const sight = this.looking;
    if (sight === undefined) return Reflect.apply(original, interactive, args);
    this.looking = undefined;
    const before = guard("hook.dialog", () => dialogs(interactive), undefined);
    const promise = Reflect.apply(original, interactive, args);
    guard("hook.dialog", () => see(sight, interactive, before, promise), undefined);
    return promise;
  }
}

function see(sight: Sight, interactive: object, before: readonly unknown[] | undefined, promise: unknown): void {
  sight.interactive = interactive;
  const component = dialogs(interactive).find((dialog) => isObject(dialog) && before?.includes(dialog) === false);
  if (isObject(component)) sight.component = component;
  if (!isPromise(promise)) return;
  follow(promise, "dialog.choice", (outcome) => {
    if ("value" in outcome) sight.choice = { value: outcome.value };
  });
}

/** Whether the dialog's countdown ended it; `elapsed` is asked where the countdown cannot be read. */
export function timedOut(sight: Sight, elapsed: () => boolean): boolean {
  return (sight.component === undefined ? undefined : ranOut(sight.component)) ?? elapsed();
}

/** Whether the person sees this dialog now, as far as Pi tells. */
export function isShown({ interactive, component }: Sight): boolean {
  return interactive !== undefined && component !== undefined && isVisible(interactive, component) === true;
}

/** In the options of our own `ask`: what its dialog tells about itself, which Pi's dialogs let us see from outside. */
export const WITNESS = Symbol.for("mirrord.bridge.witness");

export interface Witness {
  opened(interactive: object | undefined, component: object): void;
  /** undefined: cancelled, or the countdown ran out. */
  ended(value: unknown): void;
}

export function witness(sight: Sight): { [WITNESS]: Witness } {
  const seen: Witness = {
    opened: (interactive, component) => {
      if (interactive !== undefined) sight.interactive = interactive;
      sight.component = component;
    },
    ended: (value) => void (sight.choice = { value }),
  };
  return { [WITNESS]: seen };
}

/**
 * Takes the dialog off the screen by `abort`, which is how Pi lets a caller do it, or by what Esc does in an editor, which
 * has no signal. Where Pi has one place for dialogs it would clear that place whoever is in it, so a dialog that is
 * covered only has its countdown stopped.
 */
export function close(sight: Sight, isNewest: boolean, method: Method, abort: () => void): void {
  const { interactive, component } = sight;
  const leave = method === "editor" ? (): void => void call(component, "onCancelCallback") : abort;
  if (interactive === undefined || keeping(interactive) === "stack") return leave();
  const visible = component === undefined ? undefined : isVisible(interactive, component);
  if (visible ?? isNewest) leave();
  else call(component, "dispose");
}
