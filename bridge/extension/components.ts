// What the terminal draws of an extension's components. Nothing is drawn for us: a component may keep what it drew, and would show a
// person lines that were made for somebody else. So `render` notes what it returns whenever Pi calls it, and changes nothing.

import { linesOf, type Lines } from "./drawn.ts";
import { guard } from "./guard.ts";
import { field, isObject } from "./pi.ts";
import type { Callable } from "./registry.ts";

/** What the terminal drew of a component. */
export interface Frame extends Lines {
  /** In columns. */
  readonly width: number;
  /** A text field of Pi's has been drawn in the component, in this frame or before. */
  readonly hasField: boolean;
}

/** Is called in the middle of Pi's frame. `isNew` is false for a frame like the one before. */
export type Seen = (frame: Frame, isNew: boolean) => void;

interface Recording {
  readonly watchers: Set<Seen>;
  readonly restore: () => void;
  frame: Frame | undefined;
  hasField: boolean;
  /** How many calls of `render` are in progress: a component may call its own. */
  depth: number;
}

export class Recorder {
  private readonly recordings = new WeakMap<object, Recording>();
  /** What is being drawn, outermost first. */
  private readonly drawing: Recording[] = [];
  private hushed = 0;

  /** Calls `seen` with each frame, until the function that it returns is called; undefined where that cannot be done. */
  watch(component: unknown, seen: Seen): (() => void) | undefined {
    if (!isObject(component)) return undefined;
    const recording = this.recordings.get(component) ?? this.record(component);
    if (recording === undefined) return undefined;
    recording.watchers.add(seen);
    if (recording.frame !== undefined) seen(recording.frame, true);
    return () => this.leave(component, recording, seen);
  }

  /** A text field of Pi's is drawn. */
  field(): void {
    for (const recording of this.drawing) recording.hasField = true;
  }

  /** What `run` draws is not for the terminal. */
  hush<T>(run: () => T): T {
    this.hushed += 1;
    try {
      return run();
    } finally {
      this.hushed -= 1;
    }
  }

  private record(component: object): Recording | undefined {
    const original = field(component, "render");
    if (typeof original !== "function") return undefined;
    const restore = replaced(component, (self, args) => this.draw(recording, () => Reflect.apply(original as Callable, self, args), args[0]));
    if (restore === undefined) return undefined;
    const recording: Recording = { watchers: new Set(), restore, frame: undefined, hasField: false, depth: 0 };
    this.recordings.set(component, recording);
    return recording;
  }

  /** What `render` returns, itself; throws what it throws. */
  private draw(recording: Recording, render: () => unknown, width: unknown): unknown {
    if (this.hushed > 0) return render();
    let lines: unknown;
    this.drawing.push(recording);
    recording.depth += 1;
    try {
      lines = render();
    } finally {
      recording.depth -= 1;
      this.drawing.pop();
    }
    if (recording.depth === 0) guard("component.frame", () => note(recording, width, lines), undefined);
    return lines;
  }

  private leave(component: object, recording: Recording, seen: Seen): void {
    recording.watchers.delete(seen);
    if (recording.watchers.size > 0) return;
    recording.restore();
    this.recordings.delete(component);
  }
}

/** Puts `draw` in the place of the component's `render`, and returns how to take it out; undefined where the object does not allow that. */
function replaced(component: object, draw: (self: unknown, args: unknown[]) => unknown): (() => void) | undefined {
  const own = Reflect.getOwnPropertyDescriptor(component, "render");
  // Behind a getter there may be another function each time.
  if (own !== undefined && !("value" in own)) return undefined;
  const render = function (this: unknown, ...args: unknown[]): unknown {
    return draw(this, args);
  };
  // A copy of the component must not have our function as its own where the original has none.
  const ours = own === undefined ? { enumerable: false, configurable: true, writable: true } : own;
  if (!Reflect.defineProperty(component, "render", { ...ours, value: render })) return undefined;
  return () => {
    if (Reflect.getOwnPropertyDescriptor(component, "render")?.value !== render) return;
    if (own === undefined) Reflect.deleteProperty(component, "render");
    else Reflect.defineProperty(component, "render", own);
  };
}

function note(recording: Recording, width: unknown, lines: unknown): void {
  if (!Array.isArray(lines) || typeof width !== "number" || !Number.isSafeInteger(width) || width < 0) return;
  const { frame, hasField } = recording;
  const isNew = frame === undefined || frame.width !== width || frame.hasField !== hasField || !isSame(frame, lines);
  if (isNew) recording.frame = { width, hasField, ...linesOf(lines) };
  if (recording.frame !== undefined) for (const seen of [...recording.watchers]) seen(recording.frame, isNew);
}

function isSame({ kept, total }: Lines, lines: readonly unknown[]): boolean {
  return total === lines.length && kept.every((line, at) => line === lines[at]);
}
