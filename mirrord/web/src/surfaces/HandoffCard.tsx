import { LoaderCircle, TextCursorInput } from "lucide";
import { CopyButton } from "../cards/CopyButton.tsx";
import { mark } from "../cards/marks.ts";
import { counted } from "../cards/text.ts";
import type { Handoff } from "../core/ambient.ts";
import { Icon } from "../design/Icon.tsx";

// A screenful; Copy has all of it.
const SHOWN_UNITS = 4_000;

export interface HandoffProps {
  readonly handoff: Handoff;
  readonly dismiss: () => void;
}

/** A text that an extension handed over for the composer. It is content: copied whole, shown with marks for what cannot be seen. */
export function HandoffCard({ handoff, dismiss }: HandoffProps) {
  const { text, failure, source } = handoff;
  const name = source === undefined ? "Text from an extension" : `Text from ${source}`;
  return (
    <section class="handoff" aria-label={name}>
      <header class="handoff-head">
        <Icon node={TextCursorInput} />
        <h2>
          Text from {source === undefined ? "an extension" : <bdi class="foreign">{source}</bdi>}
          <span class="secondary handoff-where">{handoff.paste ? "For the place of the cursor" : "For the message to Pi"}</span>
        </h2>
      </header>
      {text !== undefined ? (
        <Shown text={text} />
      ) : failure !== undefined ? (
        <p class="handoff-text secondary">{failure}</p>
      ) : (
        <p class="line handoff-text secondary">
          <Icon node={LoaderCircle} small spin />
          It is on its way.
        </p>
      )}
      <footer class="handoff-foot">
        <button type="button" class="button button-quiet" onClick={dismiss}>
          Dismiss
        </button>
        {text !== undefined && <CopyButton text={text} />}
      </footer>
    </section>
  );
}

function Shown({ text }: { text: string }) {
  const head = text.slice(0, SHOWN_UNITS);
  return (
    <>
      <pre class="handoff-text mono foreign long" dir="auto" tabIndex={0} role="group" aria-label="The text">
        {mark(head)?.shown ?? head}
      </pre>
      {text.length > head.length && <p class="handoff-more secondary">{counted(text.length, "character")} in all. Copy takes all of them.</p>}
    </>
  );
}
