/** Which keys are an input method's, as it ends a word or chooses among its candidates: they do nothing of ours. Pure. */

export interface TypedKey {
  readonly isComposing: boolean;
  readonly keyCode: number;
}

/** The key code of every key that an input method takes; some engines end a composition before they tell its Enter. */
const TAKEN = 229;

export function isOfInputMethod({ isComposing, keyCode }: TypedKey): boolean {
  return isComposing || keyCode === TAKEN;
}
