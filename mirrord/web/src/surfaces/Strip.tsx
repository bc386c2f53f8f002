import { LayoutPanelTop, Tag } from "lucide";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../design/Icon.tsx";
import type { Pill } from "../protocol.ts";
import { besides } from "./words.ts";

interface StripProps {
  readonly pills: readonly Pill[];
  readonly opened: string | undefined;
  /** The id of the drawer. */
  readonly drawer: string;
  readonly toggle: (pill: string) => void;
}

/** One row of pills, however many there are: what does not fit is scrolled to. */
export function Strip({ pills, opened, drawer, toggle }: StripProps) {
  const strip = useRef<HTMLUListElement>(null);
  useWheel(strip);
  useEffect(() => {
    // The pill that is open is seen whole.
    strip.current?.querySelector("[aria-expanded='true']")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [opened]);
  return (
    <ul ref={strip} class="strip">
      {pills.map((pill) => {
        const { id, kind, label, status } = pill;
        const isOpen = id === opened;
        return (
          <li key={id}>
            <button
              type="button"
              class="pill-button"
              aria-expanded={isOpen}
              aria-controls={isOpen ? drawer : undefined}
              onClick={() => toggle(id)}
            >
              <span class="pill-face">
                <Icon node={kind === "status" ? Tag : LayoutPanelTop} small />
                <bdi class="pill-label" dir="auto">
                  {label}
                </bdi>
                {status !== undefined && (
                  <bdi class="pill-status" dir="auto">
                    {status}
                  </bdi>
                )}
                <span class="visually-hidden">{besides(pill)}</span>
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** A mouse has one wheel, and here there is one way to go. */
function useWheel(strip: { readonly current: HTMLElement | null }): void {
  useEffect(() => {
    const { current } = strip;
    if (current === null) return undefined;
    const turn = (event: WheelEvent): void => {
      if (event.ctrlKey || Math.abs(event.deltaX) > Math.abs(event.deltaY) || current.scrollWidth <= current.clientWidth) return;
      event.preventDefault();
      current.scrollLeft += event.deltaY;
    };
    // Not passive: the page must not scroll along.
    current.addEventListener("wheel", turn, { passive: false });
    return () => current.removeEventListener("wheel", turn);
  }, [strip]);
}
