// What a daemon is told, by a clock that the test moves; and what stands for the session around it.
import { mock } from "node:test";

import { Board, type Look, type Sink } from "../../../bridge/extension/board.ts";
import { Outbox, type Maker } from "../../../bridge/extension/outbox.ts";
import type { Outgoing } from "../../../bridge/extension/protocol.ts";

export class BoardStage implements Sink {
  hopeful = true;
  linked = true;
  /** Who calls `ctx.ui`. */
  source: string | undefined;
  readonly outbox = new Outbox();
  readonly board = new Board(this);
  readonly sources = { look: (known?: string): string | undefined => this.source ?? known };
  private now = 1_000_000;

  constructor() {
    mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
    mock.method(performance, "now", () => this.now);
  }

  put(key: string, make: Maker): void {
    this.outbox.put(key, make);
  }

  drop(key: string): void {
    this.outbox.drop(key);
  }

  /** What has been told since the last look. */
  said(): Outgoing[] {
    const said = [];
    for (let next = this.outbox.next(); next !== undefined; next = this.outbox.next()) said.push(next);
    return said;
  }

  /** What a daemon that comes now is told. */
  resynced(states: Iterable<readonly [string, Look]>, more: (say: Sink["put"]) => void = () => {}): Outgoing[] {
    this.outbox.clear();
    const say: Sink["put"] = (key, make) => this.put(key, make);
    this.board.tell(say, states);
    more(say);
    return this.said();
  }

  /** Lets time pass in steps of a millisecond, as timers do not fire in the middle of a tick. */
  pass(ms: number): void {
    for (let step = 0; step < ms; step += 1) {
      this.now += 1;
      mock.timers.tick(1);
    }
  }

  end(): void {
    this.board.stop();
    mock.timers.reset();
    mock.restoreAll();
  }
}
