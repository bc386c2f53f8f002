import { CircleDashed, Eye, OctagonX, Unplug, WifiOff, type IconNode } from "lucide";
import { Icon } from "../design/Icon.tsx";
import type { CardProps } from "./contract.ts";
import { target } from "./words.ts";

interface Notice {
  /** Each has a picture, an edge and words of its own; the colour only repeats them. */
  readonly look: "unsure" | "refused" | "offline" | "detached" | "observer";
  readonly icon: IconNode;
  readonly title: string;
  readonly sentence: string;
}

/** What stands between this card and its answer. Nothing while all is well. */
export function Banner({ card }: { card: CardProps }) {
  const notice = noticeOf(card);
  if (notice === undefined) return null;
  return (
    <div class={`card-banner card-banner-${notice.look}`}>
      <Icon node={notice.icon} />
      <p>
        <strong>{notice.title}</strong>
        <span class="secondary foreign said" dir="auto">
          {notice.sentence}
        </span>
      </p>
    </div>
  );
}

/** What a screen reader is told of it. That the connection is lost, the page says itself. */
export function spokenNotice(card: CardProps): string {
  const notice = noticeOf(card);
  return notice === undefined || notice.look === "offline" || notice.look === "observer" ? "" : `${notice.title}. ${notice.sentence}`;
}

function noticeOf({ phase, detail, machine, readOnly }: CardProps): Notice | undefined {
  switch (phase) {
    case "unsure":
      return {
        look: "unsure",
        icon: CircleDashed,
        title: "Not confirmed yet",
        sentence: detail ?? `It is not known yet whether ${target(machine)} has your answer. It is sent again until it is, and counts once.`,
      };
    case "refused":
      return { look: "refused", icon: OctagonX, title: "Not taken", sentence: detail ?? "Pi did not take this answer. It still waits." };
    case "link_lost":
      return {
        look: "offline",
        icon: WifiOff,
        title: machine === "" ? "No connection" : `No connection to ${machine}`,
        sentence: detail ?? "What you type or choose is kept. You can send it when the connection is back.",
      };
    case "detached":
      return { look: "detached", icon: Unplug, title: "Pi cannot be reached", sentence: detail ?? "It can be answered when Pi is back." };
    case "open":
    case "sending":
      if (!readOnly) return undefined;
      return { look: "observer", icon: Eye, title: "Only to look at", sentence: "This browser was paired as an observer. Answer at the terminal or on another device." };
    case "settled":
    case "lost_race":
      return undefined;
  }
}
