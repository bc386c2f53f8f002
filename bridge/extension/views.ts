// What open `custom` dialogs draw. It is for looking at: who answers does so at the terminal.

import type { Board, Look } from "./board.ts";
import type { Frame, Recorder } from "./components.ts";
import { asField, bounded } from "./drawn.ts";
import { follow, guard, isPromise } from "./guard.ts";
import { field } from "./pi.ts";
import type { View as Message } from "./protocol.ts";
import type { Callable } from "./registry.ts";
import { by } from "./sources.ts";

/** Pi's marks around a caret: where one is, somebody types. */
const CARET = /\x1b_pi:\/?f?c\x07/;

/** What the views need of the session around them. */
export interface Around {
  readonly board: Board;
  readonly recorder: Recorder;
  /** Whether Pi's text fields tell that they are drawn, and the keys of the terminal are seen. */
  sees(): boolean;
  /** Lines that were drawn are about to be told: their colours must be known. */
  drawn(): void;
}

/** One dialog, from before Pi has it. */
export class View {
  id: string | undefined;
  frame: Frame | undefined;
  /** The daemon has been told of the dialog: before that a view says nothing. */
  isOffered = false;
  /** Once somebody has typed, what was typed may be shown to the end. */
  typing = false;
  leave: (() => void) | undefined;
  readonly overlay: boolean;
  readonly source: string | undefined;

  constructor(overlay: boolean, source: string | undefined) {
    this.overlay = overlay;
    this.source = source;
  }

  look(): { message: Message } | undefined {
    const { id, frame, overlay, typing, source } = this;
    if (id === undefined || frame === undefined || !this.isOffered) return undefined;
    const { lines, truncated } = bounded(frame);
    return { message: { type: "view", id, lines, width: frame.width, overlay, typing, ...by(source), ...asField(truncated) } };
  }
}

export class Views {
  private readonly around: Around;
  private readonly open = new Map<string, View>();

  constructor(around: Around) {
    this.around = around;
  }

  /** For a call of `custom(factory, options)`: the factory for Pi, and its view; undefined where there is nothing to look at. */
  prepare(factory: unknown, options: unknown, source: string | undefined): { factory: Callable; view: View } | undefined {
    if (typeof factory !== "function") return undefined;
    const view = new View(Boolean(field(options, "overlay")), source);
    const made = (component: unknown): void => this.made(view, component);
    const wrapped = function (this: unknown, ...given: unknown[]): unknown {
      const component: unknown = Reflect.apply(factory as Callable, this, given);
      if (isPromise(component)) follow(component, "view.made", (outcome) => "value" in outcome && made(outcome.value));
      else guard("view.made", () => made(component), undefined);
      return component;
    };
    return { factory: wrapped, view };
  }

  /** The dialog is offered under this id. */
  opened(id: string, view: View): void {
    view.id = id;
    this.open.set(id, view);
    if (view.frame !== undefined) this.tell(view);
  }

  /** A key that is text was pressed while dialogs are open. */
  typed(): void {
    for (const view of this.open.values()) view.typing = true;
  }

  /** The dialog is about to be settled: what it drew last is told before. */
  closing(id: string): void {
    const view = this.open.get(id);
    if (view === undefined) return;
    view.leave?.();
    this.around.board.close(`view:${id}`);
    this.open.delete(id);
  }

  /** By key, what a daemon is to be told. */
  *states(): Generator<readonly [string, Look]> {
    for (const [id, view] of this.open) yield [`view:${id}`, () => view.look()];
  }

  forget(): void {
    for (const { leave } of this.open.values()) leave?.();
    this.open.clear();
  }

  private made(view: View, component: unknown): void {
    view.leave = this.around.recorder.watch(component, (frame, isNew) => {
      if (!isNew) return;
      view.frame = frame;
      view.typing ||= frame.hasField || !this.around.sees() || frame.kept.some((line) => typeof line === "string" && CARET.test(line));
      if (view.id !== undefined && this.open.has(view.id)) this.tell(view);
    });
  }

  private tell(view: View): void {
    this.around.board.put(`view:${view.id}`, () => view.look(), { apart: true, before: () => this.around.drawn() });
  }
}
