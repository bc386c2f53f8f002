import { useState } from "preact/hooks";

import { shellArgument } from "../../core/shell.ts";
import { link, machine, standing, state } from "../../edge/app.ts";
import { keepsSomething } from "../../edge/kept.ts";
import { forget, unpair } from "../../edge/leaving.ts";
import { Dialog } from "../Dialog.tsx";
import { Foreign } from "../Foreign.tsx";
import { Section } from "./parts.tsx";

/** What this browser holds, and how it is taken away. */
export function Privacy() {
    const here = standing.value;
    if (here.kind !== "paired") return null;
    const role = link.value?.kind === "live" ? state.value.role : here.identity.role;
    return (
        <Section title="Privacy">
            <dl class="facts panel">
                <div>
                    <dt>This browser</dt>
                    <dd>
                        <Foreign>{here.identity.name}</Foreign>, which may {role === "observer" ? "look (observer)" : "look and answer (controller)"}
                    </dd>
                </div>
                <div>
                    <dt>Paired with</dt>
                    <dd>
                        <Foreign>{machine.value}</Foreign> <Foreign class="mono">{location.host}</Foreign>
                    </dd>
                </div>
                <div>
                    <dt>Keeps here</dt>
                    <dd>
                        Its key, which no script can read. Drafts, messages that are on their way, and what you sent last. The names of the last
                        sessions. The choices on this page.
                    </dd>
                </div>
                <div>
                    <dt>Sends to</dt>
                    <dd>
                        <Foreign>{machine.value}</Foreign>, and to nobody else.
                    </dd>
                </div>
            </dl>
            <div class="actions">
                <Forget />
                <Unpair name={here.identity.name} />
            </div>
        </Section>
    );
}

function Forget() {
    const [asked, setAsked] = useState(false);
    const nothing = !keepsSomething();
    return (
        <>
            <button type="button" class="button button-outline" onClick={() => setAsked(true)}>
                Forget what this browser keeps
            </button>
            {asked && (
                <Dialog title={nothing ? "There is nothing to forget" : "Forget what this browser keeps?"} close={() => setAsked(false)}>
                    <p>
                        {nothing
                            ? "No draft, no unsent message and no name of a session is kept here."
                            : "Drafts, messages that were not sent and the names of sessions are deleted here, in all tabs. Pi keeps its conversations, and this browser stays paired."}
                    </p>
                    <div class="actions">
                        <button type="button" class="button button-quiet" onClick={() => setAsked(false)}>
                            {nothing ? "Close" : "Keep them"}
                        </button>
                        {!nothing && (
                            <button type="button" class="button button-danger" onClick={forget}>
                                Forget
                            </button>
                        )}
                    </div>
                </Dialog>
            )}
        </>
    );
}

function Unpair({ name }: { name: string }) {
    const [asked, setAsked] = useState(false);
    return (
        <>
            <button type="button" class="button button-danger" onClick={() => setAsked(true)}>
                Unpair this browser
            </button>
            {asked && (
                <Dialog title="Unpair this browser?" close={() => setAsked(false)}>
                    <p>
                        Its key is deleted here, and a new code is needed to come back. To take its right away on the other side too, type{" "}
                        <code class="mono">
                            mirrord devices revoke <Foreign>{shellArgument(name)}</Foreign>
                        </code>{" "}
                        in a terminal.
                    </p>
                    <div class="actions">
                        <button type="button" class="button button-quiet" onClick={() => setAsked(false)}>
                            Stay paired
                        </button>
                        <button type="button" class="button button-danger" onClick={() => void unpair()}>
                            Unpair
                        </button>
                    </div>
                </Dialog>
            )}
        </>
    );
}
