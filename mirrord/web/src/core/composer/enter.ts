/** What Enter does in the composer. Pure. */

export interface EnterKey {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly repeat: boolean;
  readonly isComposing: boolean;
  readonly keyCode: number;
}

/** The key code of every key that an input method takes; some engines end a composition before they tell its Enter. */
const TAKEN_BY_INPUT_METHOD = 229;

/** `held`: the key is kept from doing anything. Undefined leaves it to the browser: a new line. `sends`: what Enter alone does here. */
export function enterDoes(key: EnterKey, sends: boolean): "send" | "held" | undefined {
  if (key.key !== "Enter" || key.isComposing || key.keyCode === TAKEN_BY_INPUT_METHOD) return undefined;
  if (key.shiftKey || key.altKey) return undefined;
  if (!sends && !key.ctrlKey && !key.metaKey) return undefined;
  // A key that is held down sends once, and makes no lines after that.
  return key.repeat ? "held" : "send";
}
