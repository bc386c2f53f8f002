// One line in the terminal when a remote has answered, so that a dialog never goes away without a word.

import type { Ending } from "./dialogs.ts";
import { after, type Timer } from "./guard.ts";
import { NOTICE_CHARS, NOTICE_MS, NOTICE_NAMED } from "./limits.ts";
import { quoted } from "./text.ts";

export class Winner {
  private readonly show: (line: string) => void;
  private readonly waiting: { readonly name: string; readonly ending: Ending }[] = [];
  private pause: Timer | undefined;

  constructor(show: (line: string) => void) {
    this.show = show;
  }

  /** `name` is the remote's. What is told within NOTICE_MS comes in one line, because Pi shows only the last of several. */
  won(name: string, ending: Ending): void {
    // The words come later: the extension that asked waits for this to return.
    this.waiting.push({ name, ending });
    this.pause ??= after(NOTICE_MS, "notice.show", () => this.tell());
  }

  /** Nothing that waits is shown any more. */
  stop(): void {
    this.pause?.cancel();
    this.pause = undefined;
    this.waiting.length = 0;
  }

  private tell(): void {
    const answers = new Map<string, string[]>();
    for (const { name, ending } of this.waiting) {
      const verb = ending.outcome === "cancelled" ? "Cancelled" : "Answered";
      const who = `${verb} from ${quoted(name, NOTICE_CHARS) || "a remote"}`;
      answers.set(who, [...(answers.get(who) ?? []), display(ending)]);
    }
    this.stop();
    this.show([...answers].map(([who, given]) => line(who, given)).join("; "));
  }
}

/** The answer where it may be shown: what is typed freely never is. */
function display({ answer }: Ending): string {
  if (answer === undefined) return "";
  if ("labels" in answer) return answer.labels.map((label) => quoted(label, NOTICE_CHARS)).join(" + ");
  return quoted("label" in answer ? answer.label : answer.confirmed ? "Yes" : "No", NOTICE_CHARS);
}

function line(who: string, answers: readonly string[]): string {
  const named = answers.filter((answer) => answer !== "").slice(0, NOTICE_NAMED);
  const more = answers.length - named.length;
  if (named.length === 0) return more === 1 ? who : `${who} (${more} dialogs)`;
  return `${who}: ${quoted(named.join(", "), 3 * NOTICE_CHARS)}${more > 0 ? ` and ${more} more` : ""}`;
}
