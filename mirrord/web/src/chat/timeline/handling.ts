/** Rows under a pointer, a finger and the keyboard. */

import { signal, type ReadonlySignal } from "@preact/signals";
import { useMemo, useState } from "preact/hooks";
import type { Item } from "../rows/model.ts";
import type { Virtual } from "./useVirtual.ts";

type Ref = { readonly current: HTMLElement | null };

/** The row that a node is in. */
function rowOf(node: EventTarget | Node | null): HTMLElement | undefined {
  const element = node instanceof Element ? node : node instanceof Node ? node.parentElement : null;
  return element?.closest<HTMLElement>("[data-key]") ?? undefined;
}

/** What a press on means something of its own. */
const CONTROLS = "a, button, input, textarea, select, summary";

export interface Active {
  readonly key: ReadonlySignal<string | undefined>;
  readonly handlers: {
    readonly onPointerOver: (event: PointerEvent) => void;
    readonly onPointerLeave: (event: PointerEvent) => void;
    readonly onFocusIn: (event: FocusEvent) => void;
    readonly onFocusOut: (event: FocusEvent) => void;
    readonly onClick: (event: MouseEvent) => void;
  };
}

/** The row that a mouse is over, that has the focus, or that was tapped: a finger has nothing to hover with. */
export function useActive(): Active {
  const [key] = useState(() => signal<string | undefined>(undefined));
  return useMemo(() => {
    // A finger's first press on a row shows, the next one hides; that it also moves the focus there says nothing.
    let tapped: string | undefined;
    return {
      key,
      handlers: {
        onPointerOver: (event) => {
          if (event.pointerType !== "mouse") return;
          tapped = undefined;
          key.value = rowOf(event.target)?.dataset["key"];
        },
        onPointerLeave: (event) => {
          if (event.pointerType === "mouse") key.value = undefined;
        },
        onFocusIn: (event) => void (key.value = rowOf(event.target)?.dataset["key"]),
        onFocusOut: (event) => {
          if (rowOf(event.relatedTarget) === undefined) key.value = tapped = undefined;
        },
        onClick: (event) => {
          if (!(event instanceof PointerEvent) || event.pointerType === "mouse") return;
          const selection = document.getSelection();
          if ((event.target instanceof Element && event.target.closest(CONTROLS) !== null) || (selection !== null && !selection.isCollapsed)) return;
          const pressed = rowOf(event.target)?.dataset["key"];
          key.value = tapped = tapped === pressed ? undefined : pressed;
        },
      },
    };
  }, [key]);
}

export interface Arrows {
  /** The row that Tab leads to. */
  readonly stop: string | undefined;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** From row to row with the arrow keys, and to the composer; one row is a stop for Tab: the last, until another was gone to. */
export function useArrows(list: Ref, items: readonly Item[], virtual: Virtual): Arrows {
  const [chosen, choose] = useState<string>();
  const isShown = virtual.items.some(({ index }) => items[index]?.key === chosen);
  const onKeyDown = (event: KeyboardEvent): void => {
    // Out of the feed, past all that can be pressed in its rows.
    if (event.key === "End" && (event.ctrlKey || event.metaKey)) {
      const field = document.querySelector<HTMLElement>(".composer-field");
      if (field !== null) event.preventDefault();
      return field?.focus({ preventScroll: true });
    }
    const row = rowOf(event.target);
    if (row === undefined || row !== event.target || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const from = items.findIndex(({ key }) => key === row.dataset["key"]);
    const to = event.key === "ArrowDown" ? from + 1 : event.key === "ArrowUp" ? from - 1 : event.key === "End" ? items.length - 1 : -1;
    const key = items[to]?.key;
    if (from < 0 || key === undefined) return;
    event.preventDefault();
    choose(key);
    const focus = (): boolean => {
      const found = [...(list.current?.querySelectorAll<HTMLElement>("[data-key]") ?? [])].find((each) => each.dataset["key"] === key);
      found?.focus({ preventScroll: true });
      found?.scrollIntoView({ block: "nearest" });
      return found !== undefined;
    };
    if (focus()) return;
    // It is not in the page yet.
    virtual.toIndex(to);
    requestAnimationFrame(() => requestAnimationFrame(focus));
  };
  const last = virtual.items.at(-1);
  return { stop: isShown ? chosen : last === undefined ? undefined : items[last.index]?.key, onKeyDown };
}

/** Rows that hold the focus or an end of what is selected: they stay, wherever the reader scrolls. */
export function keptIn(list: HTMLElement | null, items: readonly Item[]): readonly number[] {
  if (list === null) return [];
  const selection = document.getSelection();
  const ends = selection === null || selection.isCollapsed ? [] : [selection.anchorNode, selection.focusNode];
  const keys = [document.activeElement, ...ends].flatMap((node) => {
    if (node === null || node === undefined || !list.contains(node)) return [];
    return rowOf(node)?.dataset["key"] ?? [];
  });
  if (keys.length === 0) return [];
  const indices = [...new Set(keys)].map((key) => items.findIndex((item) => item.key === key)).filter((index) => index >= 0);
  // All between the ends of a selection is selected too.
  const [from, to] = [Math.min(...indices), Math.max(...indices)];
  return ends.length > 0 && to - from < MOST_SELECTED ? Array.from({ length: to - from + 1 }, (_, at) => from + at) : indices;
}

/** Rows that a selection may keep in the page. */
const MOST_SELECTED = 200;
