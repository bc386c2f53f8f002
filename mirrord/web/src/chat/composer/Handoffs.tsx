import { LoaderCircle, TextCursorInput } from "lucide";

import { counted } from "../../cards/text.ts";
import type { Handoff } from "../../core/ambient.ts";
import type { Desk } from "../../edge/composing.ts";
import { HandoffCard } from "../../surfaces/later.tsx";
import { Notes } from "./Notes.tsx";
import { useUnfit } from "./useUnfit.ts";

interface HandoffsProps {
  readonly handoffs: readonly Handoff[];
  readonly desk: Desk;
  readonly taken: (handoffId: string) => void;
}

/** Texts that extensions hand over: each comes into the draft once, and can be taken out again. What does not fit there can be copied. */
export function Handoffs({ handoffs, desk, taken }: HandoffsProps) {
  const unfit = useUnfit(handoffs, desk, taken);
  const { value: insertion } = desk.insertion;
  const rest = handoffs.filter((one) => one.failure !== undefined || unfit.has(one.id));
  const isOnTheWay = handoffs.some((one) => one.text === undefined && one.failure === undefined);
  return (
    <>
      {rest.map((one) => (
        <HandoffCard key={one.id} handoff={one} dismiss={() => taken(one.id)} />
      ))}
      {isOnTheWay && <Notes icon={LoaderCircle} spin title="A text from an extension is on its way" />}
      {insertion !== undefined && (
        <Notes
          icon={TextCursorInput}
          title={<>Text from {insertion.source === undefined ? "an extension" : <bdi class="foreign">{insertion.source}</bdi>}</>}
          {...(insertion.marks > 0 && {
            detail: `${counted(insertion.marks, "kind")} of characters in it cannot be seen. Marks stand for them; they are sent as they are.`,
          })}
        >
          <button type="button" class="composer-small" onClick={() => desk.undo(insertion)}>
            Undo
          </button>
          <button type="button" class="composer-small composer-small-quiet" onClick={() => desk.keep(insertion)}>
            Keep
          </button>
        </Notes>
      )}
    </>
  );
}
