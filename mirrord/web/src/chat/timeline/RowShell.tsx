import type { ComponentChildren, HTMLAttributes } from "preact";
import { useContext, useLayoutEffect, useRef } from "preact/hooks";
import { steady } from "../../design/steady.ts";
import { Timeline } from "../rows/around.ts";
import type { Item } from "../rows/model.ts";
import { OneRow } from "../rows/OneRow.tsx";
import { CopyMessage, Facts } from "../rows/parts.tsx";

interface RowShellProps {
  readonly item: Item;
  readonly index: number;
  /** Of all rows; -1 where earlier ones are not here. */
  readonly count: number;
  readonly name: string;
  /** It stands close to the row before it. */
  readonly isJoined: boolean;
  /** It ends above the screen. */
  readonly isAbove: boolean;
  readonly isStop: boolean;
  readonly hasTools: boolean;
  readonly measure: (row: HTMLElement | null) => void;
}

const Inside = steady(OneRow);

/** A row in its place: what names it, makes it reachable, and says how tall it is. */
export function RowShell({ item, index, count, name, isJoined, isAbove, isStop, hasTools, measure }: RowShellProps) {
  const row = useRef<HTMLElement>(null);
  // Before anything is seen: the first drawing is in its place at once, and what changes above moves nothing below. What changes on the
  // screen is measured once a frame by the virtualiser's observer, however often it changes.
  useLayoutEffect(() => measure(row.current), [index, measure, isAbove && item]);
  useLayoutEffect(() => () => measure(null), [measure]);
  return (
    <article
      ref={row}
      class={`msg msg-${item.kind}${isJoined ? " msg-joined" : ""}`}
      data-index={index}
      data-key={item.key}
      aria-label={name}
      aria-posinset={index + 1}
      aria-setsize={count}
      tabIndex={isStop ? 0 : -1}
    >
      <Inside item={item} />
      {hasTools && <Tools item={item} />}
    </article>
  );
}

/** When and by what, and a way to copy it: where somebody points, has the focus, or taps. */
function Tools({ item }: { item: Item }) {
  const { active, wholeText } = useContext(Timeline);
  if (active.value !== item.key) return null;
  return (
    <div class="msg-tools">
      <Facts message={item.message} />
      <CopyMessage read={() => wholeText(item.message.id)} />
    </div>
  );
}

/** Room for rows that are not in the page. */
export function Space({ size }: { size: number }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => place.current?.style.setProperty("block-size", `${Math.max(0, size)}px`), [size]);
  return <div ref={place} class="timeline-space" aria-hidden="true" />;
}

interface SizedProps extends Omit<HTMLAttributes<HTMLDivElement>, "size"> {
  /** At least so tall, in pixels. */
  readonly size: number;
  readonly listRef: { current: HTMLDivElement | null };
  readonly children: ComponentChildren;
}

/** The rows and the room for those that are not in the page. */
export function Sized({ size, listRef, children, ...rest }: SizedProps) {
  useLayoutEffect(() => listRef.current?.style.setProperty("min-block-size", `${size}px`), [size]);
  return (
    <div ref={listRef} {...rest}>
      {children}
    </div>
  );
}
