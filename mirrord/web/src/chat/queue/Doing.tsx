import { LoaderCircle, RefreshCw, Shrink, SquareTerminal } from "lucide";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

import { Icon } from "../../design/Icon.tsx";
import { Notes } from "../composer/Notes.tsx";
import { useDoing } from "../composer/useDoing.ts";
import type { Agent, Conversation, ConversationActions } from "../contract.ts";

interface DoingProps {
  readonly conversation: Conversation;
  readonly actions: ConversationActions;
  /** May look and not act. */
  readonly isOnlooker: boolean;
}

/** What Pi does besides answering: it sums up, waits before it tries again, runs a shell command. */
export function Doing({ conversation: { agent }, actions, isOnlooker }: DoingProps) {
  const doing = useDoing();
  if (agent === undefined) return null;
  const { compacting, bash, retrying } = agent;
  if (!compacting && !bash && retrying === undefined) return null;
  const abort = (name: "abort_retry" | "abort_bash", label: string) =>
    !isOnlooker && (
      <button type="button" class="composer-small" aria-disabled={doing.isBusy} onClick={() => !doing.isBusy && doing.begin(actions.command(name))}>
        {doing.isBusy ? <Icon node={LoaderCircle} small spin label={label} /> : label}
      </button>
    );
  return (
    <div class="composer-notes" role="status">
      {compacting && <Notes icon={Shrink} title="Pi sums up the conversation" />}
      {retrying !== undefined && (
        <Retrying retrying={retrying} failure={doing.failure}>
          {abort("abort_retry", "Abort retry")}
        </Retrying>
      )}
      {bash && (
        <Notes icon={SquareTerminal} title="A shell command runs" detail={doing.failure}>
          {abort("abort_bash", "Abort")}
        </Notes>
      )}
    </div>
  );
}

interface RetryingProps {
  readonly retrying: NonNullable<Agent["retrying"]>;
  /** Why it was not stopped. */
  readonly failure: string | undefined;
  readonly children: ComponentChildren;
}

/** That Pi tries again by itself, when, and why. Each second is seen; who listens hears it once. */
function Retrying({ retrying: { attempt, maxAttempts, delayMs, error }, failure, children }: RetryingProps) {
  const left = useSecondsLeft(delayMs, attempt);
  const which = `attempt ${attempt} of ${maxAttempts}`;
  const title = (
    <>
      <span aria-hidden="true">
        Pi tries again {left > 0 ? `in ${left} s` : "now"}, {which}
      </span>
      <span class="visually-hidden">Pi tries again, {which}</span>
    </>
  );
  return (
    <Notes icon={RefreshCw} role="warning" title={title} text={error} detail={failure}>
      {children}
    </Notes>
  );
}

/** Counted from when this page learned of it: the daemon tells a delay, not a time. */
function useSecondsLeft(delayMs: number, attempt: number): number {
  const [left, setLeft] = useState(Math.ceil(delayMs / 1_000));
  useEffect(() => {
    const until = performance.now() + delayMs;
    const look = (): void => setLeft(Math.max(0, Math.ceil((until - performance.now()) / 1_000)));
    look();
    const timer = setInterval(look, 1_000);
    return () => clearInterval(timer);
  }, [delayMs, attempt]);
  return left;
}
