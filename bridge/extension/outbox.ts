// What waits for room in the socket: not messages but the means to make them, so that each is made with its last value.

import type { Outgoing } from "./protocol.ts";

/** Makes the message for its key now, or undefined when there is nothing to say any more. */
export type Maker = () => Outgoing | undefined;

export class Outbox {
  private readonly waiting = new Map<string, Maker>();

  get size(): number {
    return this.waiting.size;
  }

  /** A key that waits already keeps its place and gets the new maker. */
  put(key: string, make: Maker): void {
    this.waiting.set(key, make);
  }

  drop(key: string): void {
    this.waiting.delete(key);
  }

  clear(): void {
    this.waiting.clear();
  }

  /** Takes the first message out; undefined when none is left. */
  next(): Outgoing | undefined {
    for (const [key, make] of this.waiting) {
      this.waiting.delete(key);
      const message = make();
      if (message !== undefined) return message;
    }
    return undefined;
  }
}
