import "./strips.css";
import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";
import type { Ambient } from "../core/ambient.ts";
import type { Pill, Region } from "../protocol.ts";
import { useKept } from "./around.ts";
import { Drawer, fetchDrawer } from "./later.tsx";
import { Strip } from "./Strip.tsx";

export type Side = "above" | "below";

interface PlacementProps {
  readonly side: Side;
  readonly ambient: Ambient;
  /** How many prompts wait: said where the drawer hides them. */
  readonly waiting: number;
  readonly say: (text: string) => void;
}

/** One strip beside the composer, and over it the drawer of the pill that is open. Nothing at all where there is no pill. */
export function Placement({ side, ambient, waiting, say }: PlacementProps) {
  const pills = ambient.strips[side];
  const [kept, keep] = useKept(`drawer:${side}`);
  const id = useId();
  const root = useRef<HTMLElement>(null);
  const opened = pills.find((pill) => pill.id === kept);
  useNews(pills, say);
  const isThere = pills.length > 0;
  useEffect(() => {
    // Before a pill is pressed, so that its drawer opens with what is in it.
    if (isThere) fetchDrawer();
  }, [isThere]);
  useFocusKept(root, opened?.id);
  useEffect(() => {
    // What is cleared is closed: when it comes back later, nobody asked for it.
    if (kept !== undefined && opened === undefined) keep(undefined);
  });
  if (pills.length === 0) return null;
  const close = (): void => {
    keep(undefined);
    root.current?.querySelector<HTMLElement>("[aria-expanded='true']")?.focus();
  };
  return (
    <section
      ref={root}
      class="placement"
      aria-label={side === "above" ? "Panels above the composer" : "Panels below the composer"}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || opened === undefined || event.defaultPrevented) return;
        event.preventDefault();
        close();
      }}
    >
      {opened !== undefined && (
        <Drawer key={opened.id} id={id} pill={opened} drawn={drawnOf(ambient, opened)} text={textOf(ambient, opened)} waiting={waiting} close={close} />
      )}
      <Strip pills={pills} opened={opened?.id} drawer={id} toggle={(pill) => keep(pill === opened?.id ? undefined : pill)} />
    </section>
  );
}

function drawnOf({ widgets }: Ambient, { kind, key }: Pill): Region | undefined {
  return kind === "widget" ? widgets.find((widget) => widget.key === key) : undefined;
}

/** The status that belongs to the pill, whole. */
function textOf({ statuses }: Ambient, { kind, key, status }: Pill): string | undefined {
  return kind === "status" ? statuses.find((one) => one.key === key)?.text : status;
}

/** Says which panels are new; those that were there at first are no news. */
function useNews(pills: readonly Pill[], say: (text: string) => void): void {
  const known = useRef<ReadonlySet<string> | undefined>(undefined);
  useEffect(() => {
    const before = known.current;
    known.current = new Set(pills.map((pill) => pill.id));
    const news = before === undefined ? [] : pills.filter((pill) => !before.has(pill.id));
    if (news.length > 0) say(`New: ${news.map((pill) => pill.label).join(", ")}`);
  }, [pills]);
}

/** A drawer that goes while the focus is in it leaves it on the strip, not nowhere. */
function useFocusKept(root: { readonly current: HTMLElement | null }, opened: string | undefined): void {
  const hadFocus = root.current?.contains(document.activeElement) === true;
  // With the drawing that takes the drawer away: a key that is pressed at once would be lost.
  useLayoutEffect(() => {
    if (!hadFocus || document.activeElement !== document.body) return;
    root.current?.querySelector<HTMLElement>(".pill-button")?.focus();
  }, [opened]);
}
