import { Check, LoaderCircle, Search, X } from "lucide";
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import { isOfInputMethod } from "../../core/input_method.ts";
import { Icon } from "../../design/Icon.tsx";
import { MoreWait } from "../../design/MoreWait.tsx";
import { useModal } from "../../design/useModal.ts";
import type { DoingState } from "./useDoing.ts";

export interface Choice<T> {
  readonly id: string;
  readonly label: string;
  readonly detail?: string;
  readonly value: T;
}

interface PickerProps<T> {
  readonly title: string;
  readonly choices: readonly Choice<T>[];
  readonly chosen: string | undefined;
  /** Why nothing can be chosen, as a sentence. */
  readonly refusal: string | undefined;
  readonly choose: (value: T) => Promise<void>;
  /** How the choice goes; it outlives this. */
  readonly doing: DoingState;
  readonly close: () => void;
}

/** From so many on there is a filter. */
const FILTERED = 8;

/** One of a list, over the page: from below on a phone, over the composer on a desk. Closes when it is done; a choice that fails says why. */
export function Picker<T>({ title, choices, chosen, refusal, choose, doing, close }: PickerProps<T>) {
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const id = useId();
  const [asked, ask] = useState("");
  const [picked, pick] = useState<string | undefined>(undefined);
  const shown = useMemo(() => choices.filter((one) => matches(one, asked)), [choices, asked]);
  const [active, setActive] = useState(() => Math.max(0, choices.findIndex((one) => one.id === chosen)));
  const at = Math.min(active, shown.length - 1);
  const hasFilter = choices.length >= FILTERED;
  const mayOpen = useModal();
  useEffect(() => {
    if (!mayOpen) return undefined;
    const before = document.activeElement;
    dialog.current?.showModal();
    (hasFilter && !matchMedia("(pointer: coarse)").matches ? dialog.current?.querySelector("input") : list.current)?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, [mayOpen]);
  useLayoutEffect(() => list.current?.children[at]?.scrollIntoView({ block: "nearest" }), [at, shown]);
  const take = (choice: Choice<T> | undefined): void => {
    if (choice === undefined || refusal !== undefined || doing.isBusy) return;
    if (choice.id === chosen) return close();
    pick(choice.id);
    doing.begin(choose(choice.value), close);
  };
  const press = (event: KeyboardEvent): void => {
    // A button has its own keys.
    if (isOfInputMethod(event) || (event.target instanceof Element && event.target.closest("button") !== null)) return;
    const to = destination(event.key, at, shown.length, event.target instanceof HTMLInputElement);
    if (to !== undefined) setActive(to);
    else if (event.key === "Enter") take(shown[at]);
    else return;
    event.preventDefault();
  };
  const listbox = `${id}-list`;
  const current = shown[at] === undefined ? undefined : `${id}-${at}`;
  const problem = refusal ?? doing.failure;
  return (
    <dialog
      ref={dialog}
      class="picker"
      aria-labelledby={`${id}-title`}
      onClose={close}
      onKeyDown={press}
      onClick={(event) => {
        if (event.target === event.currentTarget) close();
      }}
    >
      <header class="picker-head">
        <h2 id={`${id}-title`}>{title}</h2>
        <MoreWait />
        <button type="button" class="button button-icon button-quiet" aria-label="Close" onClick={close}>
          <Icon node={X} />
        </button>
      </header>
      {problem !== undefined && (
        <p class="picker-problem" role="alert">
          <bdi class="foreign">{problem}</bdi>
        </p>
      )}
      {hasFilter && (
        <label class="picker-filter">
          <Icon node={Search} small />
          <input
            class="field"
            type="text"
            role="combobox"
            placeholder="Filter"
            aria-label={`Filter: ${title}`}
            aria-expanded="true"
            aria-controls={listbox}
            aria-activedescendant={current}
            aria-autocomplete="list"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            value={asked}
            onInput={(event) => {
              ask(event.currentTarget.value);
              setActive(0);
            }}
          />
        </label>
      )}
      <ul ref={list} id={listbox} class="picker-list" role="listbox" tabIndex={0} aria-label={title} aria-activedescendant={current}>
        {shown.map((choice, place) => (
          <li
            key={choice.id}
            id={`${id}-${place}`}
            class={place === at ? "picker-choice picker-active" : "picker-choice"}
            role="option"
            aria-selected={choice.id === chosen}
            aria-disabled={refusal !== undefined}
            onClick={() => {
              setActive(place);
              take(choice);
            }}
          >
            <span class="picker-words">
              <bdi class="foreign">{choice.label}</bdi>
              {choice.detail !== undefined && (
                <span class="secondary">
                  <bdi class="foreign">{choice.detail}</bdi>
                </span>
              )}
            </span>
            {doing.isBusy && choice.id === picked ? <Icon node={LoaderCircle} spin /> : choice.id === chosen && <Icon node={Check} />}
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p class="picker-none secondary">{choices.length === 0 ? "This Pi offers none." : "Nothing of that name."}</p>}
    </dialog>
  );
}

function destination(key: string, at: number, count: number, isInField: boolean): number | undefined {
  if (count === 0) return undefined;
  switch (key) {
    case "ArrowDown":
      return (at + 1) % count;
    case "ArrowUp":
      return (at - 1 + count) % count;
    case "Home":
      return isInField ? undefined : 0;
    case "End":
      return isInField ? undefined : count - 1;
    default:
      return undefined;
  }
}

function matches({ label, detail = "", id }: Choice<unknown>, asked: string): boolean {
  const all = `${label} ${detail} ${id}`.toLocaleLowerCase();
  return asked.toLocaleLowerCase().split(/\s+/u).every((word) => all.includes(word));
}
