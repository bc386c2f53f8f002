import { MessageCircleQuestionMark, X } from "lucide";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

import { waitingIn } from "../core/listing.ts";
import { Icon } from "../design/Icon.tsx";
import { MoreWait } from "../design/MoreWait.tsx";
import { useModal } from "../design/useModal.ts";
import { state } from "../edge/app.ts";
import { showing } from "../edge/presence.ts";

interface Props {
    readonly title: string;
    readonly close: () => void;
    /** As much as a page: on a phone it is the whole screen. */
    readonly whole?: boolean;
    readonly children: ComponentChildren;
}

/**
 * A window over the page, open as long as it is drawn and no other one was there before it. Esc, the cross and a press beside it call
 * `close`; the focus goes back.
 */
export function Dialog({ title, close, whole = false, children }: Props) {
    const ref = useRef<HTMLDialogElement | null>(null);
    const id = useId();
    const mayOpen = useModal();
    useEffect(() => {
        if (!mayOpen) return undefined;
        const before = document.activeElement;
        ref.current?.showModal();
        // Else the first button in it has the focus, and Enter closes what was just opened.
        ref.current?.focus({ preventScroll: true });
        return () => {
            const isThere = before instanceof HTMLElement && before.isConnected && before !== document.body;
            (isThere ? before : document.getElementById("main"))?.focus({ preventScroll: true });
        };
    }, [mayOpen]);
    return (
        <dialog
            ref={ref}
            class={whole ? "dialog dialog-whole" : "dialog"}
            aria-labelledby={id}
            tabIndex={-1}
            onClose={close}
            onClick={(event) => {
                if (event.target === event.currentTarget) close();
            }}
        >
            <div class="dialog-body">
                <header class="dialog-head">
                    <h2 id={id}>{title}</h2>
                    <Questions close={close} />
                    <MoreWait />
                    <button type="button" class="button button-icon button-quiet" aria-label="Close" onClick={close}>
                        <Icon node={X} />
                    </button>
                </header>
                {children}
            </div>
        </dialog>
    );
}

/** A question that comes while this is open opens nothing over it: it is counted, and one press away. */
function Questions({ close }: { close: () => void }) {
    const view = state.value.sessions.get(showing.value ?? "");
    const count = view === undefined ? 0 : waitingIn(view);
    if (count === 0) return null;
    return (
        <button type="button" class="button dialog-questions" onClick={close}>
            <Icon node={MessageCircleQuestionMark} small />
            {count === 1 ? "1 question waits" : `${count} questions wait`}
        </button>
    );
}
