import { Bell, CircleCheck, CircleX, MessageCircleQuestionMark, TriangleAlert, X } from "lucide";

import { Icon } from "../design/Icon.tsx";
import { dismissToast, toasts, toastsHeld } from "../edge/app.ts";
import { hrefOf } from "../edge/route.ts";
import { Foreign } from "./Foreign.tsx";

/** How news of each severity looks. */
export const SEVERITIES = {
    info: { icon: Bell, words: "Notice", role: "quiet" },
    warning: { icon: TriangleAlert, words: "Warning", role: "warning" },
    error: { icon: CircleX, words: "Error", role: "danger" },
} as const;

const CALLS = {
    waiting: { icon: MessageCircleQuestionMark, words: "Question", role: "accent" },
    yourTurn: { icon: CircleCheck, words: "Your turn", role: "success" },
    failed: { icon: CircleX, words: "Failed", role: "danger" },
    over: SEVERITIES.info,
    unknown: SEVERITIES.info,
} as const;

/** Notifications of sessions, newest last. They wait while the pointer or the focus is on them. */
export function Toasts() {
    const hold = () => (toastsHeld.value = true);
    const release = () => (toastsHeld.value = false);
    return (
        <div
            class="toasts"
            role="log"
            aria-label="Notifications"
            onPointerEnter={hold}
            onPointerLeave={release}
            onFocusIn={hold}
            onFocusOut={release}
        >
            {toasts.value.map((toast) => {
                const { icon, words, role } = toast.call === undefined ? SEVERITIES[toast.severity] : CALLS[toast.call];
                const prompt = toast.promptId === undefined ? {} : { prompt: toast.promptId };
                return (
                    <div key={toast.id} class={`toast toast-${role}`}>
                        <span class={`glyph glyph-${role}`}>
                            <Icon node={icon} label={words} />
                        </span>
                        <a
                            class="toast-text"
                            href={hrefOf({ screen: "session", sessionId: toast.sessionId, ...prompt })}
                            onClick={() => dismissToast(toast.id)}
                        >
                            <Foreign class="toast-words">{toast.text}</Foreign>
                            <Foreign class="secondary">{toast.from}</Foreign>
                        </a>
                        <button
                            type="button"
                            class="button button-icon button-quiet"
                            aria-label="Dismiss"
                            onClick={() => dismissToast(toast.id)}
                        >
                            <Icon node={X} />
                        </button>
                    </div>
                );
            })}
        </div>
    );
}
