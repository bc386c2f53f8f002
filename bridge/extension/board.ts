// State that a daemon is told: by key, each at its pace, and only what differs from what it was told last.
import { createHash } from "node:crypto";

import { UPDATE_MS } from "./limits.ts";
import type { Maker } from "./outbox.ts";
import { Pace } from "./pace.ts";
import type { Outgoing } from "./protocol.ts";

/** The link, or what stands for it while there is none. */
export interface Sink {
  put(key: string, make: Maker): void;
  drop(key: string): void;
  /** Whether something that is told only once may still reach a daemon. */
  readonly hopeful: boolean;
  /** Whether a daemon is told things now. */
  readonly linked: boolean;
}

/** What is true now, and whether that is what a daemon takes for granted that was told nothing. */
export interface State {
  readonly message: Outgoing;
  readonly isDefault?: boolean;
}

/** Says what is true when there is room for it; undefined: nothing is to be said yet. */
export type Look = () => State | undefined;

export interface Manner {
  /** Not within this call, which may be within a frame of the terminal. */
  readonly apart?: boolean;
  /** What has to be done before, at the pace of the key. */
  readonly before?: () => void;
}

export class Board {
  private readonly sink: Sink;
  private readonly pace = new Pace(UPDATE_MS);
  /** By key, a digest of what this daemon was told last; what is the default is not kept. */
  private readonly told = new Map<string, string>();

  constructor(sink: Sink) {
    this.sink = sink;
  }

  /** Something about `key` has changed. Whoever is told later is told by `tell`. */
  put(key: string, look: Look, { apart = false, before }: Manner = {}): void {
    if (!this.sink.linked) return;
    const act = (): void => {
      before?.();
      this.sink.put(key, () => this.news(key, look));
    };
    this.pace.touch(key, act, apart);
  }

  /** There is nothing under `key` any more, which a daemon that was not told of it need not be told. */
  remove(key: string, look: Look): void {
    if (this.told.has(key)) return this.put(key, look);
    this.pace.drop(key);
    this.sink.drop(key);
  }

  /** What waits for its turn need not wait any longer. */
  flush(key: string): void {
    this.pace.flush(key);
  }

  /** There will be nothing more about `key`. */
  close(key: string): void {
    this.pace.flush(key);
    this.told.delete(key);
  }

  /** Another daemon listens, or the same one has forgotten all: `say` puts what it is told into the outbox. */
  tell(say: (key: string, make: Maker) => void, states: Iterable<readonly [string, Look]>): void {
    this.told.clear();
    for (const [key, look] of states) say(key, () => this.news(key, look));
  }

  stop(): void {
    this.pace.stop();
    this.told.clear();
  }

  private news(key: string, look: Look): Outgoing | undefined {
    const state = look();
    if (state === undefined) return undefined;
    const before = this.told.get(key);
    if (state.isDefault === true) {
      this.told.delete(key);
      return before === undefined ? undefined : state.message;
    }
    const now = createHash("sha1").update(JSON.stringify(state.message)).digest("base64");
    if (now === before) return undefined;
    this.told.set(key, now);
    return state.message;
  }
}
