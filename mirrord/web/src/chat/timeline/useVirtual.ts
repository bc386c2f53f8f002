/**
 * The window of rows that are in the page, by @tanstack/virtual-core: it knows how tall rows are, keeps what is read in its place when rows
 * before it come or grow, and stays at the end where the reader is. The page's own scroller scrolls; what stands in it before and after the
 * rows is measured here.
 */

import { elementScroll, observeElementOffset, observeElementRect, Virtualizer, type VirtualItem } from "@tanstack/virtual-core";
import { useEffect, useLayoutEffect, useReducer, useRef } from "preact/hooks";

/** As near to the end as a reader who is at it: a line and a half. Pixels. */
const END_PX = 36;
/** Rows beyond the screen on each side. */
const OVERSCAN = 4;
/** Of rows that are gone, kept at least: it is seldom looked which those are. */
const SIZES = 500;

export interface VirtualOptions {
  readonly count: number;
  readonly keyOf: (index: number) => string;
  /** A guess, in pixels, at a row that was never measured. */
  readonly estimate: (index: number) => number;
  /** Rows that stay in the page though they are off the screen. */
  readonly kept: () => readonly number[];
  /** Changes when other rows take the place of all: the end is shown. */
  readonly anew: unknown;
}

export interface Virtual {
  readonly items: readonly VirtualItem[];
  /** Of all rows, in pixels. */
  readonly total: number;
  /** Where the rows begin in what scrolls, in pixels: so much less than an item says, it is from the first one. */
  readonly above: number;
  /** The first row of which something is on the screen. */
  readonly first: number;
  readonly isAtEnd: boolean;
  readonly toEnd: () => void;
  readonly toIndex: (index: number) => void;
  readonly measure: (row: HTMLElement | null) => void;
}

type Rows = Virtualizer<HTMLElement, HTMLElement>;

/** `list` is the element that the rows are in; `near` is called when the first rows are near. */
export function useVirtual(list: { readonly current: HTMLElement | null }, options: VirtualOptions, near: () => void): Virtual {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const self = useRef<Window | undefined>(undefined);
  self.current ??= new Window(() => redraw(undefined));
  const rows = self.current;
  rows.set(options, near);
  useLayoutEffect(() => rows.mount(list.current), []);
  useLayoutEffect(() => rows.drawn(options.anew));
  useEffect(() => rows.seen());
  return {
    items: rows.virtual.getVirtualItems(),
    total: rows.virtual.getTotalSize() - rows.after,
    above: rows.above,
    first: rows.virtual.range?.startIndex ?? 0,
    isAtEnd: rows.isAtEnd,
    toEnd: rows.toEnd,
    toIndex: rows.toIndex,
    measure: rows.virtual.measureElement,
  };
}

class Window {
  readonly virtual: Rows;
  isAtEnd = true;
  /** Pixels in the scroller above the list, and below it. */
  above = 0;
  after = 0;
  #near: () => void = () => undefined;
  #anew: unknown = this;
  #count = 0;
  #isMounted = false;
  /** Pixels of the scroller's upper edge that something floats over. */
  #covered = 0;
  /** Where the scroller stood when it was last looked at. */
  #top = 0;
  /** The first row, and the one that was it before others came in front of it. */
  #first: string | undefined;
  #joint: string | undefined;
  /** Since the last drawing rows came or went in front. */
  #isShifted = false;
  #options: VirtualOptions | undefined;
  #list: HTMLElement | undefined;
  #scroller: HTMLElement | undefined;
  #report: () => void = () => undefined;
  readonly #redraw: () => void;

