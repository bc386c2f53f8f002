import { useEffect } from "preact/hooks";

import { titleOf } from "../core/listing.ts";
import type { SessionView } from "../core/state.ts";
import { toast } from "../edge/app.ts";
import type { Conversing } from "./Dock.tsx";

/** What is told once of a conversation, over the page. */
export function useNotices({ conversation: { notices }, actions }: Conversing, { session }: SessionView): void {
    useEffect(() => {
        for (const { id, level, text } of notices) {
            toast({ severity: level, text, from: titleOf(session), sessionId: session.sessionId });
            actions.dismissNotice(id);
        }
    }, [notices]);
}
