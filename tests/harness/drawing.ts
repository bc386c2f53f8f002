// Components as extensions write them, good and bad, from arguments that have a JSON form.
import type { ExtensionContext } from "@mariozechner/pi-coding-agent";
import { Editor, type TUI } from "@mariozechner/pi-tui";

type Theme = ExtensionContext["ui"]["theme"];

/** What a component draws, and how it behaves. */
export interface Drawing {
  /** `{token}…{/}` in a line has that colour of the theme; {count, of, times} is so many of the same, each so often `of`. */
  lines?: string[] | { count: number; of: string; times?: number };
  /** It draws another line, "tick N", every so many ms, so often at most. */
  every?: number;
  ticks?: number;
  /** What `renderNative` returns; a text is what it throws. */
  native?: unknown;
  /** What `render` returns in the place of lines. */
  returns?: unknown;
  /** `render` throws this once it has drawn so often. */
  throwsAfter?: number;
  /** It has a text field of Pi's with this text. */
  field?: string;
  /** Pi's mark of a caret stands behind the last line. */
  caret?: boolean;
  /** It keeps what it drew first, whatever the width. */
  blind?: boolean;
  /** A line tells how often it was drawn. */
  counts?: boolean;
  /** The object cannot be changed. */
  frozen?: boolean;
}

export const linesOf = ({ lines = [] }: Drawing): string[] =>
  Array.isArray(lines) ? lines : Array<string>(lines.count).fill(lines.of.repeat(lines.times ?? 1));

const COLOURED = /\{(\w+)\}(.*?)\{\/\}/gu;
const CARET = "\x1b_pi:c\x07";

class Drawn {
  private readonly tui: TUI;
  private readonly theme: Theme;
  private readonly drawing: Drawing;
  private readonly done: ((value: unknown) => void) | undefined;
  private readonly field: Editor | undefined;
  private readonly timer: NodeJS.Timeout | undefined;
  private ticks = 0;
  private times = 0;
  private kept: string[] | undefined;

  constructor(tui: TUI, theme: Theme, drawing: Drawing, done?: (value: unknown) => void) {
    this.tui = tui;
    this.theme = theme;
    this.drawing = drawing;
    this.done = done;
    const { every, field } = drawing;
    if (every !== undefined) this.timer = setInterval(() => this.tick(), every);
    if (field === undefined) return;
    const plain = (text: string) => text;
    const list = { selectedPrefix: plain, selectedText: plain, description: plain, scrollInfo: plain, noMatch: plain };
    this.field = new Editor(tui, { borderColor: plain, selectList: list });
    this.field.setText(field);
  }

  render(width: number): string[] {
    const { returns, blind, throwsAfter } = this.drawing;
    this.times += 1;
    if (throwsAfter !== undefined && this.times > throwsAfter) throw new Error("no lines today");
    if (returns !== undefined) return returns as string[];
    if (blind && this.kept !== undefined) return this.kept;
    this.kept = this.draw(width);
    return this.kept;
  }

  invalidate(): void {
    this.kept = undefined;
  }

  dispose(): void {
    clearInterval(this.timer);
  }

  handleInput(data: string): void {
    if (data === "\r") this.done?.("done");
    else if (data === "\x1b") this.done?.(undefined);
    else this.field?.handleInput(data);
    this.kept = undefined;
    this.tui.requestRender();
  }

  private draw(width: number): string[] {
    const { every, counts, caret } = this.drawing;
    const lines = linesOf(this.drawing).map((line) =>
      line.replace(COLOURED, (_, token: string, text: string) => this.theme.fg(token as Parameters<Theme["fg"]>[0], text)),
    );
    if (every !== undefined) lines.push(`tick ${this.ticks}`);
    if (counts) lines.push(`drawn ${this.times} times`);
    if (caret) lines.push(`${lines.pop() ?? ""}${CARET}`);
    return this.field === undefined ? lines : [...lines, ...this.field.render(width)];
  }

  private tick(): void {
    this.ticks += 1;
    if (this.ticks === this.drawing.ticks) clearInterval(this.timer);
    this.kept = undefined;
    this.tui.requestRender();
  }
}

type Component = Pick<Drawn, "render" | "invalidate" | "dispose" | "handleInput">;

export function component(tui: TUI, theme: Theme, drawing: Drawing, done?: (value: unknown) => void): Component {
  const drawn = new Drawn(tui, theme, drawing, done);
  const { native, frozen } = drawing;
  if (native !== undefined) {
    const renderNative = (): unknown => {
      if (typeof native === "string") throw new Error(native);
      return native;
    };
    Object.assign(drawn, { renderNative });
  }
  if (!frozen) return drawn;
  return Object.freeze({
    render: (width: number) => drawn.render(width),
    invalidate: () => drawn.invalidate(),
    dispose: () => drawn.dispose(),
    handleInput: (data: string) => drawn.handleInput(data),
  });
}