  constructor(redraw: () => void) {
    this.#redraw = redraw;
    this.virtual = new Virtualizer(this.#settings({ count: 0, keyOf: String, estimate: () => 0, kept: () => [], anew: undefined }));
    // A row that was only guessed at moves what is read unless it begins below; one that was seen grows at its end, and moves nothing that
    // is read unless all of it is above.
    this.virtual.shouldAdjustScrollPositionOnItemSizeChange = ({ key, index, start, end }, _, { scrollOffset, itemSizeCache }) =>
      itemSizeCache.has(key) ? end <= (scrollOffset ?? 0) + this.#covered : start < (scrollOffset ?? 0) || this.#isBeforeJoint(index);
  }

  set(options: VirtualOptions, near: () => void): void {
    this.#options = options;
    this.#near = near;
    const first = options.count > 0 ? options.keyOf(0) : undefined;
    if (first !== this.#first) {
      [this.#first, this.#joint] = [first, this.#first];
      this.#isShifted = true;
    }
    this.virtual.setOptions(this.#settings(options));
    this.#forget(options);
  }

  /** Sizes of rows that are gone are not kept for as long as the page is open. */
  #forget({ count, keyOf }: VirtualOptions): void {
    const sizes = this.virtual.itemSizeCache;
    if (sizes.size <= 2 * count + SIZES) return;
    const keys = new Set<VirtualItem["key"]>(Array.from({ length: count }, (_, index) => keyOf(index)));
    for (const key of sizes.keys()) if (!keys.has(key)) sizes.delete(key);
  }

  #settings({ count, keyOf, estimate, kept }: VirtualOptions): ConstructorParameters<typeof Virtualizer<HTMLElement, HTMLElement>>[0] {
    return {
      count,
      getItemKey: keyOf,
      estimateSize: estimate,
      overscan: OVERSCAN,
      paddingEnd: this.after,
      scrollMargin: this.above,
      anchorTo: "end",
      followOnAppend: true,
      scrollEndThreshold: END_PX,
      getScrollElement: () => this.#scroller ?? null,
      scrollToFn: elementScroll,
      observeElementRect,
      observeElementOffset: (instance, tell) => {
        this.#report = () => tell(this.#scroller?.scrollTop ?? 0, false);
        return observeElementOffset(instance, tell);
      },
      // To the fraction of a pixel: rows that leave the page leave exactly their space.
      measureElement: (row, entry) => entry?.borderBoxSize[0]?.blockSize ?? row.getBoundingClientRect().height,
      rangeExtractor: ({ startIndex, endIndex, overscan, count: all }) => {
        const wanted = new Set(kept().filter((index) => index >= 0 && index < all));
        for (let index = Math.max(0, startIndex - overscan); index <= Math.min(all - 1, endIndex + overscan); index += 1) wanted.add(index);
        return [...wanted].sort((one, other) => one - other);
      },
      onChange: () => this.#redraw(),
    };
  }

  mount(list: HTMLElement | null): () => void {
    if (list === null) return () => undefined;
    const scroller = scrollerOf(list);
    this.#list = list;
    this.#scroller = scroller;
    // The virtualiser keeps the place; a browser that did it too would do it twice.
    scroller.style.setProperty("overflow-anchor", "none");
    const look = (): void => this.look();
    scroller.addEventListener("scroll", look, { passive: true });
    const sizes = new ResizeObserver(() => this.#around());
    const observe = (): void => {
      for (const each of [scroller, ...besides(list, scroller)]) sizes.observe(each, { box: "border-box" });
    };
    const comings = new MutationObserver(observe);
    for (let each = list.parentElement; each !== null; each = each === scroller ? null : each.parentElement) comings.observe(each, { childList: true });
    observe();
    const leave = this.virtual._didMount();
    this.#around();
    this.#isMounted = true;
    return () => {
      sizes.disconnect();
      comings.disconnect();
      scroller.removeEventListener("scroll", look);
      scroller.style.removeProperty("overflow-anchor");
      leave();
    };
  }

  /** After each drawing, before it is seen. */
  drawn(anew: unknown): void {
    this.#leaves();
    this.virtual._willUpdate();
    const scroller = this.#scroller;
    if (scroller === undefined) return;
    const count = this.#options?.count ?? 0;
    if (anew !== this.#anew || (this.#count === 0 && count > 0)) {
      this.#anew = anew;
      this.toEnd();
    }
    this.#count = count;
    this.#isShifted = false;
    const { scrollTop, scrollHeight, clientHeight } = scroller;
    if (this.isAtEnd && scrollHeight - clientHeight - scrollTop > 1) this.toEnd();
    this.#top = scroller.scrollTop;
    // Where nothing can be scrolled, the browser never says that a position was out of reach.
    if (scrollHeight <= clientHeight && (this.virtual.scrollOffset ?? 0) !== scrollTop) this.#report();
  }

  /** A frame of it has been seen. */
  seen(): void {
    this.#leaves();
    this.look();
  }

  /**
   * Somebody who scrolls up leaves the end before the browser says so, and the virtualiser, which has it from the browser, would take them back.
   * Who stands higher because rows in front went has done nothing.
   */
  #leaves(): void {
    if (this.#scroller === undefined || this.#isShifted || this.#scroller.scrollTop >= this.#top - 1) return;
    this.#report();
    this.look();
  }

  /** What stands around the rows, or the room for all, changed its size. */
  #around(): void {
    const [list, scroller] = [this.#list, this.#scroller];
    if (list === undefined || scroller === undefined) return;
    const above = Math.round(list.getBoundingClientRect().top - scroller.getBoundingClientRect().top - scroller.clientTop + scroller.scrollTop);
    const isLong = scroller.scrollHeight > scroller.clientHeight;
    const after = isLong ? Math.max(0, Math.round(scroller.scrollHeight - above - list.getBoundingClientRect().height)) : this.after;
    const moved = above - this.above;
    // What floats at the lower edge; the pill that leads to the end stands above it.
    list.parentElement?.style.setProperty("--dock-block", `${floating(list, scroller, "insetBlockEnd")}px`);
    this.#covered = floating(list, scroller, "insetBlockStart");
    if (above !== this.above || after !== this.after) {
      [this.above, this.after] = [above, after];
      this.#redraw();
    }
    if (!this.#isMounted) return;
    if (this.isAtEnd) this.toEnd();
    else if (moved !== 0) scroller.scrollTop += moved;
  }

  /** The row came in front of the first one, which may stand well below the scroller's edge. */
  #isBeforeJoint(index: number): boolean {
    const joint = this.virtual.getVirtualItems().find(({ key }) => key === this.#joint);
    return joint !== undefined && index < joint.index;
  }

  readonly toEnd = (): void => {
    this.isAtEnd = true;
    this.virtual.scrollToEnd();
  };

  readonly toIndex = (index: number): void => this.virtual.scrollToIndex(index, { align: "auto" });

  /** Where the reader is now. */
  look(): void {
    const scroller = this.#scroller;
    if (scroller === undefined) return;
    const { scrollTop, scrollHeight, clientHeight } = scroller;
    this.#top = scrollTop;
    const isAtEnd = scrollHeight - clientHeight - scrollTop <= END_PX;
    if (isAtEnd !== this.isAtEnd) {
      this.isAtEnd = isAtEnd;
      this.#redraw();
    }
    if (this.#count > 0 && scrollTop < this.above + 2 * clientHeight) this.#near();
  }
}

/** What stands in the scroller before and after the list. */
function* besides(list: HTMLElement, scroller: HTMLElement): Generator<Element> {
  for (let each = list; each !== scroller && each.parentElement !== null; each = each.parentElement) {
    for (const beside of each.parentElement.children) if (beside !== each) yield beside;
  }
}

/** How much of an edge of the scroller is covered by what sticks to it, in pixels. */
function floating(list: HTMLElement, scroller: HTMLElement, edge: "insetBlockStart" | "insetBlockEnd"): number {
  let covered = 0;
  for (const beside of besides(list, scroller)) {
    const style = getComputedStyle(beside);
    if (style.position === "sticky" && style[edge] !== "auto" && beside instanceof HTMLElement) covered += beside.offsetHeight;
  }
  return covered;
}

function scrollerOf(list: HTMLElement): HTMLElement {
  for (let each = list.parentElement; each !== null; each = each.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(each).overflowY)) return each;
  }
  return document.documentElement;
}
