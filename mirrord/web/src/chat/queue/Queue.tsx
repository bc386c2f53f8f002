import { ChevronDown, ListClock } from "lucide";
import { useId, useState } from "preact/hooks";

import { clip, counted } from "../../cards/text.ts";
import { originOf, QUEUED } from "../../core/composer/queue.ts";
import { Icon } from "../../design/Icon.tsx";
import type { Conversation, Queued } from "../contract.ts";

// Two lines of a phone.
const SHOWN = 140;
/** More than so many are told by their number until somebody looks. */
const UNFOLDED = 2;

/** What waits in Pi, in the order in which Pi takes it, and from whom. */
export function Queue({ conversation }: { readonly conversation: Conversation }) {
  const { queue, queueReadOnlyReason } = conversation;
  const [choice, choose] = useState<boolean | undefined>(undefined);
  const id = useId();
  if (queue.length === 0) return null;
  const isOpen = choice ?? queue.length <= UNFOLDED;
  return (
    <section class="queue" aria-label="What waits in Pi">
      <button type="button" class="queue-head" aria-expanded={isOpen} aria-controls={id} onClick={() => choose(!isOpen)}>
        <Icon node={ListClock} small />
        <span>{counted(queue.length, "message waits", "messages wait")} in Pi</span>
        <Icon node={ChevronDown} small />
      </button>
      <div id={id} hidden={!isOpen}>
        <ol class="queue-list">
          {queue.map((one) => (
            <li key={`${one.kind}:${one.position}`}>
              <One one={one} conversation={conversation} />
            </li>
          ))}
        </ol>
        {queueReadOnlyReason !== undefined && (
          <p class="queue-reason">
            <bdi class="foreign">{queueReadOnlyReason}</bdi>
          </p>
        )}
      </div>
    </section>
  );
}

function One({ one, conversation }: { readonly one: Queued; readonly conversation: Conversation }) {
  const { name, what } = QUEUED[one.kind];
  const origin = originOf(one, conversation.turns);
  return (
    <>
      <p class="queue-text">
        <bdi class="foreign">{clip(one.text, SHOWN)}</bdi>
      </p>
      <p class="queue-facts">
        <span class="queue-kind" title={what}>
          {name}
        </span>{" "}
        {origin.kind === "device" ? (
          <>
            from <bdi class="foreign">{origin.name}</bdi>
          </>
        ) : (
          origin.words
        )}
      </p>
    </>
  );
}
