import {
    CircleCheck,
    CircleDot,
    CirclePause,
    CircleQuestionMark,
    CircleSlash,
    CircleX,
    LoaderCircle,
    MessageCircleQuestionMark,
    RefreshCw,
    Unplug,
    type IconNode,
} from "lucide";

import type { ShownState } from "../core/listing.ts";
import { Icon } from "../design/Icon.tsx";

interface Look {
    readonly icon: IconNode;
    readonly words: string;
    /** A role of colour; the shape and the words say the same. */
    readonly role: string;
    /** What it means for who would like to answer; shown on an empty session page. */
    readonly meaning: string;
}

export const LOOKS: Readonly<Record<ShownState, Look>> = {
    waiting: { icon: MessageCircleQuestionMark, words: "Needs you", role: "accent", meaning: "Pi waits for an answer." },
    working: { icon: LoaderCircle, words: "Working", role: "plain", meaning: "When Pi asks something, it appears here." },
    retrying: {
        icon: RefreshCw,
        words: "Trying again",
        role: "warning",
        meaning: "The model could not be asked. Pi waits and tries again by itself.",
    },
    your_turn: {
        icon: CircleDot,
        words: "Your turn",
        role: "plain",
        meaning: "Pi has finished and waits for your next message at the terminal.",
    },
    idle: { icon: CircleCheck, words: "Idle", role: "quiet", meaning: "Nothing runs. When Pi asks something, it appears here." },
    failed: { icon: CircleX, words: "Failed", role: "danger", meaning: "The last turn failed. The terminal says more." },
    suspended: {
        icon: CirclePause,
        words: "Stopped",
        role: "warning",
        meaning: "Pi is stopped or does not react. Type fg in its terminal to go on.",
    },
    detached: {
        icon: Unplug,
        words: "Link lost",
        role: "warning",
        meaning: "mirrord has lost its link to Pi and connects again by itself when Pi lives.",
    },
    missing: {
        icon: RefreshCw,
        words: "Coming back",
        role: "warning",
        meaning: "mirrord was started again and waits for this Pi to report.",
    },
    ended: { icon: CircleSlash, words: "Ended", role: "quiet", meaning: "This Pi has quit. Start it again with mirrord pi." },
    unknown: {
        icon: CircleQuestionMark,
        words: "Unknown",
        role: "quiet",
        meaning: "This page is older than mirrord and does not know this state. Reload it.",
    },
};

/** The state's glyph; the words stand beside it. */
export function StateGlyph({ state }: { state: ShownState }) {
    const { icon, role } = LOOKS[state];
    return (
        <span class={`glyph glyph-${role}`}>
            <Icon node={icon} spin={state === "working"} />
        </span>
    );
}
