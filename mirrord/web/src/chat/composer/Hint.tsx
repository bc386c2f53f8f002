import { CircleAlert, CornerDownRight, Hourglass, Slash, SquareTerminal, type IconNode } from "lucide";

import type { Intent, Submission } from "../../core/composer/intent.ts";
import { Icon } from "../../design/Icon.tsx";
import type { Conversation, SubmitKind } from "../contract.ts";

interface HintProps {
  readonly intent: Intent;
  readonly conversation: Conversation;
  /** Why Stop, or the choice of a model, did not happen. */
  readonly failure: string | undefined;
  readonly isKept: boolean;
  readonly sendLiterally: (submission: Submission) => void;
}

const ICONS: Readonly<Record<SubmitKind, IconNode>> = {
  prompt: CornerDownRight,
  steer: CornerDownRight,
  follow_up: Hourglass,
  command: Slash,
  bash: SquareTerminal,
};

/** One line under the text: what sending it will do, or why it cannot be sent. */
export function Hint({ intent, conversation, failure, isKept, sendLiterally }: HintProps) {
  const line = said(intent, conversation, failure, isKept);
  const literal = intent.kind === "refused" ? intent.literal : undefined;
  return (
    <div class="composer-hint" role="status">
      {line !== undefined && (
        <p class={line.isProblem ? "composer-problem" : undefined}>
          <Icon node={line.icon} small />
          <bdi class="foreign">{line.text}</bdi>
        </p>
      )}
      {literal !== undefined && (
        <button type="button" class="composer-small" onPointerDown={(event) => event.preventDefault()} onClick={() => sendLiterally(literal)}>
          Send as text
        </button>
      )}
    </div>
  );
}

interface Line {
  readonly icon: IconNode;
  readonly text: string;
  readonly isProblem: boolean;
}

/** The most pressing of what there is to say. */
function said(intent: Intent, { stopping, agent, isStale }: Conversation, failure: string | undefined, isKept: boolean): Line | undefined {
  if (failure !== undefined) return problem(failure);
  if (stopping?.overdue === true) return problem("Pi is still busy after Stop: a tool may not react.");
  if (intent.kind === "refused") return problem(intent.why);
  if (intent.kind === "nothing") return agent?.cannotRun === undefined ? undefined : problem(agent.cannotRun);
  if (!isKept) return problem("This text is too long for this browser to keep: it lasts as long as the page.");
  if (isStale) return { icon: Hourglass, text: "Not connected: it is kept here, for you to send when the link is back.", isProblem: false };
  return intent.what === undefined ? undefined : { icon: ICONS[intent.submission.kind], text: intent.what, isProblem: false };
}

function problem(text: string): Line {
  return { icon: CircleAlert, text, isProblem: true };
}
