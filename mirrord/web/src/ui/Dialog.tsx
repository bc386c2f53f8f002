import { X } from "lucide";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

import { Icon } from "../design/Icon.tsx";

/** A window over the page, open as long as it is drawn. Esc, the cross and a press beside it call `close`; the focus goes back. */
export function Dialog({ title, close, children }: { title: string; close: () => void; children: ComponentChildren }) {
    const ref = useRef<HTMLDialogElement | null>(null);
    const id = useId();
    useEffect(() => {
        const before = document.activeElement;
        ref.current?.showModal();
        return () => {
            if (before instanceof HTMLElement) before.focus();
        };
    }, []);
    return (
        <dialog
            ref={ref}
            class="dialog"
            aria-labelledby={id}
            onClose={close}
            onClick={(event) => {
                if (event.target === event.currentTarget) close();
            }}
        >
            <div class="dialog-body">
                <header class="dialog-head">
                    <h2 id={id}>{title}</h2>
                    <button type="button" class="button button-icon button-quiet" aria-label="Close" onClick={close}>
                        <Icon node={X} />
                    </button>
                </header>
                {children}
            </div>
        </dialog>
    );
}
