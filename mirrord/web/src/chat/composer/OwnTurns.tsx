import { CircleAlert, CircleQuestionMark, Clock, LoaderCircle, type IconNode } from "lucide";

import { isFailed, STAGE_WORDS } from "../../core/composer/outcome.ts";
import { asTyped } from "../../core/composer/recall.ts";
import type { Desk } from "../../edge/composing.ts";
import type { Conversation, ConversationActions, OwnTurn } from "../contract.ts";
import { Notes } from "./Notes.tsx";

const LOOKS: Readonly<Record<OwnTurn["stage"], { readonly icon: IconNode; readonly spin?: boolean; readonly role?: "danger" | "warning" }>> = {
  sending: { icon: LoaderCircle, spin: true },
  unsure: { icon: CircleQuestionMark },
  accepted: { icon: LoaderCircle, spin: true },
  queued: { icon: Clock },
  rejected: { icon: CircleAlert, role: "danger" },
  unknown: { icon: CircleQuestionMark, role: "warning" },
};

interface OwnTurnsProps {
  readonly conversation: Conversation;
  readonly actions: ConversationActions;
  readonly desk: Desk;
}

/** What went out from here and is no row of the conversation yet. What failed keeps its text until the person says what becomes of it. */
export function OwnTurns({ conversation: { turns, queue, isStale, readOnly }, actions, desk }: OwnTurnsProps) {
  const queued = new Set(queue.map((one) => one.clientTurnId));
  // What waits in Pi is told by the queue.
  const shown = turns.filter((turn) => isFailed(turn) || !queued.has(turn.id));
  if (shown.length === 0) return null;
  return (
    <ul class="composer-notes" aria-label="Messages on their way">
      {shown.map((turn) => (
        <li key={turn.id} class={isFailed(turn) ? undefined : "composer-passing"}>
          <OneTurn turn={turn} isReachable={!isStale && !readOnly} actions={actions} desk={desk} />
        </li>
      ))}
    </ul>
  );
}

interface OneTurnProps extends Pick<OwnTurnsProps, "actions" | "desk"> {
  readonly turn: OwnTurn;
  /** Something can be sent now. */
  readonly isReachable: boolean;
}

function OneTurn({ turn, isReachable, actions, desk }: OneTurnProps) {
  const { icon, spin = false, role } = LOOKS[turn.stage];
  const putBack = (): void => {
    if (desk.putBack(asTyped(turn))) actions.discard(turn.id);
  };
  return (
    <Notes
      icon={icon}
      spin={spin}
      title={STAGE_WORDS[turn.stage]}
      text={asTyped(turn)}
      {...(role !== undefined && { role })}
      {...(turn.reason !== undefined && { detail: <bdi class="foreign">{turn.reason}</bdi> })}
    >
      {isFailed(turn) ? (
        <>
          <button type="button" class="composer-small" aria-disabled={!isReachable} onClick={() => isReachable && actions.retry(turn.id)}>
            Retry
          </button>
          <button type="button" class="composer-small" onClick={putBack}>
            Put back
          </button>
          <button type="button" class="composer-small composer-small-quiet" onClick={() => actions.discard(turn.id)}>
            Discard
          </button>
        </>
      ) : undefined}
    </Notes>
  );
}
