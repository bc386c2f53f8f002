import "./cards.css";
import "./choices.css";
import "./fields.css";
import "./sheet.css";
import { useEffect, useRef, useState } from "preact/hooks";
import { AskCard } from "./AskCard.tsx";
import { Brief } from "./Brief.tsx";
import { ConfirmCard } from "./ConfirmCard.tsx";
import type { Answer, CardProps } from "./contract.ts";
import { EditorCard } from "./EditorCard.tsx";
import { Ended } from "./Ended.tsx";
import { fits } from "./fit.ts";
import { InputCard } from "./InputCard.tsx";
import { keptTexts } from "./kept.ts";
import type { Sent } from "./phase.ts";
import { SelectCard } from "./SelectCard.tsx";
import { TerminalCard } from "./TerminalCard.tsx";
import { useHeld } from "./useHeld.ts";
import { useRoom } from "./useRoom.ts";

/** The card of one prompt, from its appearance until it is dismissed. */
export function Card(props: CardProps) {
  const place = useRef<HTMLDivElement>(null);
  const given = useHeld(props, place);
  const sent = useRef<Answer | undefined>(undefined);
  if (given.phase === "refused") sent.current = undefined;
  const card: Sent = {
    ...given,
    isIgnoring: sent.current !== undefined && "cancelled" in sent.current,
    answer: (answer: Answer) => {
      sent.current = answer;
      props.answer(answer);
    },
  };
  return (
    <div ref={place} class="card-place">
      <Shown card={card} />
    </div>
  );
}

function Shown({ card }: { card: Sent }) {
  const room = useRoom();
  const [isOpened, open] = useState(false);
  const [isOutgrown, outgrow] = useState(false);
  const { prompt, phase } = card;
  const isOver = phase === "settled" || phase === "lost_race";
  useForgetting(card, isOver);
  const close = (): void => open(false);
  if (isOver) return <Ended card={card} size={{ isFull: isOpened, toggle: isOpened ? close : undefined }} />;
  const isLong = isOutgrown || !fits(prompt, room);
  if (isLong && !isOpened) return <Brief card={card} open={() => open(true)} />;
  const canGrow = isLong || prompt.method === "ask" || prompt.method === "select" || card.drawn !== undefined;
  const toggle = isOpened ? close : canGrow ? () => open(true) : undefined;
  const Kind = kindOf(prompt);
  return <Kind card={card} size={{ isFull: isOpened, toggle, outgrown: () => outgrow(true) }} />;
}

function kindOf({ method, terminalOnly }: CardProps["prompt"]) {
  if (terminalOnly !== undefined) return TerminalCard;
  switch (method) {
    case "ask":
      return AskCard;
    case "select":
      return SelectCard;
    case "confirm":
      return ConfirmCard;
    case "input":
      return InputCard;
    case "editor":
      return EditorCard;
    case "custom":
    case "other":
      return TerminalCard;
  }
}

/** Once it is over, only a text that somebody typed in vain is worth keeping. */
function useForgetting({ prompt, draft, verdict, mine }: CardProps, isOver: boolean): void {
  const isUsed = mine && verdict?.outcome === "answered";
  useEffect(() => {
    if (isOver && (isUsed || keptTexts(prompt, draft.read()).length === 0)) draft.clear();
  }, [isOver, isUsed]);
}
