import { CircleAlert, CornerDownRight, Hourglass, Slash, SquareTerminal, type IconNode } from "lucide";

import { hintOf, type Around, type Hint as Line } from "../../core/composer/hint.ts";
import type { Intent, Submission } from "../../core/composer/intent.ts";
import { Icon } from "../../design/Icon.tsx";

interface HintProps {
  readonly intent: Intent;
  readonly around: Around;
  readonly sendLiterally: (submission: Submission) => void;
}

const ICONS: Readonly<Record<Line["kind"], IconNode>> = {
  problem: CircleAlert,
  waits: Hourglass,
  prompt: CornerDownRight,
  steer: CornerDownRight,
  follow_up: Hourglass,
  command: Slash,
  bash: SquareTerminal,
};

/** One line under the text: what sending it will do, or why it cannot be sent. */
export function Hint({ intent, around, sendLiterally }: HintProps) {
  const line = hintOf(intent, around);
  const literal = intent.kind === "refused" ? intent.literal : undefined;
  return (
    <div class="composer-hint" role="status">
      {line !== undefined && (
        <p class={line.kind === "problem" ? "composer-problem" : undefined}>
          <Icon node={ICONS[line.kind]} small />
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
