import { useState } from "preact/hooks";

import { CopyButton } from "../../cards/CopyButton.tsx";
import { ago, exact } from "../../core/age.ts";
import { cannot, report, type Fact } from "../../core/details.ts";
import { stateOf } from "../../core/listing.ts";
import type { SessionView } from "../../core/state.ts";
import { daemonClock, machine, state } from "../../edge/app.ts";
import { conversation } from "../../edge/chat.ts";
import { Dialog } from "../Dialog.tsx";
import { Ago } from "../Foreign.tsx";
import { Recent } from "../Recent.tsx";
import { LOOKS, StateGlyph } from "../status.tsx";
import { Facts, Sentences } from "./parts.tsx";
import { SessionNotifications } from "./SessionNotifications.tsx";
import { useLinkFacts } from "./useLinkFacts.ts";

const TOLD_BY: ReadonlyMap<string, string> = new Map([
    ["pi", "Pi"],
    ["daemon", "mirrord"],
    ["screen", "The terminal’s screen"],
]);

export interface DetailsProps {
    readonly view: SessionView;
    readonly close: () => void;
}

/** All there is to know about a session, and as much of it as may be in a report. */
export function SessionDetails({ view, close }: DetailsProps) {
    const { session, ambient } = view;
    const shown = stateOf(view);
    const lacks = cannot(session.capabilities, conversation(session.sessionId).value.agent?.refuses ?? {});
    const notices = session.notices ?? [];
    const link = useLinkFacts();
    const facts: readonly Fact[] = [
        ["Since", exact(session.status.since)],
        ["Told by", TOLD_BY.get(session.status.source ?? "")],
        ["Last event", view.eventAt === undefined ? "Before this page came" : `${exact(view.eventAt)}, ${ago(view.eventAt, daemonClock.value)}`],
        ["Machine", machine.value],
        ["Folder", session.cwd],
        ["Process", session.pid?.toString()],
        ["Conversation", session.conversationId],
    ];
    // What extensions wrote stays on this screen: nobody knows what is in it.
    const drawn: readonly Fact[] = [
        ["Terminal title", ambient.title],
        ["Hidden thinking", ambient.hiddenThinkingLabel],
        ["Tool rows", ambient.toolsExpanded ? "Expanded at the terminal" : undefined],
    ];
    const versions: readonly Fact[] = [
        ["mirrord", state.value.server?.version],
        ["Extension", session.extensionVersion],
        ["Pi", session.piVersion],
    ];
    const text = report(
        [
            { heading: "Session", facts: [["State", LOOKS[shown].words], ...facts] },
            { heading: "Versions", facts: [...versions, ["Browser", navigator.userAgent]] },
            { heading: "Connection", facts: link },
            { heading: "What this Pi cannot do", lines: lacks },
            { heading: "What it can", lines: session.capabilities ?? [] },
            { heading: "Notices", lines: notices },
        ],
        daemonClock.value,
    );
    return (
        <Dialog title="About this session" close={close} whole>
            <div class="details">
                <p class="line">
                    <StateGlyph state={shown} />
                    <span>
                        {LOOKS[shown].words}, <Ago at={session.status.since} />
                    </span>
                </p>
                <Facts title="Session" facts={[...facts, ...drawn]} />
                <Facts title="Versions" facts={versions} />
                <Facts title="Connection" facts={link} />
                <Sentences title="What this Pi cannot do" sentences={lacks} none="Nothing that mirrord knows of." />
                {notices.length > 0 && <Sentences title="Notices" sentences={notices} />}
                <SessionNotifications sessionId={session.sessionId} />
                <Recent view={view} />
                <Report text={text} />
            </div>
        </Dialog>
    );
}

/** Everything above but what people and extensions wrote. */
function Report({ text }: { text: string }) {
    // Times go on: what somebody selects in it must not.
    const [shown, setShown] = useState(text);
    return (
        <section class="stack" aria-labelledby="report">
            <h3 id="report" class="group-name">
                For a report
            </h3>
            <p class="secondary">The facts above as text. No question, no name and nothing of the conversation is in it; the folder is.</p>
            <div class="actions">
                <CopyButton text={text} label="Copy as text" />
            </div>
            <details onToggle={() => setShown(text)}>
                <summary>Show the text</summary>
                <pre class="report mono">
                    <bdi class="foreign">{shown}</bdi>
                </pre>
            </details>
        </section>
    );
}
