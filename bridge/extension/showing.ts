// All that a remote is told besides dialogs, and the one board that it is told from.

import { Board, type Look, type Sink } from "./board.ts";
import type { Member } from "./members.ts";
import { Mirror } from "./mirror.ts";
import type { Say } from "./link.ts";
import { Sources } from "./sources.ts";
import { performed, type Call } from "./step.ts";
import { Surfaces } from "./surfaces.ts";

/** What it needs of the session around it. */
export interface Around {
  readonly sink: Sink;
  /** The session's `ctx.ui`, as far as there is one. */
  ui(): unknown;
  /** Whether Pi's text fields tell that they are drawn, and the keys of the terminal are seen. */
  sees(): boolean;
}

export class Showing {
  readonly board: Board;
  readonly mirror: Mirror;
  readonly surfaces: Surfaces;

  constructor({ sink, ui, sees }: Around) {
    const sources = new Sources();
    const board = new Board(sink);
    this.board = board;
    this.mirror = new Mirror(sink, board, sources);
    this.surfaces = new Surfaces({ sink, board, sources, ui, sees, gaveWay: () => this.mirror.gaveWay("widget") });
  }

  /** A method of `ctx.ui` that opens no dialog was called. Calls `original` exactly once; throws only what that throws. */
  intercept(method: Member, call: Call): unknown {
    const said = this.mirror.step(method, call.args);
    return said === undefined ? this.surfaces.intercept(method, call) : performed("ui.told", () => said, call);
  }

  /** Everything that is true now, and `more` of it. */
  tell(say: Say, more: Iterable<readonly [string, Look]>): void {
    this.board.tell(say, this.states(more));
    this.mirror.tell(say);
  }

  tellOnce(say: Say): void {
    this.mirror.tellOnce(say);
    this.surfaces.tellOnce(say);
  }

  /** No daemon listens: what was to be told once is not told. */
  unheard(): void {
    this.mirror.unheard();
    this.surfaces.unheard();
  }

  /** Nothing that was said or shown is kept. */
  forget(): void {
    this.mirror.forget();
    this.surfaces.forget();
  }

  stop(): void {
    this.surfaces.stop();
    this.mirror.stop();
    this.board.stop();
  }

  private *states(more: Iterable<readonly [string, Look]>): Generator<readonly [string, Look]> {
    yield* this.mirror.states();
    yield* this.surfaces.states();
    yield* more;
  }
}
