// What extensions put in the place of Pi's header and footer, as the terminal draws it.

import type { Board, Look, State } from "./board.ts";
import type { Frame, Recorder } from "./components.ts";
import { asField, bounded } from "./drawn.ts";
import type { RegionName } from "./protocol.ts";
import type { Callable } from "./registry.ts";
import { by, type Looks } from "./sources.ts";
import type { Step } from "./step.ts";

interface Entry {
  readonly source: string | undefined;
  frame: Frame | undefined;
  leave: (() => void) | undefined;
}

/** What the regions need of the session around them. */
export interface Around {
  readonly board: Board;
  readonly recorder: Recorder;
  readonly sources: Looks;
  /** Lines that were drawn are about to be told: their colours must be known. */
  drawn(): void;
}

export class Regions {
  private readonly around: Around;
  private readonly entries = new Map<RegionName, Entry>();

  constructor(around: Around) {
    this.around = around;
  }

  /** A call of `setHeader(factory)` or `setFooter(factory)`. */
  step(name: RegionName, args: unknown[]): Step {
    const [factory] = args;
    if (typeof factory !== "function") return { args, done: () => this.set(name, undefined) };
    const source = this.around.sources.look(this.entries.get(name)?.source);
    // Pi that starts has no header yet, and then does not call it.
    let made: { readonly component: unknown } | undefined;
    const wrapped = function (this: unknown, ...given: unknown[]): unknown {
      const component: unknown = Reflect.apply(factory as Callable, this, given);
      made = { component };
      return component;
    };
    return { args: args.with(0, wrapped), done: () => (made === undefined ? undefined : this.live(name, source, made.component)) };
  }

  /** By key, what a daemon is to be told. */
  *states(): Generator<readonly [string, Look]> {
    for (const name of this.entries.keys()) yield [`region:${name}`, () => this.look(name)];
  }

  forget(): void {
    for (const { leave } of this.entries.values()) leave?.();
    this.entries.clear();
  }

  private live(name: RegionName, source: string | undefined, component: unknown): void {
    const entry: Entry = { source, frame: undefined, leave: undefined };
    entry.leave = this.around.recorder.watch(component, (frame, isNew) => {
      if (!isNew) return;
      entry.frame = frame;
      if (this.entries.get(name) === entry) this.tell(name);
    });
    // Of what cannot be watched nothing is known; what it replaced is gone all the same.
    this.set(name, entry.leave === undefined ? undefined : entry);
  }

  private set(name: RegionName, entry: Entry | undefined): void {
    const before = this.entries.get(name);
    if (entry === undefined) this.entries.delete(name);
    else this.entries.set(name, entry);
    before?.leave?.();
    if (entry === undefined || entry.frame !== undefined) this.tell(name);
  }

  private tell(name: RegionName): void {
    this.around.board.put(`region:${name}`, () => this.look(name), { apart: true, before: () => this.around.drawn() });
  }

  private look(name: RegionName): State | undefined {
    const entry = this.entries.get(name);
    if (entry === undefined) return { message: { type: "region", name, lines: null, width: null }, isDefault: true };
    if (entry.frame === undefined) return undefined;
    const { width, hasField, total } = entry.frame;
    // What a person types into it is not for everybody, and a region is.
    const { lines, truncated } = bounded(hasField ? { kept: [], total } : entry.frame);
    return { message: { type: "region", name, lines, width, ...by(entry.source), ...asField(truncated) } };
  }
}
