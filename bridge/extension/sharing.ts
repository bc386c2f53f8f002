// `/mirrord screen on` and `off`: whether the person lets this terminal's screen be seen. The screen itself is another program's matter.

import type { Board, Look } from "./board.ts";
import type { ScreenView } from "./protocol.ts";
import type { Registry } from "./registry.ts";

const KEY = "screen_share";
const ON = "/mirrord screen off ends that";
const OFF = "/mirrord screen on shares it";

export class Sharing {
  private readonly shared: Registry;
  private readonly board: Board;
  /** What the daemon says; undefined while none hears us. */
  private view: ScreenView | undefined;

  constructor(shared: Registry, board: Board) {
    this.shared = shared;
    this.board = board;
  }

  /** The person wants it so; says how it is now. */
  choose(on: boolean): string {
    if (on && this.view?.followed === false) return "The screen of this Pi cannot be shared, because it was not started with `mirrord pi`.";
    this.shared.screen = on;
    this.board.put(KEY, () => ({ message: { type: KEY, on } }));
    this.board.flush(KEY);
    return on ? `The screen is shared with devices that may answer; what you type is left out. ${ON}.` : `The screen is not shared. ${OFF}.`;
  }

  told(view: ScreenView): void {
    this.view = view;
  }

  /** No daemon hears us. */
  lost(): void {
    this.view = undefined;
  }

  *states(): Generator<readonly [string, Look]> {
    const on = this.shared.screen;
    if (on !== undefined) yield [KEY, () => ({ message: { type: KEY, on } })];
  }

  /** A line of the status; undefined where nobody follows the screen. */
  line(): string | undefined {
    if (this.view?.followed !== true) return undefined;
    const { shared, watchers } = this.view;
    if (!shared) return `The screen is not shared; ${OFF}.`;
    const seen = watchers === 0 ? "nobody watches it now" : watchers === 1 ? "1 device watches it" : `${watchers} devices watch it`;
    return `The screen is shared with devices that may answer, and ${seen}; ${ON}.`;
  }
}
