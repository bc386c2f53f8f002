import { Dialog } from "./Dialog.tsx";

const KEYS = [
    ["1 to 9", "Choose an option of the card"],
    ["↑ ↓", "Move between options"],
    ["Enter", "Send; in a text of several lines with Ctrl or ⌘"],
    ["Esc", "Step out of a text, then to Ignore"],
    ["N", "Go to the next session that needs you"],
    ["?", "Show these keys"],
] as const;

/** The keys, as a list. */
export function Keys() {
    return (
        <dl class="facts panel keys">
            {KEYS.map(([key, does]) => (
                <div key={key}>
                    <dt>
                        <kbd>{key}</kbd>
                    </dt>
                    <dd>{does}</dd>
                </div>
            ))}
        </dl>
    );
}

export function Help({ close }: { close: () => void }) {
    return (
        <Dialog title="Keys" close={close}>
            <Keys />
        </Dialog>
    );
}
