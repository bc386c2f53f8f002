/** What Enter does in the composer. Pure. */

import { isOfInputMethod, type TypedKey } from "../input_method.ts";

export interface EnterKey extends TypedKey {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly repeat: boolean;
}

/** `held`: the key is kept from doing anything. Undefined leaves it to the browser: a new line. `sends`: what Enter alone does here. */
export function enterDoes(key: EnterKey, sends: boolean): "send" | "held" | undefined {
  if (key.key !== "Enter" || isOfInputMethod(key)) return undefined;
  if (key.shiftKey || key.altKey) return undefined;
  if (!sends && !key.ctrlKey && !key.metaKey) return undefined;
  // A key that is held down sends once, and makes no lines after that.
  return key.repeat ? "held" : "send";
}
