import { CircleCheck, CircleSlash, ClockAlert, Flag, Undo2, type IconNode } from "lucide";
import { useState } from "preact/hooks";
import type { Verdict } from "../protocol.ts";
import { Icon } from "../design/Icon.tsx";
import { CopyButton } from "./CopyButton.tsx";
import type { CardProps } from "./contract.ts";
import { Frame, type Size } from "./Frame.tsx";
import { keptTexts, type KeptText } from "./kept.ts";
import { Said, Title } from "./Said.tsx";
import { clip } from "./text.ts";
import { ending, lostRace } from "./words.ts";

// The title of what ended only reminds of it.
const REMINDER_CHARS = 160;

/** A prompt that is over: how it ended, who answered, and what was typed here for it. */
export function Ended({ card, size }: { card: CardProps; size: Size }) {
  const { prompt, phase, verdict, draft, mine } = card;
  const end = phase === "lost_race" ? lostRace(verdict) : ending(verdict, mine);
  const texts = mine && verdict?.outcome === "answered" ? [] : keptTexts(prompt, draft.read());
  const look = phase === "lost_race" ? "late" : (verdict?.outcome ?? "withdrawn");
  const foot = (
    <button type="button" class="button card-dismiss" data-send onClick={card.dismiss}>
      {texts.length > 0 ? "Dismiss with the text" : "Dismiss"}
    </button>
  );
  return (
    <Frame card={card} size={size} view="ended" foot={foot} said={`${end.title}. ${end.sentence ?? ""}`}>
      <Title text={clip(prompt.title, REMINDER_CHARS)} quiet />
      <div class={`card-end card-end-${look}`}>
        <Icon node={phase === "lost_race" ? Flag : ICONS[verdict?.outcome ?? "withdrawn"]} />
        <p>
          <strong class="foreign" dir="auto">
            {end.title}
          </strong>
          {end.sentence !== undefined && <Said text={end.sentence} secondary />}
        </p>
      </div>
      {texts.map((one, at) => (
        <Kept key={at} kept={one} isSecret={prompt.masked === true} />
      ))}
    </Frame>
  );
}

const ICONS: Readonly<Record<Verdict["outcome"], IconNode>> = { answered: CircleCheck, cancelled: CircleSlash, timed_out: ClockAlert, withdrawn: Undo2 };

/** What was typed and not used. A secret is shown when asked for. */
function Kept({ kept: { label, text, content }, isSecret }: { kept: KeptText; isSecret: boolean }) {
  const [isShown, show] = useState(!isSecret);
  return (
    <figure class="card-kept">
      <figcaption class="secondary">
        You typed for “<bdi class="foreign">{label}</bdi>”
      </figcaption>
      {isShown ? <Said text={text} /> : <p aria-label="hidden">••••••••</p>}
      <div class="card-kept-do">
        <CopyButton text={content} />
        {isSecret && (
          <button type="button" class="button button-quiet" aria-pressed={isShown} onClick={() => show(!isShown)}>
            {isShown ? "Hide" : "Show"}
          </button>
        )}
      </div>
    </figure>
  );
}
