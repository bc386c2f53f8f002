import { ChevronLeft, Info } from "lucide";
import { useEffect, useRef } from "preact/hooks";

import { stateOf, titleOf, waitingIn, waitingInAll } from "../core/listing.ts";
import type { SessionView } from "../core/state.ts";
import { Icon } from "../design/Icon.tsx";
import { machine, state } from "../edge/app.ts";
import { go, hrefOf, route } from "../edge/route.ts";
import { Ago, Foreign } from "./Foreign.tsx";
import { SessionDetails } from "./later.tsx";
import { LOOKS, StateGlyph } from "./status.tsx";

/** The bar of a session: the way back, its name, what it does and where, and one button for all the rest. */
export function SessionHead({ view, alone }: { view: SessionView; alone: boolean }) {
    const heading = useRef<HTMLHeadingElement | null>(null);
    const shown = stateOf(view);
    const { sessionId } = view.session;
    const { value: at } = route;
    const isOpen = at.screen === "session" && at.sessionId === sessionId && at.details === true;
    const show = (details: boolean): void => go({ screen: "session", sessionId, ...(details && { details }) }, { replace: true });
    useEffect(() => {
        // Who typed before the session was there goes on typing.
        if (!(document.activeElement instanceof HTMLTextAreaElement)) heading.current?.focus({ preventScroll: true });
    }, [sessionId]);
    return (
        <header class="bar">
            {alone && <Back except={view} />}
            <div class="bar-middle">
                <h1 class="bar-title" ref={heading} tabIndex={-1}>
                    <Foreign>{titleOf(view.session)}</Foreign>
                </h1>
                <p class="bar-facts">
                    <StateGlyph state={shown} />
                    <span>
                        {LOOKS[shown].words}, <Ago at={view.session.status.since} />
                    </span>
                    <span class="clipped">
                        <Foreign>{machine.value}</Foreign>
                    </span>
                </p>
            </div>
            <button type="button" class="button button-icon" aria-label="About this session" onClick={() => show(true)}>
                <Icon node={Info} />
            </button>
            {isOpen && <SessionDetails view={view} close={() => show(false)} />}
        </header>
    );
}

/** To the list; says how many wait elsewhere. */
export function Back({ except }: { except?: SessionView }) {
    const elsewhere = waitingInAll(state.value) - (except === undefined ? 0 : waitingIn(except));
    return (
        <a
            class="button button-icon back"
            href={hrefOf({ screen: "sessions" })}
            aria-label={elsewhere > 0 ? `All sessions, ${elsewhere} questions wait` : "All sessions"}
        >
            <Icon node={ChevronLeft} />
            {elsewhere > 0 && <span class="badge">{elsewhere}</span>}
        </a>
    );
}
