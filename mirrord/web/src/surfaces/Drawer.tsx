import { Maximize2, MessageCircleQuestionMark, Minimize2, Tag, X } from "lucide";
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useVisibleArea } from "../cards/useRoom.ts";
import { Icon } from "../design/Icon.tsx";
import { useModal } from "../design/useModal.ts";
import type { Pill, Region } from "../protocol.ts";
import { Body } from "./Body.tsx";
import { titleOf } from "./words.ts";

export interface DrawerProps {
  readonly id: string;
  readonly pill: Pill;
  /** What a widget shows; undefined for a status. */
  readonly drawn: Region | undefined;
  /** The status of the pill, whole. */
  readonly text: string | undefined;
  readonly waiting: number;
  readonly close: () => void;
}

/** What a pill stands for: bounded and scrolling inside, or over the whole screen. */
export function Drawer({ id, pill, drawn, text, waiting, close }: DrawerProps) {
  const [isFull, setFull] = useState(false);
  const [isOver, setOver] = useState(false);
  const heading = useId();
  const toggle = useRef<HTMLButtonElement>(null);
  useFocusBack(isFull, toggle);
  const title = drawn === undefined ? pill.key : titleOf(drawn, pill.key);
  const subtitle = drawn?.nativeSurface?.presentation?.subtitle;
  const content = (
    <>
      <header class={isOver ? "drawer-head drawer-head-over" : "drawer-head"}>
        <div class="drawer-names">
          <h2 id={heading} class="foreign drawer-title" dir="auto">
            {title}
          </h2>
          <p class="secondary drawer-facts">
            {[subtitle, pill.source].map(
              (fact, at) =>
                fact !== undefined && (
                  <bdi key={at} class="foreign" dir="auto">
                    {fact}
                  </bdi>
                ),
            )}
          </p>
        </div>
        {isFull && waiting > 0 && (
          <button type="button" class="button drawer-waiting" onClick={() => setFull(false)}>
            <Icon node={MessageCircleQuestionMark} small />
            {waiting === 1 ? "1 question waits" : `${waiting} questions wait`}
          </button>
        )}
        <button ref={toggle} type="button" class="button button-icon button-quiet" onClick={() => setFull(!isFull)}>
          <Icon node={isFull ? Minimize2 : Maximize2} label={isFull ? "Make small" : "Open full screen"} />
        </button>
        {!isFull && (
          <button type="button" class="button button-icon button-quiet" onClick={close}>
            <Icon node={X} label={`Close ${title}`} />
          </button>
        )}
      </header>
      <div class="drawer-body" role="group" aria-labelledby={heading} tabIndex={0} onScroll={(event) => setOver(event.currentTarget.scrollTop > 0)}>
        {text !== undefined && text !== "" && (
          <p class="line drawer-status">
            <Icon node={Tag} small />
            <bdi class="foreign long" dir="auto">
              {text}
            </bdi>
          </p>
        )}
        {drawn !== undefined && <Body drawn={drawn} name={pill.id} title={title} depth={2} />}
      </div>
    </>
  );
  return isFull ? (
    <FullScreen id={id} heading={heading} leave={() => setFull(false)}>
      {content}
    </FullScreen>
  ) : (
    <section id={id} class="drawer" aria-labelledby={heading}>
      {content}
    </section>
  );
}

/** Who leaves the full screen is where they came from. */
function useFocusBack(isFull: boolean, toggle: { readonly current: HTMLElement | null }): void {
  const wasFull = useRef(isFull);
  useLayoutEffect(() => {
    if (wasFull.current && !isFull) toggle.current?.focus();
    wasFull.current = isFull;
  }, [isFull]);
}

interface FullScreenProps {
  readonly id: string;
  readonly heading: string;
  readonly leave: () => void;
  readonly children: ComponentChildren;
}

function FullScreen({ id, heading, leave, children }: FullScreenProps) {
  const root = useRef<HTMLDialogElement>(null);
  const mayOpen = useModal();
  useVisibleArea(root);
  useLayoutEffect(() => {
    const dialog = root.current;
    if (!mayOpen || dialog === null || dialog.open) return;
    dialog.showModal();
    dialog.focus({ preventScroll: true });
  }, [mayOpen]);
  return (
    <dialog
      ref={root}
      id={id}
      class="drawer-sheet"
      aria-labelledby={heading}
      tabIndex={-1}
      onKeyDown={(event) => {
        // Esc makes it small; small it is still open.
        if (event.key === "Escape") event.stopPropagation();
      }}
      onCancel={(event) => {
        event.preventDefault();
        leave();
      }}
    >
      {children}
    </dialog>
  );
}
