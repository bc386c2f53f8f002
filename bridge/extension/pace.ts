// How often something is told: the first time at once, then at most once in a period, the last time always.

import { after, guard, type Timer } from "./guard.ts";

interface Slot {
  /** When it may be told again, in ms of `performance.now()`. */
  due: number;
  /** What waits for that; undefined: nothing has come since. */
  waiting: (() => void) | undefined;
}

export class Pace {
  private readonly period: number;
  private readonly slots = new Map<string, Slot>();
  private timer: Timer | undefined;
  /** When the timer fires. */
  private at = Infinity;

  /** `period` in ms. */
  constructor(period: number) {
    this.period = period;
  }

  /** Calls `act` when it is the turn of `key`, in place of one that waits. With `apart` never within this call. */
  touch(key: string, act: () => void, apart = false): void {
    const now = performance.now();
    const slot = this.slots.get(key) ?? { due: now, waiting: undefined };
    this.slots.set(key, slot);
    slot.waiting = act;
    if (slot.due <= now && !apart) this.act(slot, now);
    this.plan(slot.due, now);
  }

  /** What waits for `key` is called now. */
  flush(key: string): void {
    const slot = this.slots.get(key);
    if (slot?.waiting !== undefined) this.act(slot, performance.now());
  }

  /** What waits for `key` is not called. */
  drop(key: string): void {
    const slot = this.slots.get(key);
    if (slot !== undefined) slot.waiting = undefined;
  }

  /** Nothing that waits is called any more. */
  stop(): void {
    this.timer?.cancel();
    this.at = Infinity;
    this.slots.clear();
  }

  private act(slot: Slot, now: number): void {
    const { waiting } = slot;
    slot.waiting = undefined;
    slot.due = now + this.period;
    guard("surface.tell", () => waiting?.(), undefined);
  }

  private plan(due: number, now: number): void {
    if (due >= this.at) return;
    this.timer?.cancel();
    this.at = due;
    this.timer = after(Math.max(0, Math.ceil(due - now)), "surface.tell", () => this.tick());
  }

  private tick(): void {
    this.at = Infinity;
    const now = performance.now();
    let next = Infinity;
    for (const [key, slot] of [...this.slots]) {
      if (slot.due > now) next = Math.min(next, slot.due);
      else if (slot.waiting === undefined) this.slots.delete(key);
      else {
        this.act(slot, now);
        next = Math.min(next, slot.due);
      }
    }
    if (next < Infinity) this.plan(next, now);
  }
}
