import { Composer } from "../chat/later.tsx";
import type { Conversation, ConversationActions } from "../chat/contract.ts";
import type { SessionView } from "../core/state.ts";
import { machine, say, standing, state } from "../edge/app.ts";
import { HandoffCard } from "../surfaces/later.tsx";
import { Placement } from "../surfaces/Placement.tsx";
import { Guarded } from "./Guarded.tsx";
import { Prompts, useQuestions } from "./Prompts.tsx";

export interface Conversing {
    readonly conversation: Conversation;
    readonly actions: ConversationActions;
}

interface DockProps {
    readonly view: SessionView;
    /** Absent where the session has no conversation. */
    readonly talk?: Conversing;
}

/** The foot of the page: what waits for an answer and the composer, between the panels of extensions above and below it. */
export function Dock({ view, talk }: DockProps) {
    const { ambient, prompts } = view;
    // Before the snapshot came nothing is known, and what it brings is no news.
    const isKnown = view.cursor !== undefined;
    return (
        <div class="dock">
            {isKnown && (
                <Guarded subject={ambient}>
                    <Placement side="above" ambient={ambient} waiting={prompts.length} say={say} />
                </Guarded>
            )}
            {talk === undefined ? <Alone view={view} /> : <Talking view={view} talk={talk} />}
            {isKnown && (
                <Guarded subject={ambient}>
                    <Placement side="below" ambient={ambient} waiting={prompts.length} say={say} />
                </Guarded>
            )}
        </div>
    );
}

/** The composer, and the question that grows out of it. Who only looks on takes no text of an extension into a draft. */
function Talking({ view, talk }: { view: SessionView; talk: Conversing }) {
    const questions = useQuestions(view);
    // What this browser may do is told by the daemon; meanwhile what is typed is kept.
    const { role, welcomedAt } = state.value;
    const isOnlooker = welcomedAt !== undefined && role === "observer";
    return (
        <Composer
            key={view.session.sessionId}
            {...talk}
            view={view}
            machine={machine.value}
            onlooker={isOnlooker ? "This browser was paired to look on: it can send nothing." : undefined}
            handoffs={<Handoffs view={view} />}
            taken={(id) => take(view, id)}
            say={say}
            {...(questions !== undefined && { card: questions })}
        />
    );
}

function Alone({ view }: { view: SessionView }) {
    return (
        <>
            <Handoffs view={view} />
            <Prompts view={view} />
        </>
    );
}

/** Texts of extensions where there is no draft for them: to be copied. */
function Handoffs({ view }: { view: SessionView }) {
    return (
        <>
            {view.ambient.handoffs.map((handoff) => (
                <Guarded key={handoff.id} subject={handoff}>
                    <HandoffCard handoff={handoff} dismiss={() => take(view, handoff.id)} />
                </Guarded>
            ))}
        </>
    );
}

function take({ session }: SessionView, handoffId: string): void {
    const { value } = standing;
    if (value.kind === "paired") value.client.taken(session.sessionId, handoffId);
}
