// Pi's text fields tell when they are drawn: what is drawn around one may show what a person types.

import { guard } from "./guard.ts";
import { field, isObject } from "./pi.ts";
import { active, type Callable, type Registry } from "./registry.ts";

const FIELDS = ["Editor", "Input"] as const;

/** Hooks the fields' classes in the module that Pi shares with extensions. */
export function hookFields(shared: Registry, tui: unknown): void {
  for (const name of FIELDS) {
    const hook = hookOf(name);
    const prototype = field(field(tui, name), "prototype");
    const original = field(prototype, "render");
    if (!isObject(prototype) || typeof original !== "function" || shared.hooks.has(hook)) continue;
    const render = function (this: unknown, ...args: unknown[]): unknown {
      guard("component.field", () => active(shared)?.field?.(), undefined);
      return Reflect.apply(original as Callable, this, args);
    };
    if (Reflect.set(prototype, "render", render)) shared.hooks.add(hook);
  }
}

/** Whether they all do. */
export function tellFields(shared: Registry): boolean {
  return FIELDS.every((name) => shared.hooks.has(hookOf(name)));
}

function hookOf(name: string): string {
  return `${name}.render`;
}
