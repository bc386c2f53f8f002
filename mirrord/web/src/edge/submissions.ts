/**
 * What this tab sends into one conversation: `core/chat/turns` carried out with timers, the browser's storage, and a lock for each
 * turn that is not over. The tab that holds a turn's lock sends it; when that tab goes, the next one that waits for the lock does.
 */

import type { OwnTurn, SubmitKind } from "../chat/contract.ts";
import { load, save } from "../core/chat/journal.ts";
import type { Receipt } from "../core/chat/messages.ts";
import * as core from "../core/chat/turns.ts";
import type { Shelf } from "../core/shelf.ts";
import type { ClientMessage } from "../protocol.ts";

/** The part of the browser's locks that is used. */
export type Locks = Pick<LockManager, "request">;

export interface Post {
  readonly locks: Locks;
  send(message: ClientMessage): void;
  /** The daemon's clock. */
  now(): number;
}

export class Submissions {
  readonly #sessionId: string;
  readonly #post: Post;
  readonly #shelf: Shelf | undefined;
  #turns = core.NO_TURNS;
  /** What of them was in the storage when it was last looked at. */
  #kept: ReadonlySet<string> = new Set();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Locks that are held or waited for, by turn. */
  readonly #locks = new Map<string, AbortController>();
  #isOver = false;
  /** Told after each change. */
  onChange: () => void = () => {};

  constructor(sessionId: string, post: Post, shelf: Shelf | undefined) {
    this.#sessionId = sessionId;
    this.#post = post;
    this.#shelf = shelf;
    this.reload();
  }

  get shown(): readonly OwnTurn[] {
    return core.shown(this.#turns);
  }

  get isEmpty(): boolean {
    return this.#turns.all.size === 0;
  }

  /** Turns that may have acted, and of which nothing new is told by itself. */
  get unknown(): readonly string[] {
    return [...this.#turns.all.values()].filter(({ stage }) => stage === "unknown").map(({ id }) => id);
  }

  submit(kind: SubmitKind, text: string, options?: { readonly literal?: boolean; readonly excluded?: boolean }): string {
    const id = crypto.randomUUID();
    this.#give({
      id,
      kind,
      text,
      at: this.#post.now(),
      ...(options?.literal === true ? { literal: true } : {}),
      ...(options?.excluded === true ? { excluded: true } : {}),
    });
    return id;
  }

  retry(id: string): void {
    const again = core.retry(this.#turns, id, crypto.randomUUID(), this.#post.now());
    if (again !== undefined) this.#give(again.given, again.turns);
  }

  /** The text of a failed turn that is given up. */
  discard(id: string): string | undefined {
    const { turns, text } = core.discard(this.#turns, id);
    this.#keep(turns);
    return text;
  }

  /** A connection on which the session is known stands. */
  back(): void {
    this.#carry(core.back(this.#turns, this.#sessionId, steady(), this.#post.now()));
  }

  lost(): void {
    this.#keep(core.lost(this.#turns));
  }

  receive(receipt: Receipt): void {
    this.#keep(core.receive(this.#turns, receipt));
  }

  /** Another tab changed what is kept. */
  reload(): void {
    const kept = load(this.#shelf, this.#sessionId);
    this.#turns = core.merge(this.#turns, kept, this.#kept);
    this.#kept = idsOf(kept);
    this.#changed();
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    for (const lock of this.#locks.values()) lock.abort();
    this.#locks.clear();
  }

  #give(given: core.Submission, turns = this.#turns): void {
    // First of all tabs that ask for it: no other one has heard of it.
    this.#ask(given.id);
    this.#carry(core.give(turns, this.#sessionId, given, steady()));
  }

  #carry({ turns, send }: core.Sent): void {
    // On disk before it goes out: a page that ends in between sends it again.
    this.#keep(turns);
    for (const frame of send) this.#post.send(frame);
  }

  #keep(turns: core.Turns): void {
    const before = this.#turns;
    this.#turns = turns;
    for (const [id, turn] of turns.all) if (before.all.get(id) !== turn) this.#kept = idsOf(save(this.#shelf, this.#sessionId, id, turn));
    for (const id of before.all.keys()) if (!turns.all.has(id)) this.#kept = idsOf(save(this.#shelf, this.#sessionId, id, undefined));
    this.#changed();
  }

  #changed(): void {
    if (this.#isOver) return;
    for (const turn of this.#turns.all.values()) if (core.needsCare(turn)) this.#ask(turn.id);
    for (const [id, lock] of this.#locks) {
      const turn = this.#turns.all.get(id);
      if (turn !== undefined && core.needsCare(turn)) continue;
      this.#locks.delete(id);
      lock.abort();
    }
    clearTimeout(this.#timer);
    const due = core.nextAt(this.#turns);
    if (due !== undefined) this.#timer = setTimeout(() => this.#tick(), due - steady());
    this.onChange();
  }

  #tick(): void {
    this.#carry(core.tick(this.#turns, this.#sessionId, steady(), this.#post.now()));
  }

  /** Ask for a turn's lock, and send it from then on until it is over. */
  #ask(id: string): void {
    if (this.#locks.has(id)) return;
    const lock = new AbortController();
    this.#locks.set(id, lock);
    const over = new Promise<void>((resolve) => lock.signal.addEventListener("abort", () => resolve(), { once: true }));
    const held = () => {
      if (lock.signal.aborted) return;
      // Another tab may have brought it to its end while this one waited.
      this.reload();
      this.#carry(core.adopt(this.#turns, this.#sessionId, id, steady(), this.#post.now()));
      return over;
    };
    this.#post.locks.request(`mirrord.turn.${id}`, { signal: lock.signal }, held).catch(() => {});
  }
}

function idsOf(turns: readonly core.Turn[]): ReadonlySet<string> {
  return new Set(turns.map(({ id }) => id));
}

function steady(): number {
  return performance.now();
}
