import { LoaderCircle, Search } from "lucide";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Icon } from "../design/Icon.tsx";
import { Choices } from "./Choices.tsx";
import type { DraftFields } from "./contract.ts";
import { IgnoreButton, SendButton } from "./Foot.tsx";
import { Frame, type KindProps } from "./Frame.tsx";
import { filtered, hasFilter, isChoosable, more, rows, type Options } from "./options.ts";
import { canEdit } from "./phase.ts";
import { Cuts, Said, Title } from "./Said.tsx";
import { counted } from "./text.ts";
import { useOptions, type Loading } from "./useOptions.ts";
import { notShown, quoted } from "./words.ts";

// A screen reader hears how many match once typing pauses.
const PAUSE_MS = 700;

/** One of a list, which can be filtered where it is long. */
export function SelectCard({ card, size }: KindProps) {
  const { prompt, draft } = card;
  const title = useId();
  const loading = useOptions(card);
  const { options, change } = loading;
  const [chosen, setChosen] = useState(() => keptChoice(draft.read()));
  const { rows: shown, isCut } = rows(options);
  const choose = (index: number): void => {
    setChosen(index);
    draft.save({ [KEPT]: [String(index)] });
  };
  const label = chosen === undefined ? undefined : options.items[chosen];
  const send = chosen === undefined || label === undefined ? undefined : () => card.answer({ index: chosen });
  const foot = (
    <>
      <IgnoreButton card={card} />
      <SendButton card={card} what={label === undefined ? "Send" : `Send ${quoted(label)}`} send={send} />
    </>
  );
  return (
    <Frame card={card} size={size} view="select" foot={foot} said={useMatches(options, loading.isLoading)}>
      <Title id={title} text={prompt.title} />
      {prompt.message !== undefined && prompt.message !== "" && <Said text={prompt.message} />}
      <Cuts sentences={notShown(prompt.truncated)} />
      {hasFilter(options) && <Filter options={options} change={change} />}
      <Choices
        labelledby={title}
        choices={shown.map(({ index, label }) => ({ key: index, label, isBarred: !isChoosable(label) }))}
        isChosen={(index) => index === chosen}
        choose={choose}
        isLocked={!canEdit(card)}
        hasArrows={card.shortcuts}
        count={options.count}
      />
      <End loading={loading} isCut={isCut} isEmpty={shown.length === 0} />
    </Frame>
  );
}

const KEPT = "value#chosen";

function keptChoice(fields: DraftFields): number | undefined {
  const kept = Object.hasOwn(fields, KEPT) ? fields[KEPT] : undefined;
  const index = Array.isArray(kept) ? Number(kept[0]) : Number.NaN;
  return Number.isSafeInteger(index) && index >= 0 ? index : undefined;
}

function Filter({ options, change }: Pick<Loading, "options" | "change">) {
  return (
    <label class="filter">
      <Icon node={Search} small />
      <input
        class="field"
        type="search"
        value={options.filter}
        placeholder={`Filter ${counted(options.count, "option")}`}
        aria-label={`Filter ${counted(options.count, "option")}`}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        onInput={({ currentTarget: { value } }) => change((before) => filtered(before, value))}
      />
    </label>
  );
}

/** The end of what is on screen: more of it, being loaded, could not be loaded, nothing found. */
function End({ loading: { options, change, isLoading, error, retry }, isCut, isEmpty }: { loading: Loading; isCut: boolean; isEmpty: boolean }) {
  const end = useRef<HTMLButtonElement>(null);
  const hasMore = isCut || (options.items.length < options.count && !isLoading && error === undefined);
  useEffect(() => {
    const element = end.current;
    if (element === null) return undefined;
    // The list goes on by itself before its end is in sight; the button is for who gets there by keyboard.
    const observer = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && change(more), { rootMargin: "600px" });
    observer.observe(element);
    return () => observer.disconnect();
  }, [hasMore, options.limit]);
  if (error !== undefined) {
    return (
      <div class="list-end" role="alert">
        <p class="foreign">{error}</p>
        <button type="button" class="button button-outline" onClick={retry}>
          Try again
        </button>
      </div>
    );
  }
  if (isLoading) {
    return (
      <p class="list-end secondary">
        <Icon node={LoaderCircle} small spin />
        {options.filter === "" ? "Loading more" : `Looked through ${options.items.length.toLocaleString("en")} of ${options.count.toLocaleString("en")}`}
      </p>
    );
  }
  if (isEmpty) return <p class="list-end secondary">{options.count === 0 ? "There are no options." : "No option matches."}</p>;
  if (!hasMore) return null;
  return (
    <button ref={end} type="button" class="button button-quiet list-end" onClick={() => change(more)}>
      Show more
    </button>
  );
}

function useMatches(options: Options, isLoading: boolean): string {
  const [said, say] = useState("");
  const { filter } = options;
  useEffect(() => {
    if (filter === "" || isLoading) return say("");
    const timer = setTimeout(() => {
      const { rows: found, isCut } = rows(options);
      say(isCut ? `More than ${found.length} options match.` : `${counted(found.length, "option")} ${found.length === 1 ? "matches" : "match"}.`);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [filter, isLoading, options.items.length]);
  return said;
}
