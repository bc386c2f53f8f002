import { CopyButton } from "../cards/CopyButton.tsx";
import { keptTexts } from "../cards/kept.ts";
import { drafts, draftsChanged } from "../edge/app.ts";
import { Foreign } from "./Foreign.tsx";

/** What was typed for questions of a session while nobody can tell whether they still wait. */
export function KeptTexts({ sessionId }: { sessionId: string }) {
    draftsChanged.value;
    const texts = drafts.promptsIn(sessionId).flatMap((prompt) => keptTexts(prompt, drafts.of(prompt).read()));
    if (texts.length === 0) return null;
    return (
        <section class="page kept" aria-label="What you typed">
            {texts.map(({ label, text }, place) => (
                <figure key={place} class="panel kept-text">
                    <figcaption class="secondary">
                        You typed for “<Foreign>{label}</Foreign>”. It is kept.
                    </figcaption>
                    <p class="long">
                        <Foreign>{text}</Foreign>
                    </p>
                    <CopyButton text={text} />
                </figure>
            ))}
        </section>
    );
}
