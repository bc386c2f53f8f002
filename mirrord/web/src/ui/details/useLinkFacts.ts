import { useEffect, useState } from "preact/hooks";

import { ago } from "../../core/age.ts";
import type { Fact } from "../../core/details.ts";
import { clock, link, standing } from "../../edge/app.ts";
import { ask } from "../../edge/asking.ts";
import { visible } from "../../edge/presence.ts";

/** Often enough to see a bad network, seldom enough to cost nothing. */
const MEASURE_MS = 5_000;

/** How this page's connection to mirrord is: since when nothing was heard, how long a question and its reply take, how often it was tried. */
export function useLinkFacts(): readonly Fact[] {
    const here = link.value;
    const live = here?.kind === "live";
    const { value: seen } = visible;
    const [roundTrip, setRoundTrip] = useState<number | undefined>(undefined);
    useEffect(() => {
        if (!live) return setRoundTrip(undefined);
        // Nobody reads it, and the daemon may sleep.
        if (!seen) return undefined;
        let wanted = true;
        const measure = async (): Promise<void> => {
            const taken = await replyTime();
            if (wanted) setRoundTrip(taken);
        };
        void measure();
        const timer = setInterval(() => void measure(), MEASURE_MS);
        return () => {
            wanted = false;
            clearInterval(timer);
        };
    }, [live, seen]);
    const now = clock.value;
    const silence = standing.value.kind === "paired" ? standing.value.client.silence() : undefined;
    return [
        ["State", live ? "Connected" : "Not connected"],
        ["Heard last", silence === undefined ? undefined : ago(now - silence, now)],
        ["Round trip", roundTrip === undefined ? undefined : `${Math.round(roundTrip)} ms`],
        ["Lost", here?.kind === "connecting" ? ago(here.since, now) : undefined],
        ["Tries", here?.kind === "connecting" ? here.tries.toString() : undefined],
    ];
}

/** Milliseconds until the daemon replies; undefined when the connection ended meanwhile. */
async function replyTime(): Promise<number | undefined> {
    const before = performance.now();
    // Any reply will do, a refusal as well.
    await ask("ping").catch(() => {});
    return link.peek()?.kind === "live" ? performance.now() - before : undefined;
}
