import { CloudOff, WifiOff } from "lucide";
import { useEffect, useRef } from "preact/hooks";

import type { LostReason } from "../core/connection.ts";
import { Icon } from "../design/Icon.tsx";
import { clock, link, retry, say, state } from "../edge/app.ts";
import { Ago } from "./Foreign.tsx";

/** A daemon that restarts is back by then: a banner that only flashes tells nobody anything. */
const PATIENCE_MS = 1_500;

const WHY: Readonly<Partial<Record<LostReason, string>>> = {
    daemon_stops: "mirrord was stopped",
    slow: "The connection was too slow",
    silent: "The connection was lost",
    closed: "The connection was lost",
};

/** Says that what is on screen may be old, since when, and lets the person try at once. */
export function LinkBanner() {
    const now = link.value;
    const live = now?.kind === "live";
    const late = now?.kind === "connecting" && clock.value - now.since >= PATIENCE_MS;
    const told = useRef(false);
    useEffect(() => {
        if (late && !told.current) say("The connection to mirrord is lost. It is tried again by itself.");
        if (live && told.current) say("Connected to mirrord again.");
        if (late) told.current = true;
        if (live) told.current = false;
    }, [late, live]);
    if (now?.kind !== "connecting" || !late || state.value.welcomedAt === undefined) return null;
    const offline = !navigator.onLine;
    return (
        <section class="banner" aria-label="Connection">
            <Icon node={offline ? WifiOff : CloudOff} />
            <p class="banner-words">
                <span class="strong">{offline ? "This device is offline" : (WHY[now.why] ?? "mirrord does not answer")}.</span> What you see
                is as of <Ago at={now.since + state.value.clockOffset} />.
            </p>
            <button type="button" class="button button-quiet" onClick={retry}>
                Try now
            </button>
        </section>
    );
}
