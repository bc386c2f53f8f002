import { Eye, Laptop, Settings, Terminal } from "lucide";
import { useEffect, useRef } from "preact/hooks";

import { entries, folderOf, shortPath, titleOf, type Entry } from "../core/listing.ts";
import { Icon } from "../design/Icon.tsx";
import { link, machine, state } from "../edge/app.ts";
import { hrefOf, route } from "../edge/route.ts";
import { Away, isAway } from "./Away.tsx";
import { Ago, Foreign } from "./Foreign.tsx";
import { LastKnown } from "./LastKnown.tsx";
import { Notice } from "./Notice.tsx";
import { LOOKS, StateGlyph } from "./status.tsx";

const GROUPS = [
    ["needs_you", "Needs you"],
    ["active", "Sessions"],
    ["ended", "Ended"],
] as const;

/** All sessions, who needs you first. `alone`: it is the whole screen, not the column beside a session. */
export function SessionList({ alone }: { alone: boolean }) {
    const heading = useRef<HTMLHeadingElement | null>(null);
    useEffect(() => {
        if (alone) heading.current?.focus({ preventScroll: true });
    }, [alone]);
    return (
        <>
            <header class="bar">
                <h1 class="bar-title" ref={heading} tabIndex={-1}>
                    Sessions
                </h1>
                {state.value.role === "observer" && link.value?.kind === "live" && (
                    <span class="pill quiet" title="An observer looks and cannot answer.">
                        <Icon node={Eye} small />
                        Observer
                    </span>
                )}
                <a class="button button-icon" href={hrefOf({ screen: "settings" })} aria-label="Settings">
                    <Icon node={Settings} />
                </a>
            </header>
            <List alone={alone} />
        </>
    );
}

function List({ alone }: { alone: boolean }) {
    const all = entries(state.value);
    if (all.length === 0) {
        if (state.value.welcomedAt === undefined) return <Unreached alone={alone} />;
        if (alone) return <NoPi />;
        return (
            <div class="groups">
                <p class="group-name">No session</p>
            </div>
        );
    }
    return (
        <nav class="groups" aria-label="Sessions">
            {GROUPS.map(([group, name]) => {
                const members = all.filter((entry) => entry.group === group);
                if (members.length === 0) return null;
                return (
                    <section key={group} class={`group group-${group}`} aria-labelledby={`group-${group}`}>
                        <h2 id={`group-${group}`} class="group-name">
                            {name}
                        </h2>
                        <ul class="rows">
                            {members.map((entry) => (
                                <li key={entry.view.session.sessionId}>
                                    <Row entry={entry} />
                                </li>
                            ))}
                        </ul>
                    </section>
                );
            })}
        </nav>
    );
}

/** No list has come: why, and what is known from the last time. */
function Unreached({ alone }: { alone: boolean }) {
    const away = isAway();
    return (
        <>
            {(alone || !away) && <Away shape={!alone} />}
            {away && <LastKnown />}
        </>
    );
}

function Row({ entry }: { entry: Entry }) {
    const { view, waiting } = entry;
    const { session } = view;
    const shown = entry.group === "needs_you" && entry.state === "working" ? "waiting" : entry.state;
    const here = route.value.screen === "session" && route.value.sessionId === session.sessionId;
    return (
        <a class="row" href={hrefOf({ screen: "session", sessionId: session.sessionId })} aria-current={here ? "page" : undefined}>
            <StateGlyph state={shown} />
            <span class="row-main">
                <span class="row-title">
                    <Foreign>{titleOf(session)}</Foreign>
                </span>
                <span class="row-facts">
                    <Where path={session.cwd} folder={folderOf(session)} />
                    <span class="nowrap">
                        <Icon node={Laptop} small />
                        <Foreign>{machine.value}</Foreign>
                    </span>
                </span>
                <span class={`row-facts glyph-${LOOKS[shown].role}`}>
                    <span>
                        {waiting > 0 ? (waiting === 1 ? "1 question" : `${waiting} questions`) : LOOKS[shown].words}
                        {", "}
                        <Ago at={session.status.since} />
                    </span>
                </span>
            </span>
        </a>
    );
}

/** A folder, shortened at its start so that the end that tells folders apart is seen. */
function Where({ path, folder }: { path: string | undefined; folder: string }) {
    if (path === undefined || path === "") return null;
    return (
        <span class="mono clipped" title={path}>
            <Foreign>{shortPath(path) || folder}</Foreign>
        </span>
    );
}

/** Nothing to see, and how to have something. */
export function NoPi() {
    return (
        <Notice icon={Terminal} title="No Pi is running">
            <p>
                Start one on {machine.value === "this computer" ? "this computer" : <Foreign>{machine.value}</Foreign>}. It appears here at
                once.
            </p>
            <code class="command">mirrord pi</code>
        </Notice>
    );
}
