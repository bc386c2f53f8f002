// Pi's components as far as the dialog of ask needs them: what is added is kept, and its text is what is drawn.
import type { Box, Component, Kit, Line } from "../../../bridge/extension/kit.ts";

class FakeText implements Component {
  private readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  render(): string[] {
    return this.text.split("\n");
  }
  invalidate(): void {}
}

class FakeBox implements Box {
  private children: Component[] = [];
  addChild(child: Component): void {
    this.children.push(child);
  }
  clear(): void {
    this.children = [];
  }
  render(width: number): string[] {
    return this.children.flatMap((child) => child.render(width));
  }
  invalidate(): void {}
}

class FakeInput implements Line {
  focused = false;
  onSubmit?: (value: string) => void;
  private value = "";
  getValue(): string {
    return this.value;
  }
  setValue(value: string): void {
    this.value = value;
  }
  handleInput(data: string): void {
    if (data === "\r") this.onSubmit?.(this.value);
    else this.value += data;
  }
  render(): string[] {
    return [`> ${this.value}`];
  }
  invalidate(): void {}
}

class FakeSpacer extends FakeText {
  constructor() {
    super("");
  }
}

class FakeBorder extends FakeText {
  constructor() {
    super("────");
  }
}

const KEYS: Record<string, string> = { space: " ", tab: "\t", "shift+tab": "\u001b[Z" };

export const KIT: Kit = {
  Container: FakeBox,
  Text: FakeText,
  Spacer: FakeSpacer,
  Input: FakeInput,
  DynamicBorder: FakeBorder,
  matchesKey: (data, key) => KEYS[key] === data,
  // No text is wrapped here, so none is too wide; widths.test.ts has Pi's own.
  visibleWidth: () => 0,
  truncateToWidth: (text) => text,
};
