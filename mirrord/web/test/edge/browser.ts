/** A browser's storage and locks, as its tabs have them together. */

import type { Shelf } from "../../src/core/shelf.ts";

/** `room` is how many units of values it takes, as a browser's quota. */
export class FakeShelf implements Shelf {
  readonly items: Map<string, string>;
  room = Number.POSITIVE_INFINITY;
  /** Told after each change, with its key. */
  onChange: (key: string) => void = () => {};

  constructor(items: Iterable<readonly [string, string]> = []) {
    this.items = new Map(items);
  }

  get length(): number {
    return this.items.size;
  }
  key(place: number): string | null {
    return [...this.items.keys()][place] ?? null;
  }
  getItem(key: string): string | null {
    return this.items.get(key) ?? null;
  }
  setItem(key: string, value: string): void {
    const others = [...this.items].reduce((sum, [name, { length }]) => sum + (name === key ? 0 : length), 0);
    if (others + value.length > this.room) throw new DOMException("full", "QuotaExceededError");
    if (this.items.get(key) === value) return;
    this.items.set(key, value);
    this.onChange(key);
  }
  removeItem(key: string): void {
    if (this.items.delete(key)) this.onChange(key);
  }
}

interface Waiting {
  readonly tab: number;
  readonly begin: () => Promise<unknown>;
}

/** Locks of one browser, each held by one tab at a time, in the order in which they were asked for. */
export class FakeLocks {
  readonly #queues = new Map<string, Waiting[]>();

  /** How one tab asks for them. */
  of(tab: number): Pick<LockManager, "request"> {
    const request = async (name: string, options: LockOptions, held: (lock: Lock) => unknown): Promise<void> => {
      const waiting: Waiting = { tab, begin: async () => held({ name, mode: "exclusive" }) };
      const queue = this.#queues.get(name) ?? [];
      this.#queues.set(name, [...queue, waiting]);
      options.signal?.addEventListener("abort", () => {
        if (this.#queues.get(name)?.[0] !== waiting) this.#drop(name, waiting);
      });
      if (queue.length === 0) this.#grant(name);
    };
    return { request } as unknown as Pick<LockManager, "request">;
  }

  /** The tab is gone: what it held or waited for is let go. */
  end(tab: number): void {
    for (const [name, queue] of this.#queues) for (const waiting of queue) if (waiting.tab === tab) this.#drop(name, waiting);
  }

  #drop(name: string, waiting: Waiting): void {
    const queue = this.#queues.get(name) ?? [];
    if (!queue.includes(waiting)) return;
    this.#queues.set(
      name,
      queue.filter((one) => one !== waiting),
    );
    if (queue[0] === waiting) this.#grant(name);
  }

  /** A lock is granted a moment later, as in a browser. */
  #grant(name: string): void {
    const first = this.#queues.get(name)?.[0];
    if (first === undefined) return;
    queueMicrotask(() => {
      if (this.#queues.get(name)?.[0] === first) void first.begin().then(() => this.#drop(name, first));
    });
  }
}
