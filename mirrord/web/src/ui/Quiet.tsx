import { SquareTerminal } from "lucide";

import { shortPath, stateOf } from "../core/listing.ts";
import type { SessionView } from "../core/state.ts";
import { Foreign } from "./Foreign.tsx";
import { Notice } from "./Notice.tsx";
import { LOOKS } from "./status.tsx";

/** No prompt waits: what the state means. */
export function Quiet({ view }: { view: SessionView }) {
    const shown = stateOf(view);
    const { icon, words, meaning } = LOOKS[shown];
    const calm = shown === "waiting" || shown === "working" ? "Nothing to answer here" : words;
    return (
        // That Pi works is told by its row.
        <Notice icon={shown === "working" ? SquareTerminal : icon} title={calm}>
            <p>{shown === "waiting" ? waitingFor(view.session.status.menu) : meaning}</p>
            {view.session.cwd !== undefined && (
                <p class="mono secondary">
                    <Foreign>{shortPath(view.session.cwd)}</Foreign>
                </p>
            )}
        </Notice>
    );
}

/** Why a session waits without a question. */
function waitingFor(menu: string | undefined) {
    if (menu === undefined) return "Pi waits at its terminal.";
    return (
        <>
            A menu of Pi itself is open at the terminal: <Foreign>{menu}</Foreign>.
        </>
    );
}
