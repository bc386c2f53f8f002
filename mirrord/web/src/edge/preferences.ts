/** What the person chose in this browser. Nothing secret; lost when the browser keeps nothing. */

import { effect, signal, type Signal } from "@preact/signals";

/** A sound when a prompt comes. */
export const sound = remembered<boolean>("sound", false);
/** Number, arrow and Enter keys of cards. */
export const shortcuts = remembered<boolean>("shortcuts", true);
/** The session that was open last. */
export const lastSession = remembered<string>("session", "");

function remembered<T extends string | boolean>(name: string, initial: T): Signal<T> {
  const key = `mirrord.${name}`;
  const kept = signal<T>(read(key, initial));
  effect(() => {
    const value = JSON.stringify(kept.value);
    try {
      localStorage.setItem(key, value);
    } catch {
      // Forbidden or full: it holds for this visit.
    }
  });
  return kept;
}

function read<T extends string | boolean>(key: string, initial: T): T {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? "null");
    return typeof value === typeof initial ? (value as T) : initial;
  } catch {
    return initial;
  }
}
