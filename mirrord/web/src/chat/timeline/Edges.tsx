// What stands before the first message and after the last, and in the place of both.

import { CircleAlert, LoaderCircle, MessageSquareText, RefreshCw } from "lucide";
import { Icon } from "../../design/Icon.tsx";
import type { Conversation, Older } from "../contract.ts";
import { beginning } from "../rows/words.ts";

interface BeforeProps {
  readonly isShown: boolean;
  readonly older: Older;
  readonly boundary: Conversation["boundary"];
  readonly retry: () => void;
}

/** What is before the first message. */
export function Before({ isShown, ...rest }: BeforeProps) {
  return <div>{isShown && <Shown {...rest} />}</div>;
}

function Shown({ older, boundary, retry }: Omit<BeforeProps, "isShown">) {
  switch (older.kind) {
    case "more":
    case "loading":
      return (
        <p class="before" role="status">
          <Icon node={LoaderCircle} small spin={older.kind === "loading"} />
          {older.kind === "loading" ? "Loading earlier messages" : "Earlier messages"}
        </p>
      );
    case "full":
      return (
        <p class="before" role="status">
          This page holds no more messages. Older ones can be read at the terminal.
        </p>
      );
    case "failed":
      return (
        <div class="before before-failed">
          <Icon node={CircleAlert} small />
          <p>
            Earlier messages did not come. <bdi class="foreign">{older.why}</bdi>
          </p>
          <button type="button" class="chip-button" onClick={retry}>
            Retry
          </button>
        </div>
      );
    case "none":
      return boundary.count > 0 ? <p class="before">{beginning(boundary.reason)}</p> : null;
  }
}

interface NothingProps {
  readonly isKnown: boolean;
  readonly boundary: Conversation["boundary"];
  readonly readOnlyReason: string | undefined;
}

/** No messages: not yet known, or none were said. */
export function Nothing({ isKnown, boundary, readOnlyReason }: NothingProps) {
  if (!isKnown) {
    return (
      <div class="nothing nothing-unknown" role="status">
        <Icon node={LoaderCircle} spin />
        <p>Fetching the conversation</p>
      </div>
    );
  }
  return (
    <div class="nothing">
      <Icon node={MessageSquareText} />
      <h2>{boundary.count > 0 ? beginning(boundary.reason) : "Nothing said yet"}</h2>
      <p class="secondary">{readOnlyReason ?? "What you write here and what is typed at the terminal is one conversation."}</p>
    </div>
  );
}

/** Rows are older than the link. */
export function Stale() {
  return (
    <p class="stale" role="status">
      <Icon node={RefreshCw} small />
      More may have been said since.
    </p>
  );
}
