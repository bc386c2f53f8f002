// Pi's own components, of which the dialog of ask is made, and what Pi hands to a component of an extension.

import { field, isObject } from "./pi.ts";

export interface Component {
  render(width: number): string[];
  invalidate(): void;
}

export interface Box extends Component {
  addChild(child: Component): void;
  clear(): void;
}

export interface Line extends Component {
  focused: boolean;
  onSubmit?: (value: string) => void;
  getValue(): string;
  setValue(value: string): void;
  handleInput(data: string): void;
}

export interface Kit {
  readonly Container: new () => Box;
  readonly Text: new (text: string, paddingX: number, paddingY: number) => Component;
  readonly Spacer: new (lines: number) => Component;
  readonly Input: new () => Line;
  readonly DynamicBorder: new (color: (text: string) => string) => Component;
  readonly matchesKey: (data: string, key: string) => boolean;
  readonly visibleWidth: (text: string) => number;
  readonly truncateToWidth: (text: string, columns: number, ellipsis: string) => string;
}

export interface Theme {
  fg(token: string, text: string): string;
  bold(text: string): string;
}

export interface Keys {
  matches(data: string, name: string): boolean;
  getKeys?(name: string): string[];
}

export interface Screen {
  requestRender(): void;
}

/** The components, from the modules that Pi shares with extensions; undefined when one is missing. */
export function kitOf(tui: unknown, host: unknown): Kit | undefined {
  const found = { DynamicBorder: field(host, "DynamicBorder") };
  for (const name of ["Container", "Text", "Spacer", "Input", "matchesKey", "visibleWidth", "truncateToWidth"]) Reflect.set(found, name, field(tui, name));
  const isWhole = Object.values(found).every((part) => isObject(part) && typeof part === "function");
  return isWhole ? (found as unknown as Kit) : undefined;
}

/** What `component` draws, within `width` columns: for a line that is wider Pi throws in a frame of its own, and ends. */
export function drawnWithin(kit: Kit, component: Component, width: number): string[] {
  // Pi's own components have lines that are too wide where there is room for hardly anything.
  return component.render(width).map((line) => (kit.visibleWidth(line) <= width ? line : kit.truncateToWidth(line, width, "")));
}
