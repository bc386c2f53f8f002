import { CircleCheck, MessageSquareWarning } from "lucide";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { Card } from "../cards/Card.tsx";
import type { CardProps } from "../cards/contract.ts";
import { ending } from "../cards/words.ts";
import { choose, open, over, type Shown } from "../core/phase.ts";
import { fresh, type SessionView } from "../core/state.ts";
import { Icon } from "../design/Icon.tsx";
import { drafts, draftsChanged, link, machine, standing, state } from "../edge/app.ts";
import { shortcuts } from "../edge/preferences.ts";
import { go, route } from "../edge/route.ts";
import type { ExtensionUIRequest, Verdict } from "../protocol.ts";
import { Boundary } from "./Boundary.tsx";
import { Foreign } from "./Foreign.tsx";

/** The prompts of a session. */
export function Prompts({ view }: { view: SessionView }) {
    return useQuestions(view) ?? null;
}

/** One active card, and under it what was typed into cards that are over; undefined where there is none. */
export function useQuestions(view: SessionView): JSX.Element | undefined {
    const shown = useRef<string | undefined>(undefined);
    const [pressed, setPressed] = useState<string | undefined>(undefined);
    draftsChanged.value;
    const { answers } = state.value;
    const { current: last } = shown;
    const wanted = useWanted(view);
    const hand = {
        wanted: wanted.promptId,
        ...(pressed === undefined ? {} : { pressed }),
        ...(last === undefined ? {} : { shown: last, taken: answers.get(last)?.state === "accepted" }),
    };
    const { active, until, kept } = choose(view, hand, (id) => drafts.has(id), Date.now());
    shown.current = active;
    useAgainAt(until);
    useRelease(setPressed);

    const live = link.value?.kind === "live";
    const find = (id: string): Shown | undefined => {
        const place = view.prompts.findIndex((prompt) => prompt.id === id);
        if (place >= 0) return open(view, place, answers.get(id), live);
        const ended = view.ended.find((one) => one.prompt.id === id);
        return ended === undefined ? undefined : over(ended, answers.get(id));
    };
    const cards = [active, ...kept, ...(view.cursor === undefined ? [] : orphans(view))].filter((id) => id !== undefined);
    if (cards.length === 0 && !wanted.isOver) return undefined;
    return (
        <section class="questions" aria-label="Questions">
            {wanted.isOver && <Over verdict={wanted.verdict} dismiss={wanted.forget} />}
            {cards.map((id) => {
                const card = find(id) ?? orphan(view, id);
                if (card === undefined) return null;
                return (
                    <div key={id} class="dock-card" onPointerDown={() => setPressed(id)}>
                        <OneCard view={view} card={card} />
                    </div>
                );
            })}
        </section>
    );
}

/** The prompt that the address names, and how it ended where it did so before this page was opened. */
function useWanted(view: SessionView) {
    const { value: at } = route;
    const { sessionId } = view.session;
    const promptId = at.screen === "session" && at.sessionId === sessionId ? at.prompt : undefined;
    const isThere = view.prompts.some((one) => one.id === promptId) || view.ended.some((one) => one.prompt.id === promptId);
    const isKnown = view.cursor !== undefined && link.value?.kind === "live";
    const isMissed = promptId !== undefined && isKnown && !isThere;
    const [ended, setEnded] = useState<{ readonly of: string; readonly verdict: Verdict | undefined } | undefined>(undefined);
    const client = standing.value.kind === "paired" ? standing.value.client : undefined;
    useEffect(() => {
        if (!isMissed || client === undefined) return;
        client.verdict(promptId).then(
            (verdict) => setEnded({ of: promptId, verdict }),
            () => setEnded({ of: promptId, verdict: undefined }),
        );
    }, [isMissed, promptId, client]);
    const forget = () => go({ screen: "session", sessionId }, { replace: true });
    // Who came to answer it has done so.
    const isMine = promptId !== undefined && state.value.answers.get(promptId)?.state === "accepted";
    const isDone = isMine && view.ended.some((one) => one.prompt.id === promptId);
    useEffect(() => {
        if (isDone) forget();
    }, [isDone]);
    return { promptId, isOver: isMissed && ended?.of === promptId, verdict: ended?.verdict, forget };
}

