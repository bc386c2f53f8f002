// What waits for room in the socket: not messages but the means to make them, so that each is made with its last value.

import type { Outgoing } from "./protocol.ts";

/** Makes the message for its key now, or several that belong together, or undefined when there is nothing to say any more. */
export type Maker = () => Outgoing | Generator<Outgoing, void> | undefined;

export class Outbox {
  private readonly waiting = new Map<string, Maker>();
  /** Messages that belong together and of which the first has been taken: nothing comes between them. */
  private begun: Generator<Outgoing, void> | undefined;

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
    this.begun = undefined;
  }

  /** Takes the first message out; undefined when none is left. */
  next(): Outgoing | undefined {
    for (;;) {
      const more = this.begun?.next();
      if (more?.done === false) return more.value;
      this.begun = undefined;
      const [first] = this.waiting;
      if (first === undefined) return undefined;
      const [key, make] = first;
      this.waiting.delete(key);
      const made = make();
      if (made === undefined) continue;
      if ("type" in made) return made;
      this.begun = made;
    }
  }
}
