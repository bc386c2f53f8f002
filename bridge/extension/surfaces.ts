// Everything that extensions show besides dialogs, statuses and notifications: what they set, and what the terminal draws of it.

import { Ambient } from "./ambient.ts";
import type { Board, Look, Sink } from "./board.ts";
import { Recorder } from "./components.ts";
import { every, guard, type Timer } from "./guard.ts";
import { Handoffs } from "./handoff.ts";
import { LOOK_MS } from "./limits.ts";
import type { Member } from "./members.ts";
import { Colours } from "./palette.ts";
import { Regions } from "./regions.ts";
import type { Looks } from "./sources.ts";
import { performed, type Call } from "./step.ts";
import { Views } from "./views.ts";
import { Widgets } from "./widgets.ts";

/** What the surfaces need of the session around them. */
export interface Around {
  readonly sink: Sink;
  readonly board: Board;
  readonly sources: Looks;
  /** The session's `ctx.ui`, as far as there is one. */
  ui(): unknown;
  /** Whether Pi's text fields tell that they are drawn, and the keys of the terminal are seen. */
  sees(): boolean;
  /** There were more widgets than are kept. */
  gaveWay(): void;
}

export class Surfaces {
  readonly views: Views;
  private readonly recorder = new Recorder();
  private readonly colours: Colours;
  private readonly ambient: Ambient;
  private readonly widgets: Widgets;
  private readonly regions: Regions;
  private readonly handoffs: Handoffs;
  private timer: Timer | undefined;

  constructor({ sink, board, sources, ui, sees, gaveWay }: Around) {
    const { recorder } = this;
    const drawn = (): void => this.colours.look();
    this.colours = new Colours(board, ui);
    this.ambient = new Ambient(board, ui);
    this.widgets = new Widgets({ board, recorder, sources, drawn, gaveWay });
    this.regions = new Regions({ board, recorder, sources, drawn });
    this.views = new Views({ board, recorder, sees, drawn });
    this.handoffs = new Handoffs(sink, sources);
  }

  /** A method of `ctx.ui` was called. Calls `original` exactly once; throws only what that throws. */
  intercept(method: Member, call: Call): unknown {
    const { args } = call;
    switch (method) {
      case "setWidget":
        return performed("ui.drawn", () => this.widgets.step(args), call);
      case "setHeader":
        return performed("ui.drawn", () => this.regions.step("header", args), call);
      case "setFooter":
        return performed("ui.drawn", () => this.regions.step("footer", args), call);
      case "setEditorText":
      case "pasteToEditor":
        return performed("ui.told", () => ({ args, done: () => this.handoffs.add(args[0], method === "pasteToEditor") }), call);
      case "setTheme":
        return performed("ui.told", () => ({ args, done: () => this.colours.look() }), call);
      default:
        return performed("ui.told", () => ({ args, done: () => this.ambient.told(method, args[0]) }), call);
    }
  }

  /** A text field of Pi's is drawn. */
  field(): void {
    this.recorder.field();
  }

  /** Looks from now on at what Pi does not tell. */
  start(): void {
    guard("surface.look", () => this.look(), undefined);
    this.timer ??= every(LOOK_MS, "surface.look", () => this.look());
  }

  stop(): void {
    this.timer?.cancel();
    this.timer = undefined;
    this.handoffs.stop();
    this.widgets.forget();
    this.regions.forget();
    this.views.forget();
  }

  /** By key, what a daemon is to be told; colours before the lines that have them. */
  *states(): Generator<readonly [string, Look]> {
    guard("surface.look", () => this.look(), undefined);
    yield* this.colours.states();
    yield* this.widgets.states();
    yield* this.regions.states();
    yield* this.views.states();
    yield* this.ambient.states();
  }

  tellOnce(say: Sink["put"]): void {
    this.handoffs.tellOnce(say);
  }

  /** No daemon listens. */
  unheard(): void {
    this.handoffs.unheard();
  }

  /** Nothing that was shown is kept. */
  forget(): void {
    this.unheard();
    this.widgets.forget();
    this.regions.forget();
    this.views.forget();
    this.ambient.forget();
  }

  private look(): void {
    this.colours.look();
    this.ambient.look();
  }
}