/** A question that somebody came for and that is over, of which nothing else is known any more. */
function Over({ verdict, dismiss }: { verdict: Verdict | undefined; dismiss: () => void }) {
    const end = verdict === undefined ? { title: "This question is over", sentence: "Nobody remembers how it ended." } : ending(verdict, false);
    return (
        <section class="question-over" aria-label="The question that you came for">
            <Icon node={CircleCheck} />
            <div role="status">
                <p class="strong">
                    <Foreign>{end.title}</Foreign>
                </p>
                {end.sentence !== undefined && (
                    <p class="secondary long">
                        <Foreign>{end.sentence}</Foreign>
                    </p>
                )}
            </div>
            <button type="button" class="button button-quiet" onClick={dismiss}>
                Dismiss
            </button>
        </section>
    );
}

/** Draw anew at that time. */
function useAgainAt(at: number | undefined): void {
    const [, redraw] = useState(0);
    useEffect(() => {
        if (at === undefined) return;
        const timer = setTimeout(() => redraw(at), at - Date.now());
        return () => clearTimeout(timer);
    }, [at]);
}

/**
 * The pointer is lifted anywhere, or taken away. Listened for at all times: a tap may be over before the card that was pressed is drawn
 * again, and one that is thought to be pressed for ever would stand in the way of all that follow.
 */
function useRelease(press: (nothing: undefined) => void): void {
    useEffect(() => {
        const ends = ["pointerup", "pointercancel", "blur"] as const;
        // After the click that the lifting makes.
        const later = () => setTimeout(press, 0, undefined);
        for (const end of ends) addEventListener(end, later);
        return () => {
            for (const end of ends) removeEventListener(end, later);
        };
    }, [press]);
}

/** Prompts that text is kept for and that the daemon tells nothing of: they ended while this page was away. */
function orphans(view: SessionView): readonly string[] {
    const known = new Set([...view.prompts, ...view.ended.map((one) => one.prompt)].map((prompt) => prompt.id));
    return drafts
        .promptsIn(view.session.sessionId)
        .map((prompt) => prompt.id)
        .filter((id) => !known.has(id));
}

function orphan(view: SessionView, id: string): Shown | undefined {
    const prompt = drafts.promptsIn(view.session.sessionId).find((one) => one.id === id);
    return prompt === undefined ? undefined : over({ prompt, at: 0 }, undefined);
}

/** What was typed into questions of a session that is gone. */
export function KeptOf({ sessionId }: { sessionId: string }) {
    const session = { sessionId, status: { state: "ended", since: 0 } } as const;
    return (
        <div class="dock">
            <Prompts view={{ ...fresh(session), cursor: "" }} />
        </div>
    );
}

function OneCard({ view, card }: { view: SessionView; card: Shown }) {
    const client = standing.value.kind === "paired" ? standing.value.client : undefined;
    const { prompt } = card;
    const draft = useMemo(() => drafts.of(prompt), [prompt]);
    if (client === undefined) return null;
    const props: CardProps = {
        ...card,
        session: view.session,
        machine: machine.value,
        now: client.now,
        readOnly: state.value.role === "observer",
        shortcuts: shortcuts.value,
        answer: (answer) => client.answer(prompt, answer),
        dismiss: () => {
            drafts.clear(prompt.id);
            client.dismiss(prompt);
        },
        draft,
        loadOptions: (offset) => client.options(prompt.id, offset),
        loadPrefill: () => client.prefill(prompt),
        drawn: view.ambient.views.find((one) => one.requestId === prompt.id),
    };
    return (
        <Boundary subject={prompt} fallback={(again) => <Unsupported prompt={prompt} again={again} />}>
            <Card {...props} />
        </Boundary>
    );
}

/** The contract's fallback: the title and who asks, as text. Nothing is answered or cancelled by it. */
function Unsupported({ prompt, again }: { prompt: ExtensionUIRequest; again: () => void }) {
    return (
        <section class="unsupported" aria-label="A question that cannot be shown">
            <p class="line">
                <Icon node={MessageSquareWarning} />
                <Foreign class="strong">{prompt.title}</Foreign>
            </p>
            <p class="secondary">
                {prompt.source !== undefined && (
                    <>
                        <Foreign>{prompt.source}</Foreign> asks.{" "}
                    </>
                )}
                This page could not show the question. It still waits: answer at the terminal, or try again.
            </p>
            <button type="button" class="button button-outline" onClick={again}>
                Try again
            </button>
        </section>
    );
}
