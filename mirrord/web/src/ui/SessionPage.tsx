import {
    Bell,
    ChevronLeft,
    CircleAlert,
    CircleX,
    Info,
    LoaderCircle,
    MessageCircleQuestionMark,
    TriangleAlert,
    type IconNode,
} from "lucide";
import { useEffect, useRef, useState } from "preact/hooks";

import { exact } from "../core/age.ts";
import { shortPath, stateOf, titleOf, waitingInAll, waitingIn } from "../core/listing.ts";
import type { Happening, SessionView } from "../core/state.ts";
import { Icon } from "../design/Icon.tsx";
import { clock, link, machine, state } from "../edge/app.ts";
import { hrefOf } from "../edge/route.ts";
import type { NotifyType, Verdict } from "../protocol.ts";
import { Away } from "./Away.tsx";
import { Dialog } from "./Dialog.tsx";
import { Ago, Foreign } from "./Foreign.tsx";
import { KeptTexts } from "./KeptTexts.tsx";
import { Notice } from "./Notice.tsx";
import { KeptOf, Prompts } from "./Prompts.tsx";
import { LOOKS, StateGlyph } from "./status.tsx";

/** One session: what it is and does, and the prompts that wait. */
export function SessionPage({ sessionId, alone }: { sessionId: string; alone: boolean }) {
    const view = state.value.sessions.get(sessionId);
    if (view === undefined) return <Absent sessionId={sessionId} alone={alone} />;
    return (
        <>
            <Head view={view} alone={alone} />
            <div class="page">
                <Facts view={view} />
                <Recent view={view} />
                {view.prompts.length === 0 && <Quiet view={view} />}
            </div>
            <Prompts view={view} />
        </>
    );
}

function Head({ view, alone }: { view: SessionView; alone: boolean }) {
    const [details, setDetails] = useState(false);
    const heading = useRef<HTMLHeadingElement | null>(null);
    const shown = stateOf(view);
    const { sessionId } = view.session;
    useEffect(() => heading.current?.focus({ preventScroll: true }), [sessionId]);
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
            <button type="button" class="button button-icon" aria-label="About this session" onClick={() => setDetails(true)}>
                <Icon node={Info} />
            </button>
            {details && <Details view={view} close={() => setDetails(false)} />}
        </header>
    );
}

