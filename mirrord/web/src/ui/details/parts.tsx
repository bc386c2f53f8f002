import { useId } from "preact/hooks";

import type { Fact } from "../../core/details.ts";
import { Foreign } from "../Foreign.tsx";

/** Names and values, without those that are not known; nothing where none is. */
export function Facts({ title, facts }: { title: string; facts: readonly Fact[] }) {
    const id = useId();
    const known = facts.filter(([, value]) => value !== undefined && value !== "");
    if (known.length === 0) return null;
    return (
        <section class="stack" aria-labelledby={id}>
            <h3 id={id} class="group-name">
                {title}
            </h3>
            <dl class="facts panel">
                {known.map(([name, value]) => (
                    <div key={name}>
                        <dt>{name}</dt>
                        <dd>
                            <Foreign>{value}</Foreign>
                        </dd>
                    </div>
                ))}
            </dl>
        </section>
    );
}

/** One under the other; `none` where there is none. */
export function Sentences({ title, sentences, none }: { title: string; sentences: readonly string[]; none?: string }) {
    const id = useId();
    return (
        <section class="stack" aria-labelledby={id}>
            <h3 id={id} class="group-name">
                {title}
            </h3>
            <ul class="panel sentences">
                {sentences.length === 0 ? (
                    <li class="quiet">{none}</li>
                ) : (
                    sentences.map((sentence) => (
                        <li key={sentence}>
                            <Foreign>{sentence}</Foreign>
                        </li>
                    ))
                )}
            </ul>
        </section>
    );
}
