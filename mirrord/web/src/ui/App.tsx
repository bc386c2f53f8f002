import { CircleAlert, MessageCircleQuestionMark, MessagesSquare, TriangleAlert } from "lucide";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

import { entries, titleOf } from "../core/listing.ts";
import { Announced } from "../design/Announced.tsx";
import { link, said, standing, state } from "../edge/app.ts";
import { shortcuts } from "../edge/preferences.ts";
import { go, hrefOf, linkedCode, route } from "../edge/route.ts";
import { wide } from "../edge/viewport.ts";
import { Away } from "./Away.tsx";
import { Boundary } from "./Boundary.tsx";
import { Foreign } from "./Foreign.tsx";
import { Help } from "./Help.tsx";
import { SettingsPage } from "./later.tsx";
import { LinkBanner } from "./LinkBanner.tsx";
import { Notice } from "./Notice.tsx";
import { Pairing } from "./Pairing.tsx";
import { NoPi, SessionList } from "./SessionList.tsx";
import { SessionPage } from "./SessionPage.tsx";
import { Stopped } from "./Stopped.tsx";
import { Toasts } from "./Toasts.tsx";
import { WelcomeNotice } from "./WelcomeNotice.tsx";

export function App() {
    return (
        <>
            <Area name="page">
                <Screen />
            </Area>
            <Area name="notifications">
                <Toasts />
            </Area>
            <Announcer />
        </>
    );
}

function Screen() {
    const here = standing.value;
    if (here.kind === "loading") return null;
    if (here.kind === "unable") {
        return (
            <main>
                <Notice icon={CircleAlert} title="mirrord cannot work here" role="danger" whole>
                    <p>{here.why}</p>
                </Notice>
            </main>
        );
    }
    const linked = linkedCode.value;
    // Another link begins anew.
    if (here.kind === "unpaired") return <Pairing key={linked} />;
    if (linked !== undefined) return <Pairing key={linked} dismiss={() => (linkedCode.value = undefined)} />;
    if (link.value?.kind === "stopped") {
        return (
            <main>
                <Stopped link={link.value} />
            </main>
        );
    }
    return <Shell />;
}

function Shell() {
    const [help, setHelp] = useState(false);
    useKeys(() => setHelp(true));
    const { value: at } = route;
    const both = wide.value;
    const detail = at.screen === "sessions" ? undefined : at;
    return (
        <div class={both ? "shell shell-wide" : "shell"}>
            {both && (
                <a class="skip button button-primary" href="#main" onClick={toMain}>
                    Skip to the session
                </a>
            )}
            <LinkBanner />
            <WelcomeNotice />
            {(both || detail === undefined) && (
                <Pane main={!both} class="pane-list">
                    <Area name="list of sessions">
                        <SessionList alone={!both} />
                    </Area>
                </Pane>
            )}
            {(both || detail !== undefined) && (
                <Pane main class="pane-detail">
                    {detail === undefined ? (
                        <Nobody />
                    ) : (
                        <Area key={detail.screen === "session" ? detail.sessionId : detail.screen} name="session">
                            {detail.screen === "session" ? <SessionPage sessionId={detail.sessionId} alone={!both} /> : <SettingsPage />}
                        </Area>
                    )}
                </Pane>
            )}
            {help && <Help close={() => setHelp(false)} />}
        </div>
    );
}

function Pane({ main, class: name, children }: { main: boolean; class: string; children: ComponentChildren }) {
    return main ? (
        <main id="main" class={`pane ${name}`} tabIndex={-1}>
            {children}
        </main>
    ) : (
        <aside class={`pane ${name}`}>{children}</aside>
    );
}

/** Beside the list, nothing is chosen. */
function Nobody() {
    const all = entries(state.value);
    const waiting = all.filter((entry) => entry.group === "needs_you");
    const [first] = waiting;
    if (all.length === 0) return state.value.welcomedAt === undefined ? <Away /> : <NoPi />;
    if (first === undefined) {
        return (
            <Notice icon={MessagesSquare} title="Nobody needs you">
                <p>Choose a session on the side to see what it does.</p>
            </Notice>
        );
    }
    const { session } = first.view;
    return (
        <Notice
            icon={MessageCircleQuestionMark}
            title={waiting.length === 1 ? "One session needs you" : `${waiting.length} sessions need you`}
            role="accent"
        >
            <a class="button button-primary" href={hrefOf({ screen: "session", sessionId: session.sessionId })}>
                <span>
                    Open <Foreign>{titleOf(session)}</Foreign>
                </span>
            </a>
        </Notice>
    );
}

/** A part of the page whose errors stay in it. */
function Area({ name, children }: { name: string; children: ComponentChildren }) {
    return (
        <Boundary
            subject={`${route.value.screen}`}
            fallback={(again) => (
                <Notice icon={TriangleAlert} title={`The ${name} could not be shown`} role="danger">
                    <p>This is a fault of the page. Nothing was answered or cancelled by it; the terminal still has everything.</p>
                    <button type="button" class="button button-outline" onClick={again}>
                        Try again
                    </button>
                </Notice>
            )}
        >
            {children}
        </Boundary>
    );
}

/** What a screen reader says, one sentence at a time. */
function Announcer() {
    const { urgent, ...sentence } = said.value;
    return (
        <>
            <div class="visually-hidden" role="status">
                {!urgent && <Announced {...sentence} />}
            </div>
            <div class="visually-hidden" role="alert">
                {urgent && <Announced {...sentence} />}
            </div>
        </>
    );
}

function toMain(event: Event): void {
    event.preventDefault();
    document.getElementById("main")?.focus();
}

/** Keys of the page: only where nothing else wants them. */
function useKeys(help: () => void): void {
    useEffect(() => {
        const press = (event: KeyboardEvent) => {
            if (!shortcuts.peek() || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
            if (isTyping(event.target) || document.querySelector("dialog[open]") !== null) return;
            if (event.key === "?") help();
            else if (event.key === "n" || event.key === "N") nextThatNeedsYou();
        };
        addEventListener("keydown", press);
        return () => removeEventListener("keydown", press);
    }, []);
}

function isTyping(target: EventTarget | null): boolean {
    return target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

function nextThatNeedsYou(): void {
    const waiting = entries(state.peek()).filter((entry) => entry.group === "needs_you");
    const { value: at } = route;
    const here = at.screen === "session" ? waiting.findIndex((entry) => entry.view.session.sessionId === at.sessionId) : -1;
    const next = waiting[(here + 1) % waiting.length];
    if (next !== undefined) go({ screen: "session", sessionId: next.view.session.sessionId });
}
