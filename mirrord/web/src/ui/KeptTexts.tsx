import { CopyButton } from "../cards/CopyButton.tsx";
import { keptTexts } from "../cards/kept.ts";
import { asTyped } from "../core/composer/recall.ts";
import { drafts, draftsChanged } from "../edge/app.ts";
import { conversation } from "../edge/chat.ts";
import { textsIn } from "../edge/composing.ts";
import { Foreign } from "./Foreign.tsx";

interface KeptTextsProps {
    readonly sessionId: string;
    /** What was typed as answers, or for Pi. */
    readonly of: "questions" | "messages";
}

/** What was typed for a session that is not there. */
export function KeptTexts({ sessionId, of }: KeptTextsProps) {
    draftsChanged.value;
    const texts = of === "messages" ? messages(sessionId) : answers(sessionId);
    if (texts.length === 0) return null;
    return (
        <section class="page kept" aria-label="What you typed">
            {texts.map(({ label, what, text, content = text }, place) => (
                <figure key={place} class="panel kept-text">
                    <figcaption class="secondary">
                        {label === undefined ? (
                            what
                        ) : (
                            <>
                                You typed for “<Foreign>{label}</Foreign>”. It is kept.
                            </>
                        )}
                    </figcaption>
                    <p class="long">
                        <Foreign>{text}</Foreign>
                    </p>
                    <CopyButton text={content} />
                </figure>
            ))}
        </section>
    );
}

/** `label`: the question that it was typed for. `what`: what became of it otherwise. */
interface Kept {
    readonly label?: string;
    readonly what?: string;
    readonly text: string;
    /** The same as it is meant, where marks stand for characters in it. */
    readonly content?: string;
}

function answers(sessionId: string): readonly Kept[] {
    return drafts.promptsIn(sessionId).flatMap((prompt) => keptTexts(prompt, drafts.of(prompt).read()));
}

/** What was typed, and what went out and has come to no end: nobody will tell of it any more. */
function messages(sessionId: string): readonly Kept[] {
    const sent = conversation(sessionId).value.turns.map((turn): Kept => {
        const what = turn.stage === "rejected" ? "You sent this, and Pi did not get it." : "You sent this, and nobody can tell whether Pi took it.";
        return { what: `${what} It is kept.`, text: asTyped(turn) };
    });
    const typed = textsIn(sessionId).map((text): Kept => ({ what: "You typed this for Pi and did not send it. It is kept.", text }));
    return [...sent, ...typed];
}
