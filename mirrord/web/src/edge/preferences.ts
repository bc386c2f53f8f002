/** What the person chose in this browser. Nothing secret; lost when the browser keeps nothing. Other tabs of it follow at once. */

import { effect, signal, type Signal } from "@preact/signals";

import { attempt } from "../core/shelf.ts";

const THEMES = ["system", "light", "dark", "contrast"] as const;
export type Theme = (typeof THEMES)[number];
/** Per cent of what the browser is set to; each has its rule in design/base.css. */
export const TEXT_SIZES = ["100", "115", "130", "150", "175", "200"] as const;
export type TextSize = (typeof TEXT_SIZES)[number];

/** What everything that is kept here begins with. */
export const PREFIX = "mirrord.";

const choices = new Set<string>();

/** Whether a key of the storage holds a choice of the person's, and not what they did or typed. */
export function isChoice(key: string): boolean {
  return choices.has(key) && key !== `${PREFIX}session`;
}

export const theme = remembered<Theme>("theme", "system", THEMES);
export const textSize = remembered<TextSize>("textSize", "100", TEXT_SIZES);
/** A sound when a prompt comes. */
export const sound = remembered<boolean>("sound", false);
/** Number, arrow and Enter keys of cards, and the keys of the page. */
export const shortcuts = remembered<boolean>("shortcuts", true);
/** Enter sends what is in the composer, and Shift with it begins a line; else it begins a line, as on a phone, whose keyboard has no Shift with it. */
export const enterSends = remembered<boolean>("enterSends", !matchMedia("(pointer: coarse)").matches);
/** How a message reaches a Pi that works: at its next step, or when it is done. */
export const delivery = remembered<"steer" | "follow_up">("delivery", "steer", ["steer", "follow_up"]);
/** Messages that are in the conversation and not on the terminal's screen are shown too. */
export const showHidden = remembered<boolean>("showHidden", false);
/** What the model thinks is open without being asked for. */
export const thinkingExpanded = remembered<boolean>("thinkingExpanded", false);
/** The person wants Web Push in this browser; it is arranged anew when it got lost. */
export const pushWanted = remembered<boolean>("push", false);
/** The session that was open last. */
export const lastSession = remembered<string>("session", "");

/** `values`: another one that is found counts as none. */
function remembered<T extends string | boolean>(name: string, initial: T, values?: readonly T[]): Signal<T> {
  const key = PREFIX + name;
  choices.add(key);
  const taken = (json: string | null) => read(json, initial, values);
  const kept = signal<T>(taken(attempt(() => localStorage.getItem(key)) ?? null));
  effect(() => {
    const json = JSON.stringify(kept.value);
    // Where nothing can be kept, it holds for this visit.
    attempt(() => {
      if (localStorage.getItem(key) !== json) localStorage.setItem(key, json);
    });
  });
  addEventListener("storage", (event) => {
    if (event.storageArea === localStorage && event.key === key && event.newValue !== null) kept.value = taken(event.newValue);
  });
  return kept;
}

function read<T extends string | boolean>(json: string | null, initial: T, values: readonly T[] | undefined): T {
  try {
    const value: unknown = JSON.parse(json ?? "null");
    return typeof value === typeof initial && (values === undefined || values.includes(value as T)) ? (value as T) : initial;
  } catch {
    return initial;
  }
}
