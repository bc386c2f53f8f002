// What several rows are made of.

import { Check, ChevronRight, Copy } from "lucide";
import type { ComponentChildren } from "preact";
import { useContext, useEffect, useId, useMemo, useState } from "preact/hooks";
import { counted } from "../../cards/text.ts";
import { ago, exact, machineTime } from "../../core/age.ts";
import { copied } from "../../design/copied.ts";
import { Icon } from "../../design/Icon.tsx";
import { useKept } from "../../surfaces/around.ts";
import type { ChatMessage } from "../contract.ts";
import { Timeline } from "./around.ts";
import { clockTime, duration, firstOf } from "./words.ts";

/** "12 s ago"; the exact time on hover, and for programs. */
export function Ago({ at }: { at: number }) {
  const { now } = useContext(Timeline);
  return (
    <time dateTime={machineTime(at)} title={exact(at)}>
      {ago(at, now.value)}
    </time>
  );
}

/** Below that, how long something took is nobody's business. */
const WORTH_MS = 100;

/** When, by which model, how long. */
export function Facts({ message }: { message: ChatMessage }) {
  const { at, model, durationMs } = message;
  return (
    <span class="msg-facts">
      <time dateTime={machineTime(at)} title={exact(at)}>
        {clockTime(at)}
      </time>
      {model !== undefined && <bdi class="foreign msg-model">{model}</bdi>}
      {durationMs !== undefined && durationMs >= WORTH_MS && <span>{duration(durationMs)}</span>}
    </span>
  );
}

/** How long a button says what came of it. */
const SAID_MS = 2_000;

/** What came of copying `text`, for a moment; and how to copy it. */
export function useCopying(): readonly ["copied" | "failed" | undefined, (text: string) => void] {
  const { announce } = useContext(Timeline);
  const [outcome, setOutcome] = useState<"copied" | "failed">();
  useEffect(() => {
    if (outcome === undefined) return undefined;
    const timer = setTimeout(() => setOutcome(undefined), SAID_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = (text: string): void =>
    void copied(text).then((isCopied) => {
      setOutcome(isCopied ? "copied" : "failed");
      announce(isCopied ? "Copied" : "This could not be copied. Select it instead.");
    });
  return [outcome, copy];
}

/** Copies a message as it was written. */
export function CopyMessage({ read, label = "Copy" }: { read: () => string; label?: string }) {
  const [outcome, copy] = useCopying();
  const words = outcome === "copied" ? "Copied" : outcome === "failed" ? "Select it to copy" : label;
  return (
    <button type="button" class="chip-button" onClick={() => copy(read())}>
      <Icon node={outcome === "copied" ? Check : Copy} small />
      <span>{words}</span>
    </button>
  );
}

/** Whether a row is open; kept for as long as its session is. */
export function useOpen(key: string, isOpenAtFirst = false): readonly [boolean, () => void] {
  const [kept, keep] = useKept(`chat:${key}`);
  const isOpen = kept === undefined ? isOpenAtFirst : kept === "open";
  return [isOpen, () => keep(isOpen ? (isOpenAtFirst ? "closed" : undefined) : isOpenAtFirst ? undefined : "open")];
}

interface FoldProps {
  readonly name: string;
  readonly isOpenAtFirst?: boolean;
  readonly class?: string;
  /** The line that is always there. */
  readonly head: ComponentChildren;
  /** Nothing to open: the line alone. */
  readonly isFlat?: boolean;
  readonly children: () => ComponentChildren;
}

/** A line that opens what is below it. */
export function Fold({ name, isOpenAtFirst = false, class: more = "", head, isFlat = false, children }: FoldProps) {
  const [isOpen, toggle] = useOpen(name, isOpenAtFirst);
  const id = useId();
  if (isFlat) return <div class={`fold-line ${more}`}>{head}</div>;
  return (
    <>
      <button type="button" class={`fold-line ${more}`} aria-expanded={isOpen} aria-controls={isOpen ? id : undefined} onClick={toggle}>
        {head}
        <span class="fold-mark">
          <Icon node={ChevronRight} small />
        </span>
      </button>
      {isOpen && (
        <div id={id} class="fold-inside">
          {children()}
        </div>
      )}
    </>
  );
}

/** Lines that are shown before somebody asks for all of them: a screenful. */
const SHOWN_LINES = 40;

interface LinesProps {
  readonly name: string;
  readonly lines: readonly string[];
  /** Of output, the end says most. */
  readonly shown?: number;
  readonly children: (lines: readonly string[]) => ComponentChildren;
}

/** Lines, and a way to all of them where they are many. */
export function Cut({ name, lines, shown = SHOWN_LINES, children }: LinesProps) {
  const [isWhole, toggle] = useOpen(`${name}:all`);
  const first = useMemo(() => firstOf(lines, shown), [lines, shown]);
  return (
    <>
      {children(first === undefined || isWhole ? lines : first)}
      {first !== undefined && (
        <button type="button" class="chip-button show-all" aria-expanded={isWhole} onClick={toggle}>
          {isWhole ? "Show less" : lines.length > first.length ? `Show all ${counted(lines.length, "line")}` : "Show all of it"}
        </button>
      )}
    </>
  );
}

/** That not all came here. */
export function CutNote({ words }: { words: string | undefined }) {
  return words === undefined ? null : <p class="secondary cut-note">{words}</p>;
}
