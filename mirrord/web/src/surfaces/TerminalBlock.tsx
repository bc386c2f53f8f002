import { AlignJustify, MoveHorizontal, Scaling, type IconNode } from "lucide";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { clip } from "../cards/text.ts";
import { columnsOf, isFramed, linksIn, splitAt } from "../core/lines.ts";
import { places } from "../core/links.ts";
import { Icon } from "../design/Icon.tsx";
import type { Line, TerminalBlock as Block } from "../surface.ts";
import { useKept } from "./around.ts";
import { Spans } from "./Spans.tsx";

/** How lines are shown that are wider than there is room. */
type Fit = "scale" | "scroll" | "wrap";
const FITS: readonly { readonly fit: Fit; readonly words: string; readonly icon: IconNode }[] = [
  { fit: "scale", words: "Fit to width", icon: Scaling },
  { fit: "scroll", words: "Full size", icon: MoveHorizontal },
  { fit: "wrap", words: "Wrap lines", icon: AlignJustify },
];

// A monospaced character in em; the widest of the fonts in --mono.
const CHARACTER_EM = 0.615;
// Of --type-mono, in rem, and the padding of the block on both sides.
const FONT_REM = 0.8125;
const PADDING_REM = 1.5;

// A region's name is read out at each entry; its lines follow.
const NAME_CHARS = 160;

// Smaller than this share of its size, text is looked at rather than read.
const LEGIBLE = 0.65;

interface TerminalBlockProps {
  readonly block: Block;
  /** Under which the choice of fit is kept. */
  readonly name: string;
  /** What a screen reader calls it, where the block itself does not say. */
  readonly label: string;
}

/** Lines as a terminal has them: monospaced, selectable, with their links and the caret, at the width at which they were drawn. */
export function TerminalBlock({ block, name, label }: TerminalBlockProps) {
  const { lines, caret, accessibility } = block;
  const screen = useRef<HTMLDivElement>(null);
  const columns = columnsOf(lines);
  const room = useRoom(screen);
  const isWide = columns > room;
  const [kept, keep] = useKept(`${name}:fit`);
  const chosen = FITS.find(({ fit }) => fit === kept)?.fit;
  const fit = chosen ?? (block.columns === undefined ? "wrap" : room / columns >= LEGIBLE ? "scale" : "scroll");
  const id = useId();
  const leads = places(linksIn(lines));
  useColumns(screen, columns);
  const looks = ["terminal-lines", isFramed(lines) && "terminal-framed", isWide ? `terminal-${fit}` : "terminal-whole"];
  return (
    <div class="terminal">
      <div
        ref={screen}
        class="terminal-screen"
        role="group"
        aria-label={clip(accessibility?.label ?? label, NAME_CHARS)}
        aria-describedby={leads.length > 0 ? id : undefined}
        tabIndex={isWide && fit !== "wrap" ? 0 : undefined}
      >
        <div class={looks.filter(Boolean).join(" ")} dir="ltr">
          {lines.map((line, row) => (
            <div key={row} class="terminal-line">
              <OneLine line={line} column={caret?.row === row ? caret.column : undefined} />
            </div>
          ))}
        </div>
      </div>
      {leads.length > 0 && (
        <p id={id} class="secondary terminal-leads">
          Links lead to{" "}
          {leads.map((place, at) => (
            <span key={place}>
              {at > 0 && ", "}
              <bdi class="foreign" dir="ltr">
                {place}
              </bdi>
            </span>
          ))}
        </p>
      )}
      {isWide && <Fits fit={fit} columns={block.columns} choose={keep} />}
    </div>
  );
}

function OneLine({ line, column }: { line: Line; column: number | undefined }) {
  // An empty line keeps its height.
  if (column === undefined) return line.length === 0 ? <br /> : <Spans spans={line} isDrawn />;
  const [before, after] = splitAt(line, column);
  return (
    <>
      <Spans spans={before} isDrawn />
      <span class="terminal-caret" role="img" aria-label="Cursor" />
      {after.length === 0 ? "\u00a0" : <Spans spans={after} isDrawn />}
    </>
  );
}

function Fits({ fit, columns, choose }: { fit: Fit; columns: number | undefined; choose: (value: string) => void }) {
  return (
    <div class="terminal-fits">
      <p class="secondary">{columns === undefined ? "Long lines" : `Drawn ${columns} columns wide`}</p>
      <div class="segments" role="group" aria-label="How wide lines are shown">
        {FITS.map((one) => (
          <button
            key={one.fit}
            type="button"
            class="segment"
            aria-pressed={one.fit === fit}
            aria-label={one.words}
            title={one.words}
            onClick={() => choose(one.fit)}
          >
            <Icon node={one.icon} small />
          </button>
        ))}
      </div>
    </div>
  );
}

/** How many columns of full size fit into the element. */
function useRoom(element: { readonly current: HTMLElement | null }): number {
  const [room, setRoom] = useState(Number.POSITIVE_INFINITY);
  useEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    const observer = new ResizeObserver(() => {
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
      setRoom(Math.floor((current.clientWidth / rem - PADDING_REM) / (FONT_REM * CHARACTER_EM)));
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return room;
}

/** Tells the style sheet how many columns have to fit. */
function useColumns(element: { readonly current: HTMLElement | null }, columns: number): void {
  useEffect(() => element.current?.style.setProperty("--columns", `${columns}`), [element, columns]);
}
