import { Maximize2, Minimize2, SquareTerminal, MessageCircleQuestionMark } from "lucide";
import type { ComponentChildren, RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../design/Icon.tsx";
import { MoreWait } from "../design/MoreWait.tsx";
import { useModal } from "../design/useModal.ts";
import { Banner, spokenNotice } from "./Banner.tsx";
import { CountdownPill } from "./CountdownPill.tsx";
import type { CardProps } from "./contract.ts";
import { cameWithFocus, leave } from "./focus.ts";
import { clip } from "./text.ts";
import { useCountdown } from "./useCountdown.ts";
import { useGuard } from "./useGuard.ts";
import { useKeys } from "./useKeys.ts";
import { useVisibleArea } from "./useRoom.ts";
import { useSpoken } from "./useSpoken.ts";
import { asker, sessionName } from "./words.ts";

/** Whether a card is drawn above the composer or on the whole screen, and how to change that; undefined where only one is possible. */
export interface Size {
  readonly isFull: boolean;
  readonly toggle: (() => void) | undefined;
  /** It turned out to be higher than there is room for. */
  readonly outgrown?: () => void;
}

/** What the card of each kind of prompt is given. */
export interface KindProps {
  readonly card: CardProps;
  readonly size: Size;
}

export interface FrameProps {
  readonly card: CardProps;
  readonly size: Size;
  /** Names what is shown: another view counts as a card that has just appeared. */
  readonly view: string;
  /** For a screen reader, when it changes. */
  readonly said?: string;
  readonly children: ComponentChildren;
  readonly foot?: ComponentChildren;
}

// A region's name is read out at each entry.
const NAME_CHARS = 120;

/** What all cards have: who asks, how long, on which machine; the banner of its phase; the foot. Small and full screen have the same parts. */
export function Frame(props: FrameProps) {
  // Another element, so all that listens to it starts anew.
  return <Framed key={props.size.isFull ? "full" : "small"} {...props} />;
}

function Framed({ card, size, view, said, children, foot }: FrameProps) {
  const root = useRef<HTMLElement>(null);
  const { prompt, shortcuts, now } = card;
  const isOver = card.phase === "settled" || card.phase === "lost_race";
  const time = useCountdown(prompt.openedAt, isOver ? undefined : prompt.timeoutAt, now);
  useGuard(root, `${card.phase} ${view}`);
  useKeys(root, shortcuts);
  useVisibleArea(root);
  useFocusHandover(root);
  useFocusKept(root, view);
  useRoomCheck(root, size, view);
  const spoken = useSpoken([spokenNotice(card), time.said, said].filter(Boolean).join(" "));
  const content = (
    <>
      <header class="card-head">
        <Icon node={prompt.method === "custom" || prompt.method === "other" ? SquareTerminal : MessageCircleQuestionMark} />
        <p class="card-from">
          <span class="card-asker">
            <bdi class="foreign">{asker(prompt)}</bdi> {isOver ? "asked" : "asks"}
          </span>
          <span class="secondary card-origin">
            <bdi class="foreign card-session">{sessionName(card.session)}</bdi>
            {card.machine !== "" && (
              <span class="card-machine">
                {" on "}
                <bdi class="foreign">{card.machine}</bdi>
              </span>
            )}
          </span>
        </p>
        {time.current !== undefined && <CountdownPill countdown={time.current} until={prompt.timeoutAt ?? 0} />}
        <Waiting card={card} isOver={isOver} />
        {size.isFull && <MoreWait />}
        {size.toggle !== undefined && (
          <button type="button" class="button button-quiet button-icon" onClick={size.toggle}>
            <Icon node={size.isFull ? Minimize2 : Maximize2} label={size.isFull ? "Make small" : "Open full screen"} />
          </button>
        )}
      </header>
      <div class="card-body">
        <Banner card={card} />
        {children}
      </div>
      {foot !== undefined && <footer class="card-foot">{foot}</footer>}
      <p class="visually-hidden" role="status">
        {spoken}
      </p>
    </>
  );
  const data = { "data-phase": card.phase, "data-method": prompt.method, "aria-label": `${asker(prompt)} asks: ${clip(prompt.title, NAME_CHARS)}` };
  return size.isFull ? (
    <Sheet root={root} data={data} close={size.toggle}>
      {content}
    </Sheet>
  ) : (
    <section ref={root} class="card" tabIndex={-1} {...data}>
      {content}
    </section>
  );
}

/** How many more wait behind this one. */
function Waiting({ card, isOver }: { card: CardProps; isOver: boolean }) {
  const { index, count } = card.position;
  const others = isOver ? count : count - index - 1;
  if (others <= 0) return null;
  return (
    <span class="card-more secondary">
      {others} more<span class="visually-hidden"> {others === 1 ? "waits" : "wait"} for an answer</span>
    </span>
  );
}

interface SheetProps {
  readonly root: RefObject<HTMLElement | null>;
  readonly data: object;
  readonly close: (() => void) | undefined;
  readonly children: ComponentChildren;
}

function Sheet({ root, data, close, children }: SheetProps) {
  const mayOpen = useModal();
  useLayoutEffect(() => {
    const dialog = root.current as HTMLDialogElement | null;
    if (!mayOpen || dialog === null || dialog.open) return;
    dialog.showModal();
    // Else the first button in it has the focus, and Enter closes what was just opened.
    dialog.focus({ preventScroll: true });
  }, [root, mayOpen]);
  const cancel = (event: Event): void => {
    // What is in the sheet decides whether it is there, not the browser.
    event.preventDefault();
    close?.();
  };
  return (
    <dialog ref={root as RefObject<HTMLDialogElement | null>} class="card card-sheet" tabIndex={-1} onCancel={cancel} {...data}>
      {children}
    </dialog>
  );
}

/** Gives the focus that was on a card which is gone to the one in its place, never to a field in it, and only while nothing else has it. */
function useFocusHandover(root: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = root.current;
    if (element === null) return undefined;
    if (cameWithFocus(document.activeElement === document.body, performance.now())) element.focus({ preventScroll: true });
    return () => leave(element.contains(document.activeElement), performance.now());
  }, [root]);
}

/** Keeps the focus on the card when what had it is gone from it, such as a choice of the question before. */
function useFocusKept(root: RefObject<HTMLElement | null>, view: string): void {
  const hadFocus = root.current?.contains(document.activeElement) === true;
  useLayoutEffect(() => {
    if (hadFocus && document.activeElement === document.body) root.current?.focus({ preventScroll: true });
  }, [root, view]);
}

// Of the window. The estimate before it leaves more room; this is where a card would cover what it is about.
const HIGHEST_SHARE = 0.8;

/** Tells a card that is drawn and does not fit, unless somebody is at work in it. */
function useRoomCheck(root: RefObject<HTMLElement | null>, { isFull, outgrown }: Size, view: string): void {
  useLayoutEffect(() => {
    const element = root.current;
    if (isFull || outgrown === undefined || element === null || element.contains(document.activeElement)) return;
    if (element.offsetHeight > innerHeight * HIGHEST_SHARE) outgrown();
  }, [root, view]);
}
