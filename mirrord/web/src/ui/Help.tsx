import { enterSends } from "../edge/preferences.ts";
import { Dialog } from "./Dialog.tsx";

type Key = readonly [key: string, does: string];

const OF_PAGE: readonly Key[] = [
    ["N", "Go to the next session that needs you"],
    ["?", "Show these keys"],
    ["Esc", "Close what is on top"],
];

const OF_CONVERSATION: readonly Key[] = [
    ["↑ ↓", "Go from message to message"],
    ["End", "Go to the last one"],
    ["Ctrl End", "Go to what you write; ⌘ End on a Mac"],
];

const OF_QUESTIONS: readonly Key[] = [
    ["1 to 9", "Choose an option"],
    ["↑ ↓", "Move between options"],
    ["Enter", "Send; in a text of several lines with Ctrl or ⌘"],
    ["Esc", "Step out of a text, then to Ignore"],
];

function ofComposer(): readonly Key[] {
    const sends: readonly Key[] = enterSends.value
        ? [
              ["Enter", "Send"],
              ["Shift Enter", "Begin a line"],
          ]
        : [
              ["Ctrl Enter", "Send; ⌘ Enter on a Mac"],
              ["Enter", "Begin a line"],
          ];
    return [...sends, ["↑ ↓", "Bring back what was sent, at the edge of the text"], ["/", "Complete a command, at the start of the text"]];
}

/** The keys, as lists. */
export function Keys() {
    return (
        <div class="keys stack">
            <List name="Everywhere" keys={OF_PAGE} />
            <List name="In the conversation" keys={OF_CONVERSATION} />
            <List name="In a message" keys={ofComposer()} />
            <List name="On a question" keys={OF_QUESTIONS} />
        </div>
    );
}

function List({ name, keys }: { name: string; keys: readonly Key[] }) {
    return (
        <div class="stack">
            <h3 class="group-name">{name}</h3>
            <dl class="facts panel">
                {keys.map(([key, does]) => (
                    <div key={key}>
                        <dt>
                            <kbd>{key}</kbd>
                        </dt>
                        <dd>{does}</dd>
                    </div>
                ))}
            </dl>
        </div>
    );
}

export function Help({ close }: { close: () => void }) {
    return (
        <Dialog title="Keys" close={close}>
            <Keys />
        </Dialog>
    );
}
