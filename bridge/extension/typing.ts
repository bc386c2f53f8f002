// Somebody types into a dialog when a remote answers it: the keys that follow were meant for that dialog, and go nowhere.

import { after, guard, type Timer } from "./guard.ts";
import { SWALLOW_MOST_MS, SWALLOW_QUIET_MS, TYPING_MS } from "./limits.ts";

/** Adds a listener to Pi's keyboard and returns how to take it away; undefined where that cannot be done. */
export type Keyboard = (listener: (data: unknown) => { consume: true } | undefined) => (() => void) | undefined;

/** What a terminal sends that is no key: mouse, focus, answers to Pi's questions, and keys that are let go. */
const NO_KEY = /^\x1b(?:\[<|\[M|\[[IO]$|\[\d+;\d+;\d+t$|\[\?|[\]P_X^]..|\[[\d;:]*:3[~uA-H])/;

/** A character that is seen, as itself or pasted. */
const TEXT = /^(?:[^\x00-\x20\x7f]|\x1b\[200~)/;
/** A key as the newer keyboard protocol has it, by its code point. */
const KEY = /^\x1b\[(\d+)[;:\d]*u$/;
/** Where that protocol has the keys that are no characters. */
const PRIVATE_FIRST = 0xe000;
const PRIVATE_LAST = 0xf8ff;

/** Whether `data` is text that a person types, and no key that does something. */
export function isText(data: string): boolean {
  const code = Number(KEY.exec(data)?.[1] ?? 0);
  const isCharacter = code > 0x20 && code !== 0x7f && (code < PRIVATE_FIRST || code > PRIVATE_LAST);
  return isCharacter || TEXT.test(data);
}

export class Typing {
  private readonly keyboard: Keyboard;
  private readonly pressed: (now: number, data: string) => void;
  private unlisten: (() => void) | undefined;
  private swallowing: { readonly since: number; last: number } | undefined;
  private pause: Timer | undefined;
  private open = false;

  /** `pressed` is called for each key while a dialog is open, before Pi has it. Times are ms of `performance.now()`. */
  constructor(keyboard: Keyboard, pressed: (now: number, data: string) => void) {
    this.keyboard = keyboard;
    this.pressed = pressed;
  }

  /** Whether a dialog is open now. Keys are listened to only as long as that is so. */
  watch(open: boolean): void {
    this.open = open;
    if (open) this.unlisten ??= this.keyboard((data) => guard("typing.key", () => this.key(data, performance.now()), undefined));
    else if (this.swallowing === undefined) this.stop();
  }

  /** A remote's answer closes a dialog in which a key was pressed at `keyAt`, if at all. */
  closed(keyAt: number | undefined): void {
    const now = performance.now();
    if (keyAt === undefined || now - keyAt > TYPING_MS || this.unlisten === undefined) return;
    this.swallowing = { since: now, last: now };
    this.pause?.cancel();
    this.pause = after(SWALLOW_MOST_MS, "typing.end", () => this.end());
  }

  /** Lets go of the keyboard. */
  stop(): void {
    this.pause?.cancel();
    this.swallowing = undefined;
    this.unlisten?.();
    this.unlisten = undefined;
  }

  private key(data: unknown, now: number): { consume: true } | undefined {
    if (typeof data !== "string" || NO_KEY.test(data)) return undefined;
    const { swallowing } = this;
    if (swallowing !== undefined) {
      const isOver = now - swallowing.since >= SWALLOW_MOST_MS || now - swallowing.last >= SWALLOW_QUIET_MS;
      if (!isOver) {
        swallowing.last = now;
        return { consume: true };
      }
      this.end();
    }
    if (this.open) this.pressed(now, data);
    return undefined;
  }

  private end(): void {
    this.pause?.cancel();
    this.swallowing = undefined;
    if (!this.open) this.stop();
  }
}
