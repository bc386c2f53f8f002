// The widgets of extensions: lines as they were given, or as the terminal draws their components.

import type { Board, Look, State } from "./board.ts";
import type { Frame, Recorder } from "./components.ts";
import { asField, bounded, linesOf, type Lines } from "./drawn.ts";
import { KEY_BYTES, WIDGETS } from "./limits.ts";
import { isNative, nativeOf, type Native } from "./native.ts";
import { field, isObject } from "./pi.ts";
import type { Placement, Widget } from "./protocol.ts";
import type { Callable } from "./registry.ts";
import { by, type Looks } from "./sources.ts";
import type { Step } from "./step.ts";
import { cut } from "./text.ts";

/** What is under a key. */
interface Entry {
  readonly placement: Placement;
  readonly source: string | undefined;
  /** The lines that were given; of a component, what the terminal drew last. */
  lines: Lines | undefined;
  width: number | null;
  /** The component, where it has something to say about itself. */
  speaker?: object;
  native?: Native;
  leave?: () => void;
}

/** What the widgets need of the session around them. */
export interface Around {
  readonly board: Board;
  readonly recorder: Recorder;
  readonly sources: Looks;
  /** Lines that were drawn are about to be told: their colours must be known. */
  drawn(): void;
  /** There were more keys than are kept. */
  gaveWay(): void;
}

export class Widgets {
  private readonly around: Around;
  private readonly entries = new Map<string, Entry>();

  constructor(around: Around) {
    this.around = around;
  }

  /** A call of `setWidget(key, content, options)`. */
  step(args: unknown[]): Step {
    const [name, content, options] = args;
    const key = cut(name, KEY_BYTES).text;
    const placement = field(options, "placement") === "belowEditor" ? "belowEditor" : "aboveEditor";
    const source = this.around.sources.look(this.entries.get(key)?.source);
    const entry: Entry = { placement, source, lines: undefined, width: null };
    if (typeof content === "function") {
      const made = { component: undefined as unknown, isMade: false };
      const factory = function (this: unknown, ...given: unknown[]): unknown {
        made.component = Reflect.apply(content as Callable, this, given);
        made.isMade = true;
        return made.component;
      };
      const done = (): void => (made.isMade ? this.live(key, entry, made.component) : undefined);
      return { args: args.with(1, factory), done, failed: () => this.remove(key) };
    }
    if (!Array.isArray(content)) return { args, done: () => this.remove(key), failed: () => this.remove(key) };
    entry.lines = linesOf(content);
    return { args, done: () => this.keep(key, entry) };
  }

  /** By key, what a daemon is to be told. */
  *states(): Generator<readonly [string, Look]> {
    // A component that is asked may set a widget.
    for (const [key, entry] of [...this.entries]) {
      this.ask(entry);
      yield [`widget:${key}`, () => this.look(key, entry.placement)];
    }
  }

  forget(): void {
    for (const { leave } of this.entries.values()) leave?.();
    this.entries.clear();
  }

  /** Pi shows this component under the key. Until it has drawn it, what was there before stands. */
  private live(key: string, entry: Entry, component: unknown): void {
    const seen = (frame: Frame, isNew: boolean): void => {
      if (isNew) {
        // What a person types into it is not for everybody, and a widget is.
        entry.lines = frame.hasField ? { kept: [], total: frame.total } : frame;
        entry.width = frame.width;
      }
      if ((isNew || entry.speaker !== undefined) && this.entries.get(key) === entry) this.tell(key, entry, true);
    };
    const leave = this.around.recorder.watch(component, seen);
    if (leave !== undefined) entry.leave = leave;
    if (isObject(component) && isNative(component)) entry.speaker = component;
    // Of what cannot be watched nothing is known; what it replaced is gone all the same.
    if (leave === undefined && entry.speaker === undefined) return this.remove(key);
    if (leave === undefined) entry.lines = linesOf([]);
    this.keep(key, entry);
  }

  private keep(key: string, entry: Entry): void {
    const before = this.entries.get(key);
    // Set anew, a key counts as touched: it goes to the end.
    this.entries.delete(key);
    this.entries.set(key, entry);
    // Only now: a component that comes again stays under watch.
    before?.leave?.();
    if (entry.lines !== undefined) this.tell(key, entry, entry.speaker !== undefined);
    const [oldest] = this.entries.keys();
    if (this.entries.size <= WIDGETS || oldest === undefined) return;
    this.remove(oldest);
    this.around.gaveWay();
  }

  private remove(key: string): void {
    const before = this.entries.get(key);
    if (before === undefined) return;
    this.entries.delete(key);
    before.leave?.();
    this.around.board.remove(`widget:${key}`, () => this.look(key, before.placement));
  }

  private tell(key: string, entry: Entry, apart: boolean): void {
    const before = (): void => this.ask(this.entries.get(key));
    this.around.board.put(`widget:${key}`, () => this.look(key, entry.placement), { apart, before });
  }

  /** Has the component speak, which it must not do in the middle of Pi's frame. */
  private ask(entry: Entry | undefined): void {
    if (entry === undefined) return;
    if (entry.width !== null) this.around.drawn();
    const { speaker } = entry;
    if (speaker !== undefined) entry.native = this.around.recorder.hush(() => nativeOf(speaker));
  }

  private look(key: string, placement: Placement): State | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return { message: { type: "widget", key, placement, lines: null, width: null }, isDefault: true };
    if (entry.lines === undefined) return undefined;
    const { lines, truncated } = bounded(entry.lines);
    const { native, nativeError, truncated: cuts = [] } = entry.native ?? {};
    const message: Widget = {
      type: "widget",
      key,
      placement: entry.placement,
      lines,
      width: entry.width,
      ...(native !== undefined && { native }),
      ...(nativeError !== undefined && { nativeError }),
      ...by(entry.source),
      ...asField([...truncated, ...cuts]),
    };
    return { message };
  }
}
