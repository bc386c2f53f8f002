// The row that says that Pi works, the words for hidden thinking, and whether tools show all of their output.

import type { Board, Look } from "./board.ts";
import { INDICATOR_FRAMES, INDICATOR_FRAME_BYTES, INDICATOR_MS_LEAST, INDICATOR_MS_MOST, TEXT_BYTES } from "./limits.ts";
import { call, field } from "./pi.ts";
import type { WorkingRow } from "./protocol.ts";
import { cut } from "./text.ts";

export class Ambient {
  private readonly board: Board;
  private readonly ui: () => unknown;
  private message: string | null = null;
  private visible = true;
  private frames: readonly string[] | null = null;
  private intervalMs: number | null = null;
  private label: string | null = null;
  private expanded: boolean | undefined;

  /** `ui` gives the session's `ctx.ui`, as far as there is one. */
  constructor(board: Board, ui: () => unknown) {
    this.board = board;
    this.ui = ui;
  }

  /** A method of `ctx.ui` was called with this as its argument, and has returned. */
  told(method: string, value: unknown): void {
    switch (method) {
      case "setWorkingMessage":
        this.message = textOrNull(value);
        return this.board.put("working_row", () => this.row());
      case "setWorkingVisible":
        this.visible = Boolean(value);
        return this.board.put("working_row", () => this.row());
      case "setWorkingIndicator":
        this.setIndicator(value);
        return this.board.put("working_row", () => this.row());
      case "setHiddenThinkingLabel":
        this.label = textOrNull(value);
        return this.board.put("thinking_label", () => this.thinking());
      case "setToolsExpanded":
        return this.look(Boolean(value));
    }
  }

  /** Whether tools show all may have changed: a person has a key for it. `set` is what an extension has set, if it did. */
  look(set?: boolean): void {
    const shown = call(this.ui(), "getToolsExpanded") ?? set;
    if (typeof shown !== "boolean" || shown === this.expanded) return;
    this.expanded = shown;
    this.board.put("tools_expanded", () => this.tools());
  }

  /** By key, what a daemon is to be told. */
  *states(): Generator<readonly [string, Look]> {
    yield ["working_row", () => this.row()];
    yield ["thinking_label", () => this.thinking()];
    yield ["tools_expanded", () => this.tools()];
  }

  forget(): void {
    this.message = null;
    this.visible = true;
    this.frames = null;
    this.intervalMs = null;
    this.label = null;
    this.expanded = undefined;
  }

  private setIndicator(options: unknown): void {
    const frames = field(options, "frames");
    const interval = field(options, "intervalMs");
    // A copy: what an author does to the array later shows in the terminal, and not here.
    this.frames = Array.isArray(frames) ? frames.slice(0, INDICATOR_FRAMES).map(String) : null;
    const isTime = typeof interval === "number" && Number.isFinite(interval);
    this.intervalMs = isTime ? Math.round(Math.min(Math.max(interval, INDICATOR_MS_LEAST), INDICATOR_MS_MOST)) : null;
  }

  private row(): ReturnType<Look> {
    const { message, visible, frames, intervalMs } = this;
    const row: WorkingRow = {
      type: "working_row",
      message: fitting(message),
      visible,
      frames: frames && frames.map((frame) => cut(frame, INDICATOR_FRAME_BYTES).text),
      intervalMs,
    };
    return { message: row, isDefault: row.message === null && visible && frames === null && intervalMs === null };
  }

  private thinking(): ReturnType<Look> {
    const label = fitting(this.label);
    return { message: { type: "thinking_label", label }, isDefault: label === null };
  }

  private tools(): ReturnType<Look> {
    const { expanded } = this;
    return expanded === undefined ? undefined : { message: { type: "tools_expanded", expanded } };
  }
}

function textOrNull(value: unknown): string | null {
  return value === undefined || value === null ? null : String(value);
}

function fitting(text: string | null): string | null {
  return text === null ? null : cut(text, TEXT_BYTES).text;
}
