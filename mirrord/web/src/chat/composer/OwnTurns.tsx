import { CircleAlert, CircleQuestionMark, Clock, LoaderCircle, type IconNode } from "lucide";

import { asTyped } from "../../core/composer/recall.ts";
import type { Desk } from "../../edge/composing.ts";
import type { Conversation, ConversationActions, OwnTurn } from "../contract.ts";
import { Notes } from "./Notes.tsx";

const STAGES: Readonly<Record<OwnTurn["stage"], { readonly icon: IconNode; readonly words: string; readonly spin?: boolean; readonly role?: "danger" | "warning" }>> = {
  sending: { icon: LoaderCircle, words: "Sending", spin: true },
  unsure: { icon: CircleQuestionMark, words: "Not confirmed yet; it is sent again by itself" },
  accepted: { icon: LoaderCircle, words: "Pi has it", spin: true },
  queued: { icon: Clock, words: "Waits in Pi’s queue" },
  rejected: { icon: CircleAlert, words: "Not sent", role: "danger" },
  unknown: { icon: CircleQuestionMark, words: "Nobody can tell whether Pi took it", role: "warning" },
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
  const { icon, words, spin = false, role } = STAGES[turn.stage];
  const putBack = (): void => {
    if (desk.putBack(asTyped(turn))) actions.discard(turn.id);
  };
  return (
    <Notes
      icon={icon}
      spin={spin}
      title={words}
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

function isFailed({ stage }: OwnTurn): boolean {
  return stage === "rejected" || stage === "unknown";
}
