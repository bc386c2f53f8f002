import type { RefObject } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";

import { completions, wordAt } from "../../core/composer/commands.ts";
import { enterDoes } from "../../core/composer/enter.ts";
import { isOfInputMethod } from "../../core/input_method.ts";
import { useGrowth } from "../../design/useGrowth.ts";
import type { Desk } from "../../edge/composing.ts";
import { enterSends } from "../../edge/preferences.ts";
import type { Row, SlashCommand } from "../contract.ts";
import { Completions } from "./Completions.tsx";

interface TextAreaProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly desk: Desk;
  readonly rows: readonly Row[];
  readonly commands: readonly SlashCommand[];
  /** A command is being typed: the list of them is wanted. */
  readonly learn: () => void;
  readonly send: () => void;
  /** Whether commands are offered for what is typed. */
  readonly offering: (isOffering: boolean) => void;
  readonly label: string;
}

/** The text, as high as it is up to some lines, with the completion of slash commands over it. */
export function TextArea({ field, desk, rows, commands, learn, send, offering, label }: TextAreaProps) {
  const { text } = desk.draft.value;
  const [word, setWord] = useState<string | undefined>(undefined);
  const [active, setActive] = useState(0);
  const id = useId();
  const found = word === undefined ? [] : completions(word, commands);
  const isOpen = found.length > 0;
  useGrowth(field, text);
  const placeCaret = useCaret(field, text);
  useLayoutEffect(() => offering(isOpen), [isOpen]);

  const look = (): void => {
    const element = field.current;
    const isCaret = element !== null && element.selectionStart === element.selectionEnd;
    const next = isCaret ? wordAt(element.value, element.selectionStart) : undefined;
    if (next === word) return;
    if (next !== undefined && word === undefined) learn();
    setWord(next);
    setActive(0);
  };
  const complete = (command: SlashCommand | undefined): void => {
    const element = field.current;
    if (command === undefined || element === null || word === undefined) return;
    const rest = element.value.slice(element.selectionStart).replace(/^\s/u, "");
    desk.type(`/${command.name} ${rest}`);
    setWord(undefined);
    element.focus({ preventScroll: true });
    placeCaret(command.name.length + 2);
  };
  const press = (event: KeyboardEvent): void => {
    const element = field.current;
    if (element === null || isOfInputMethod(event)) return;
    if (isOpen && inList(event)) return event.preventDefault();
    const does = enterDoes(event, enterSends.value);
    if (does !== undefined) {
      event.preventDefault();
      if (does === "send") send();
      return;
    }
    // Out of the text, where the keys of the page are.
    if (event.key === "Escape") element.blur();
    if (event.key === "ArrowUp" || event.key === "ArrowDown") recallAtEdge(event, element, desk, rows, placeCaret);
  };
  /** Whether the list has taken the key. */
  const inList = (event: KeyboardEvent): boolean => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false;
    const one = found[active];
    switch (event.key) {
      case "ArrowDown":
        setActive((active + 1) % found.length);
        return true;
      case "ArrowUp":
        setActive((active - 1 + found.length) % found.length);
        return true;
      case "Escape":
        setWord(undefined);
        return true;
      case "Enter":
        // A name that is whole is run.
        if (one === undefined || one.name === word) return false;
        complete(one);
        return true;
      case "Tab":
        complete(one);
        return true;
      default:
        return false;
    }
  };
  return (
    <div class="composer-text">
      {isOpen && <Completions id={id} found={found} active={active} point={setActive} complete={complete} />}
      <textarea
        ref={field}
        class="composer-field"
        rows={1}
        dir="auto"
        value={text}
        placeholder={label}
        aria-label={label}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={isOpen ? id : undefined}
        aria-activedescendant={isOpen ? `${id}-${active}` : undefined}
        autocomplete="off"
        enterkeyhint={enterSends.value ? "send" : "enter"}
        onInput={(event) => {
          desk.type(event.currentTarget.value);
          look();
        }}
        onKeyDown={press}
        onKeyUp={look}
        onClick={look}
        onBlur={() => setWord(undefined)}
      />
    </div>
  );
}

/** After the browser has moved the caret as far as it goes, an arrow goes on to another message. */
function recallAtEdge(event: KeyboardEvent, element: HTMLTextAreaElement, desk: Desk, rows: readonly Row[], placeCaret: (at: number) => void): void {
  if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey || element.selectionStart !== element.selectionEnd) return;
  const way = event.key === "ArrowUp" ? "older" : "newer";
  if (way === "newer" && !desk.isRecalling) return;
  const { value, selectionStart: before } = element;
  if (way === "older" ? value.slice(0, before).includes("\n") : value.slice(before).includes("\n")) return;
  setTimeout(() => {
    const { selectionStart: after } = element;
    const isAtEdge = after === before || after === (way === "older" ? 0 : value.length);
    if (element.value !== value || !isAtEdge || !desk.recall(way, rows)) return;
    placeCaret(Number.MAX_SAFE_INTEGER);
  }, 0);
}

/**
 * Keeps the caret of who types where it is when a text comes in at the end, or from another tab: a browser puts it at the end. What is
 * returned says where it is to be in the text that is drawn next.
 */
function useCaret(field: RefObject<HTMLTextAreaElement | null>, text: string): (at: number) => void {
  const wanted = useRef<number | undefined>(undefined);
  const { current: element } = field;
  const isForeign = element !== null && element === document.activeElement && element.value !== text;
  const before = isForeign ? { value: element.value, start: element.selectionStart, end: element.selectionEnd } : undefined;
  useLayoutEffect(() => {
    const { current: at } = wanted;
    wanted.current = undefined;
    if (element === null) return;
    if (at !== undefined) {
      const place = Math.min(at, element.value.length);
      element.setSelectionRange(place, place);
      element.scrollTop = element.scrollHeight;
    } else if (before !== undefined && text.startsWith(before.value.slice(0, before.end))) {
      element.setSelectionRange(before.start, before.end);
    }
  });
  return (at) => void (wanted.current = at);
}
