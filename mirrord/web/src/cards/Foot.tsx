import { LoaderCircle } from "lucide";
import { Icon } from "../design/Icon.tsx";
import { canAnswer, isOnItsWay, type Sent } from "./phase.ts";
import { target } from "./words.ts";

/** The one primary button: it says what is sent, and where. */
export function SendButton({ card, what, send }: { card: Sent; what: string; send: (() => void) | undefined }) {
  if (card.readOnly) return null;
  const isSending = isOnItsWay(card) && card.isIgnoring !== true;
  const isReady = send !== undefined && canAnswer(card);
  const shown = isSending ? what.replace(/^Send/, "Sending") : what;
  return (
    <button type="button" class="button button-primary card-send" data-send aria-disabled={!isReady} onClick={() => isReady && send()}>
      {isSending && <Icon node={LoaderCircle} spin />}
      <span class="card-send-words">
        <bdi class="card-send-what">{shown}</bdi> <bdi class="card-send-where">to {target(card.machine)}</bdi>
      </span>
    </button>
  );
}

/** Goes on without sending: to the next question, to the full screen. */
export function NextButton({ label, go }: { label: string; go: () => void }) {
  return (
    <button type="button" class="button button-primary card-send" data-send onClick={go}>
      {label}
    </button>
  );
}

/** The quiet way out: Pi gets no answer. */
export function IgnoreButton({ card, label = "Ignore" }: { card: Sent; label?: string }) {
  if (card.prompt.cancellable === false || card.readOnly) return null;
  const isReady = canAnswer(card);
  return (
    <button type="button" class="button button-quiet" data-quiet aria-disabled={!isReady} onClick={() => isReady && card.answer({ cancelled: true })}>
      {isOnItsWay(card) && card.isIgnoring === true && <Icon node={LoaderCircle} small spin />}
      {label}
    </button>
  );
}
