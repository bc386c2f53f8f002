import { AppWindow, MessageSquareOff, TriangleAlert } from "lucide";

import { Timeline } from "../chat/later.tsx";
import { rowStands, type Ambient } from "../core/ambient.ts";
import { noConversation } from "../core/chat/absence.ts";
import { stateOf, titleOf } from "../core/listing.ts";
import { fresh, type SessionView } from "../core/state.ts";
import { Icon } from "../design/Icon.tsx";
import { steady } from "../design/steady.ts";
import { daemonClock, state } from "../edge/app.ts";
import { actions, conversation } from "../edge/chat.ts";
import { around } from "../edge/surroundings.ts";
import type { Region } from "../protocol.ts";
import { Surroundings } from "../surfaces/around.ts";
import { Panel } from "../surfaces/later.tsx";
import { WorkingRow } from "../surfaces/WorkingRow.tsx";
import { AbsentHead, Awaiting, Gone, isAwaited } from "./Absent.tsx";
import { Dock, type Conversing } from "./Dock.tsx";
import { Foreign } from "./Foreign.tsx";
import { Guarded } from "./Guarded.tsx";
import { Quiet } from "./Quiet.tsx";
import { Recent } from "./Recent.tsx";
import { SessionHead } from "./SessionHead.tsx";
import { useNotices } from "./useNotices.ts";

/** One session: its conversation under a bar that floats, and at the foot what waits for an answer and the composer. */
export function SessionPage({ sessionId, alone }: { sessionId: string; alone: boolean }) {
    const view = state.value.sessions.get(sessionId);
    const why = view && noConversation(view.session);
    if (view === undefined && !isAwaited()) {
        return (
            <>
                <AbsentHead sessionId={sessionId} alone={alone} />
                <Gone sessionId={sessionId} />
            </>
        );
    }
    return (
        <Surroundings.Provider value={around(sessionId)}>
            {view === undefined ? <AbsentHead sessionId={sessionId} alone={alone} /> : <SessionHead view={view} alone={alone} />}
            {view !== undefined && why !== undefined ? <Alone view={view} why={why} /> : <Talk sessionId={sessionId} view={view} />}
        </Surroundings.Provider>
    );
}

/**
 * With its conversation. What happened is told there; notifications are toasts, and stand in the details. One that is not listed yet can be
 * typed into already, and its composer stays when it comes.
 */
function Talk({ sessionId, view }: { sessionId: string; view: SessionView | undefined }) {
    const talk = { conversation: conversation(sessionId).value, actions: actions(sessionId) };
    const shown = view ?? fresh({ sessionId, status: { state: "unknown", since: 0 } });
    useNotices(talk, shown);
    return (
        <>
            <div class="page page-talk">
                {view === undefined ? <Awaiting sessionId={sessionId} /> : <Told view={view} talk={talk} />}
            </div>
            <Dock view={shown} talk={talk} />
        </>
    );
}

function Told({ view, talk }: { view: SessionView; talk: Conversing }) {
    const { ambient, session } = view;
    // That Pi waits before it tries again is told by the composer.
    const stands = rowStands(ambient, stateOf(view) === "working" && talk.conversation.agent?.retrying === undefined);
    return (
        <>
            <PiRegion name="Header" region={ambient.header} />
            <Facts view={view} />
            <Messages {...talk} sessionId={session.sessionId} footer={ambient.footer} {...(stands && { row: ambient.workingRow })} />
        </>
    );
}

interface MessagesProps extends Conversing {
    readonly sessionId: string;
    readonly footer: Region | undefined;
    /** That Pi works; absent where it does not, or the row is hidden. */
    readonly row?: Ambient["workingRow"];
}

/** A panel that moves draws no row. */
const Messages = steady(({ row, footer, ...talk }: MessagesProps) => (
    <Timeline {...talk} now={daemonClock}>
        {row !== undefined && <WorkingRow row={row} />}
        <PiRegion name="Footer" region={footer} />
    </Timeline>
));

/** What there is of a session whose extension tells no conversation: its questions and panels. */
function Alone({ view, why }: { view: SessionView; why: string }) {
    const { ambient } = view;
    return (
        <>
            <div class="page">
                <PiRegion name="Header" region={ambient.header} />
                <Facts view={view} />
                <Recent view={view} />
                {view.prompts.length === 0 && <Quiet view={view} />}
                <p class="line secondary">
                    <Icon node={MessageSquareOff} small />
                    <span>{why}</span>
                </p>
                {rowStands(ambient, stateOf(view) === "working") && <WorkingRow row={ambient.workingRow} />}
                <PiRegion name="Footer" region={ambient.footer} />
            </div>
            <Dock view={view} />
        </>
    );
}

/** What an extension put in the place of Pi's header or footer. */
function PiRegion({ name, region }: { name: "Header" | "Footer"; region: Region | undefined }) {
    if (region === undefined) return null;
    return (
        <Guarded subject={region}>
            <Panel name={name} region={region} />
        </Guarded>
    );
}

/** The title that an extension gave the terminal, and what the daemon has to say of the session. */
function Facts({ view }: { view: SessionView }) {
    const notices = view.session.notices ?? [];
    const { title } = view.ambient;
    const isNews = title !== undefined && title.trim() !== "" && title !== titleOf(view.session);
    if (notices.length === 0 && !isNews) return null;
    return (
        <section class="stack" aria-label="Status">
            {isNews && (
                <p class="line secondary">
                    <Icon node={AppWindow} label="Title" small />
                    <Foreign>{title}</Foreign>
                </p>
            )}
            {notices.map((notice) => (
                <p key={notice} class="line glyph-warning">
                    <Icon node={TriangleAlert} label="Warning" />
                    <Foreign>{notice}</Foreign>
                </p>
            ))}
        </section>
    );
}