/** To the list; says how many wait elsewhere. */
function Back({ except }: { except?: SessionView }) {
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

function Details({ view, close }: { view: SessionView; close: () => void }) {
    const { session } = view;
    const facts: readonly (readonly [string, string | undefined])[] = [
        ["Machine", machine.value],
        ["Folder", session.cwd],
        ["Terminal title", view.title],
        ["State", LOOKS[stateOf(view)].words],
        ["Since", exact(session.status.since)],
        ["Told by", session.status.source === "daemon" ? "mirrord" : "Pi"],
        ["Pi", session.piVersion],
        ["Process", session.pid?.toString()],
        ["Conversation", session.conversationId],
    ];
    return (
        <Dialog title="About this session" close={close}>
            <dl class="facts">
                {facts.map(([name, value]) =>
                    value === undefined || value === "" ? null : (
                        <div key={name}>
                            <dt>{name}</dt>
                            <dd>
                                <Foreign>{value}</Foreign>
                            </dd>
                        </div>
                    ),
                )}
            </dl>
        </Dialog>
    );
}

function Facts({ view }: { view: SessionView }) {
    const notices = view.session.notices ?? [];
    if (notices.length === 0 && view.statuses.length === 0) return null;
    return (
        <section class="stack" aria-label="Status">
            {notices.map((notice) => (
                <p key={notice} class="line glyph-warning">
                    <Icon node={TriangleAlert} label="Warning" />
                    <Foreign>{notice}</Foreign>
                </p>
            ))}
            {view.statuses.length > 0 && (
                <ul class="statuses">
                    {view.statuses.map(({ key, text }) => (
                        <li key={key} class="status">
                            <Foreign class="secondary">{key}</Foreign>
                            <Foreign class="mono">{text}</Foreign>
                        </li>
                    ))}
                </ul>
            )}
        </section>
    );
}

const SEVERITY: Readonly<Record<NotifyType, { readonly icon: IconNode; readonly words: string; readonly role: string }>> = {
    info: { icon: Bell, words: "Notice", role: "quiet" },
    warning: { icon: TriangleAlert, words: "Warning", role: "warning" },
    error: { icon: CircleX, words: "Error", role: "danger" },
};

/** What happened while this page looked on. */
function Recent({ view }: { view: SessionView }) {
    if (view.recent.length === 0) return null;
    return (
        <section class="stack" aria-labelledby="recent">
            <h2 id="recent" class="group-name">
                Since you opened this page
            </h2>
            <ol class="happenings">
                {view.recent.map((one) => (
                    <li key={one.id} class="happening">
                        {one.kind === "notify" ? <Notified one={one} /> : <SettledLine one={one} />}
                        <span class="secondary nowrap">
                            <Ago at={one.at} />
                        </span>
                    </li>
                ))}
            </ol>
        </section>
    );
}

function Notified({ one }: { one: Happening }) {
    const { icon, words, role } = SEVERITY[one.severity];
    return (
        <span class="line">
            <span class={`glyph glyph-${role}`}>
                <Icon node={icon} label={words} />
            </span>
            <Foreign class="long">{one.text}</Foreign>
        </span>
    );
}

function SettledLine({ one }: { one: Happening }) {
    return (
        <span class="line">
            <span class="glyph glyph-quiet">
                <Icon node={MessageCircleQuestionMark} label="Question" />
            </span>
            <span>
                <Foreign>{one.text}</Foreign>
                {one.verdict !== undefined && (
                    <span class="secondary ending">
                        {endingOf(one.verdict)}
                        {one.verdict.answer !== undefined && (
                            <>
                                {": "}
                                <Foreign>{one.verdict.answer}</Foreign>
                            </>
                        )}
                    </span>
                )}
            </span>
        </span>
    );
}

function endingOf({ outcome, winner, winnerName }: Verdict) {
    const who = winner === "remote" ? <Foreign>{winnerName ?? "another device"}</Foreign> : "the terminal";
    switch (outcome) {
        case "answered":
            return <>Answered by {who}</>;
        case "cancelled":
            return <>Cancelled by {who}</>;
        case "timed_out":
            return "Its time ran out";
        case "withdrawn":
            return "Withdrawn by Pi";
    }
}

/** No prompt waits: what the state means. */
function Quiet({ view }: { view: SessionView }) {
    const shown = stateOf(view);
    const { icon, words, meaning } = LOOKS[shown];
    const calm = shown === "waiting" ? "Nothing to answer here" : words;
    return (
        <Notice icon={icon} title={calm} spin={shown === "working"}>
            <p>{shown === "waiting" ? "Pi waits at its terminal." : meaning}</p>
            {view.session.cwd !== undefined && (
                <p class="mono secondary">
                    <Foreign>{shortPath(view.session.cwd)}</Foreign>
                </p>
            )}
        </Notice>
    );
}

/** A daemon that was just started meets its terminals within so long. */
const MEETING_MS = 8_000;

function Absent({ sessionId, alone }: { sessionId: string; alone: boolean }) {
    return (
        <>
            <header class="bar">
                {alone && <Back />}
                <div class="bar-middle">
                    <h1 class="bar-title">Session</h1>
                </div>
            </header>
            <Missing sessionId={sessionId} />
        </>
    );
}

function Missing({ sessionId }: { sessionId: string }) {
    const { welcomedAt } = state.value;
    if (welcomedAt === undefined || link.value?.kind !== "live" || clock.value - welcomedAt < MEETING_MS) {
        return (
            <>
                {welcomedAt === undefined ? (
                    <Away />
                ) : (
                    <Notice icon={LoaderCircle} title="Looking for this session" spin>
                        <p>If its Pi still runs, it reports within seconds.</p>
                    </Notice>
                )}
                <KeptTexts sessionId={sessionId} />
            </>
        );
    }
    return (
        <>
            <Notice icon={CircleAlert} title="This session is gone">
                <p>Its Pi has quit, or mirrord no longer lists it.</p>
                <a class="button button-outline" href={hrefOf({ screen: "sessions" })}>
                    Show all sessions
                </a>
            </Notice>
            <KeptOf sessionId={sessionId} />
        </>
    );
}
