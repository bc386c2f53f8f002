import { LoaderCircle } from "lucide";
import { useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Icon } from "../design/Icon.tsx";
import type { CardProps } from "./contract.ts";
import { IgnoreButton, SendButton } from "./Foot.tsx";
import { Frame, type KindProps, type Size } from "./Frame.tsx";
import { mark, type Marked } from "./marks.ts";
import { MarkLegend } from "./MarkLegend.tsx";
import { canEdit } from "./phase.ts";
import { Cuts, Said, Title } from "./Said.tsx";
import { contentObstacle } from "./text.ts";
import { usePrefill } from "./usePrefill.ts";
import { notShown } from "./words.ts";

/** A text to edit, on a sheet of its own. What is not touched goes back byte for byte. */
export function EditorCard({ card, size }: KindProps) {
  const { text, error, retry } = usePrefill(card);
  const marked = useMemo(() => (text === undefined ? undefined : mark(text)), [text]);
  if (text !== undefined && marked !== undefined) return <Sheet card={card} size={size} marked={marked} />;
  // A text that no text area can hold without loss can be looked at, and sent as it is.
  const send = text === undefined ? undefined : () => card.answer({ unchanged: true });
  return (
    <Frame
      card={card}
      size={size}
      view="waiting"
      foot={
        <>
          <IgnoreButton card={card} />
          <SendButton card={card} what="Send unchanged" send={send} />
        </>
      }
    >
      <Title text={card.prompt.title} />
      {error !== undefined ? (
        <div class="list-end" role="alert">
          <p class="foreign">{error}</p>
          <button type="button" class="button button-outline" onClick={retry}>
            Try again
          </button>
        </div>
      ) : text === undefined ? (
        <p class="list-end secondary" role="status">
          <Icon node={LoaderCircle} small spin />
          Loading the text
        </p>
      ) : (
        <>
          <p class="secondary">This text has too many kinds of invisible characters to be edited here. It can be sent as it is.</p>
          <pre class="look mono foreign said">{text}</pre>
        </>
      )}
    </Frame>
  );
}

function Sheet({ card, size, marked }: { card: CardProps; size: Size; marked: Marked }) {
  const { prompt, draft } = card;
  const ids = { title: useId(), error: useId() };
  const field = useRef<HTMLTextAreaElement>(null);
  const [state, setState] = useState<{ isEdited: boolean; obstacle?: string | undefined }>({ isEdited: false });
  const [isWhole, setWhole] = useState(true);
  // The text lives in the text area alone: a megabyte is not compared at each key.
  useLayoutEffect(() => {
    const element = field.current;
    if (element === null) return;
    element.value = marked.shown;
    // What this browser's text area changes by itself can only be sent back as it was.
    setWhole(element.value === marked.shown);
    const kept = draft.read()["value"];
    if (typeof kept === "string") element.value = kept;
    setState({ isEdited: element.value !== marked.shown });
    element.setSelectionRange(0, 0);
    element.scrollTop = 0;
  }, [marked, size.isFull]);
  const content = (): string => marked.restore(field.current?.value ?? "");
  const input = (): void => {
    const shown = field.current?.value ?? "";
    const isEdited = shown !== marked.shown;
    setState({ isEdited, obstacle: isEdited ? contentObstacle(content()) : undefined });
    if (isEdited) draft.save({ value: shown });
    else draft.clear();
  };
  const isSendable = state.obstacle === undefined;
  const send = (): void => card.answer(state.isEdited && isWhole ? { value: content() } : { unchanged: true });
  const foot = (
    <>
      <IgnoreButton card={card} />
      <SendButton card={card} what={state.isEdited ? "Send the edited text" : "Send unchanged"} send={isSendable ? send : undefined} />
    </>
  );
  return (
    <Frame card={card} size={size} view="editor" foot={foot}>
      <Title id={ids.title} text={prompt.title} />
      {prompt.message !== undefined && prompt.message !== "" && <Said text={prompt.message} />}
      <Cuts sentences={notShown(prompt.truncated)} />
      <textarea
        ref={field}
        class="editor mono"
        dir="auto"
        aria-labelledby={ids.title}
        aria-invalid={!isSendable}
        aria-describedby={isSendable ? undefined : ids.error}
        readOnly={!canEdit(card) || !isWhole}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        onInput={input}
      />
      {state.obstacle !== undefined && (
        <p class="field-error" id={ids.error} role="alert">
          {state.obstacle}
        </p>
      )}
      <MarkLegend marked={marked} />
    </Frame>
  );
}
