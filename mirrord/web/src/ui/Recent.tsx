import { MessageCircleQuestionMark } from "lucide";

import type { Happening, SessionView } from "../core/state.ts";
import { Icon } from "../design/Icon.tsx";
import type { Verdict } from "../protocol.ts";
import { Ago, Foreign } from "./Foreign.tsx";
import { SEVERITIES } from "./Toasts.tsx";

/** What happened while this page looked on. */
export function Recent({ view }: { view: SessionView }) {
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
    const { icon, words, role } = SEVERITIES[one.severity];
    return (
        <span class="line">
            <span class={`glyph glyph-${role}`}>
                <Icon node={icon} label={words} />
            </span>
            <span>
                <Foreign class="long">{one.text}</Foreign>
                {one.source !== undefined && (
                    <span class="secondary ending">
                        <Foreign>{one.source}</Foreign>
                    </span>
                )}
            </span>
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
