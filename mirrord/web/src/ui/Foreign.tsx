import type { ComponentChildren } from "preact";

import { ago, exact, machineTime } from "../core/age.ts";
import { daemonClock } from "../edge/app.ts";

/** Words of others in a line of ours: their own direction, no influence on ours. */
export function Foreign({ children, class: more }: { children: ComponentChildren; class?: string }) {
    return (
        <bdi class={more === undefined ? "foreign" : `foreign ${more}`} dir="auto">
            {children}
        </bdi>
    );
}

/** "12 s ago" by the daemon's clock; the exact time on hover, and for programs. */
export function Ago({ at }: { at: number }) {
    const now = daemonClock.value;
    return (
        <time dateTime={machineTime(at)} title={exact(at)}>
            {ago(at, now)}
        </time>
    );
}
