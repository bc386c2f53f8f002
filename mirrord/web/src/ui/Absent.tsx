import { CircleAlert, LoaderCircle } from "lucide";

import { clock, link, state } from "../edge/app.ts";
import { known } from "../edge/known.ts";
import { hrefOf } from "../edge/route.ts";
import { Away } from "./Away.tsx";
import { Foreign } from "./Foreign.tsx";
import { KeptTexts } from "./KeptTexts.tsx";
import { Notice } from "./Notice.tsx";
import { KeptOf } from "./Prompts.tsx";
import { Back } from "./SessionHead.tsx";

/** A daemon that was just started meets its terminals within so long. */
const MEETING_MS = 8_000;

/** Whether a session that is not listed may be soon: the daemon was not reached yet, or only just. */
export function isAwaited(): boolean {
    const { welcomedAt } = state.value;
    return welcomedAt === undefined || link.value?.kind !== "live" || clock.value - welcomedAt < MEETING_MS;
}

/** The bar of a session that is not there, by the name that it had. */
export function AbsentHead({ sessionId, alone }: { sessionId: string; alone: boolean }) {
    const title = known.value.sessions.find((one) => one.sessionId === sessionId)?.title;
    return (
        <header class="bar">
            {alone && <Back />}
            <div class="bar-middle">
                <h1 class="bar-title">{title === undefined ? "Session" : <Foreign>{title}</Foreign>}</h1>
            </div>
        </header>
    );
}

/** In the place of a conversation that may come any moment. */
export function Awaiting({ sessionId }: { sessionId: string }) {
    return (
        <>
            {state.value.welcomedAt === undefined ? (
                <Away />
            ) : (
                <Notice icon={LoaderCircle} title="Looking for this session" spin>
                    <p>If its Pi still runs, it reports within seconds.</p>
                </Notice>
            )}
            <KeptTexts sessionId={sessionId} of="questions" />
        </>
    );
}

/** A session that is listed no more, and what was typed for it. */
export function Gone({ sessionId }: { sessionId: string }) {
    return (
        <>
            <Notice icon={CircleAlert} title="This session is gone">
                <p>Its Pi has quit, or mirrord no longer lists it.</p>
                <a class="button button-outline" href={hrefOf({ screen: "sessions" })}>
                    Show all sessions
                </a>
            </Notice>
            <KeptTexts sessionId={sessionId} of="messages" />
            <KeptOf sessionId={sessionId} />
        </>
    );
}
