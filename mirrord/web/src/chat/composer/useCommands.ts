import { useCallback, useRef, useState } from "preact/hooks";

import type { ConversationActions, SlashCommand } from "../contract.ts";

const NONE: readonly SlashCommand[] = [];

/** The slash commands of this Pi, asked for when a person begins to type one; those of before meanwhile. */
export function useCommands(actions: ConversationActions): readonly [readonly SlashCommand[], () => void] {
  const [commands, setCommands] = useState(NONE);
  const isAsked = useRef(false);
  const learn = useCallback(() => {
    if (isAsked.current) return;
    isAsked.current = true;
    const answered = (found: readonly SlashCommand[]): void => {
      isAsked.current = false;
      setCommands(found);
    };
    // Without a list Pi itself is the judge of what is sent.
    actions.slashCommands().then(answered, () => answered(NONE));
  }, [actions]);
  return [commands, learn];
}
