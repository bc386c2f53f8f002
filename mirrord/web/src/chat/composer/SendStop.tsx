import { ArrowUp, LoaderCircle, Square } from "lucide";

import type { Intent } from "../../core/composer/intent.ts";
import { isWorking } from "../../core/composer/intent.ts";
import { Icon } from "../../design/Icon.tsx";
import type { Conversation } from "../contract.ts";

interface SendStopProps {
  readonly intent: Intent;
  readonly conversation: Conversation;
  readonly send: () => void;
  readonly stop: () => void;
}

/** Send, and Stop in its place as long as there is nothing to send; beside it while there is. */
export function SendStop({ intent, conversation, send, stop }: SendStopProps) {
  const canStop = isWorking(conversation) || conversation.stopping !== undefined;
  const isEmpty = intent.kind === "nothing";
  return (
    <div class="composer-go">
      {canStop && <Stop conversation={conversation} isMain={isEmpty} stop={stop} />}
      {!(canStop && isEmpty) && <Send intent={intent} send={send} />}
    </div>
  );
}

function Send({ intent, send }: Pick<SendStopProps, "intent" | "send">) {
  const label = intent.kind === "submit" ? (intent.what ?? intent.verb) : "Send";
  return (
    <button
      type="button"
      class="composer-send"
      aria-label={label}
      title={label}
      aria-disabled={intent.kind !== "submit"}
      // The keyboard of a phone stays where it is.
      onPointerDown={(event) => event.preventDefault()}
      onClick={send}
    >
      <Icon node={ArrowUp} />
    </button>
  );
}

function Stop({ conversation: { stopping }, isMain, stop }: Pick<SendStopProps, "conversation" | "stop"> & { readonly isMain: boolean }) {
  const isUnderWay = stopping !== undefined && !stopping.overdue;
  const label = stopping === undefined ? "Stop" : stopping.overdue ? "Stop again" : "Stopping";
  return (
    <button
      type="button"
      class={isMain ? "composer-stop" : "composer-stop composer-stop-beside"}
      aria-label={label}
      title={label}
      aria-disabled={isUnderWay}
      onPointerDown={(event) => event.preventDefault()}
      onClick={() => !isUnderWay && stop()}
    >
      {isUnderWay ? <Icon node={LoaderCircle} spin /> : <Icon node={Square} small />}
    </button>
  );
}
