import { useId, useState } from "preact/hooks";
import { Choices } from "./Choices.tsx";
import { IgnoreButton, SendButton } from "./Foot.tsx";
import { Frame, type KindProps } from "./Frame.tsx";
import { canEdit } from "./phase.ts";
import { Cuts, Said, Title } from "./Said.tsx";
import { notShown, quoted } from "./words.ts";

const CHOICES = [
  { key: 0, label: "Yes" },
  { key: 1, label: "No" },
] as const;

/** Yes or no; both are told apart from no answer. */
export function ConfirmCard({ card, size }: KindProps) {
  const title = useId();
  const [chosen, choose] = useState<number>();
  const label = CHOICES.find(({ key }) => key === chosen)?.label;
  const send = chosen === undefined ? undefined : () => card.answer({ confirmed: chosen === 0 });
  const foot = (
    <>
      <IgnoreButton card={card} />
      <SendButton card={card} what={label === undefined ? "Send" : `Send ${quoted(label)}`} send={send} />
    </>
  );
  return (
    <Frame card={card} size={size} view="confirm" foot={foot}>
      <Title id={title} text={card.prompt.title} />
      {card.prompt.message !== undefined && card.prompt.message !== "" && <Said text={card.prompt.message} />}
      <Cuts sentences={notShown(card.prompt.truncated)} />
      <Choices
        labelledby={title}
        choices={CHOICES}
        isChosen={(key) => key === chosen}
        choose={choose}
        isLocked={!canEdit(card)}
        hasArrows={card.shortcuts}
      />
    </Frame>
  );
}
