import { Files } from "lucide";

import type { Desk } from "../../edge/composing.ts";
import { Notes } from "./Notes.tsx";

/** A text that is kept beside the draft, because another tab typed it or an earlier message took its place. */
export function KeptBeside({ desk }: { readonly desk: Desk }) {
  const { other } = desk.entry.value;
  if (other === undefined) return null;
  return (
    <Notes icon={Files} title={other.from === "tab" ? "Text from your other tab" : "What you had typed before"} text={other.draft.text}>
      <button type="button" class="composer-small" onClick={() => desk.swap()}>
        Use
      </button>
      <button type="button" class="composer-small composer-small-quiet" onClick={() => desk.discardOther()}>
        Discard
      </button>
    </Notes>
  );
}
