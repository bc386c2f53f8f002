import { Link2, ShieldAlert, ShieldCheck } from "lucide";
import { useEffect, useId, useRef, useState } from "preact/hooks";

import { Icon } from "../design/Icon.tsx";
import { becomeDevice, machine, standing } from "../edge/app.ts";
import { talk } from "../edge/channel.ts";
import { go, linkedCode } from "../edge/route.ts";
import { browserName } from "../pairing/browser_name.ts";
import { readCode, showCode } from "../pairing/code.ts";
import { pair, Unreachable, type Identity } from "../pairing/conversation.ts";
import { Foreign } from "./Foreign.tsx";
import { Logo } from "./Logo.tsx";
import { withCode } from "./withCode.tsx";

/** The daemon's bound on a name. */
const NAME_CHARS = 64;

/** What went wrong, and what to do. */
interface Failure {
    readonly title: string;
    readonly advice: string;
    /** The code cannot be used again: a new one has to be typed or scanned. */
    readonly spent: boolean;
}

const NEW_CODE = "Type `mirrord pair` in a terminal on that computer for a new one.";
/** The same where the page has said already in which terminal. */
const ANOTHER = "Make a new one with `mirrord pair`.";

/** Without an advice of the page's own, what the daemon says: it does not repeat the title. */
const REFUSALS: Readonly<Record<string, { readonly title: string; readonly advice?: string }>> = {
    wrong_code: { title: "That is not the code", advice: "Look at it again where `mirrord pair` shows it." },
    used_code: { title: "This code was used already", advice: `One code pairs one device. ${ANOTHER}` },
    old_code: { title: "This code is too old", advice: ANOTHER },
    no_code: { title: "No code is waiting", advice: "Make one with `mirrord pair`." },
    too_many_tries: { title: "This code was tried wrong too often", advice: ANOTHER },
    store_not_writable: { title: "mirrord could not remember this browser" },
};

/** From the link or a typed code to a paired browser. `dismiss` is there when the person may go on without. */
export function Pairing({ dismiss }: { dismiss?: () => void }) {
    const linked = linkedCode.value;
    const code = linked === undefined ? undefined : readCode(linked);
    const [typing, setTyping] = useState(false);
    const [failure, setFailure] = useState<Failure | undefined>(
        linked !== undefined && code === undefined
            ? { title: "This link is damaged", advice: `Its code is not whole. ${NEW_CODE}`, spent: true }
            : undefined,
    );
    const [done, setDone] = useState<Identity | undefined>(undefined);
    if (done !== undefined) return <Done identity={done} />;
    const fromLink = code !== undefined && !typing && failure?.spent !== true;
    return (
        <Frame>
            <Form
                key={fromLink ? code : "typed"}
                code={fromLink ? code : undefined}
                failure={failure}
                fail={setFailure}
                finish={setDone}
                byHand={() => {
                    setFailure(undefined);
                    setTyping(true);
                }}
                {...(dismiss === undefined ? {} : { dismiss })}
            />
        </Frame>
    );
}

function Form(props: {
    code: string | undefined;
    failure: Failure | undefined;
    fail: (failure: Failure | undefined) => void;
    finish: (identity: Identity) => void;
    byHand: () => void;
    dismiss?: () => void;
}) {
    const { code, failure, fail, finish, byHand, dismiss } = props;
    const [typed, setTyped] = useState("");
    const [name, setName] = useState(() => browserName(navigator));
    const [busy, setBusy] = useState(false);
    const ids = { code: useId(), hint: useId(), name: useId() };
    const again = standing.value.kind === "paired" ? standing.value.identity : undefined;

    const submit = async (event: Event) => {
        event.preventDefault();
        if (busy) return;
        const wanted = code ?? readCode(typed);
        if (wanted === undefined) {
            fail({
                title: "A code has ten letters and digits",
                advice: "It looks like K7QF2-M9XTB. Capitals and the dash do not matter.",
                spent: false,
            });
            return;
        }
        setBusy(true);
        fail(undefined);
        const end = await attempt(wanted, name.trim() === "" ? browserName(navigator) : name.trim());
        setBusy(false);
        if ("title" in end) fail(end);
        else finish(end);
    };

    return (
        <form class="pairing" onSubmit={(event) => void submit(event)} noValidate>
            <Heading>{again === undefined ? "Pair this browser" : "Pair this browser again?"}</Heading>
            <p>
                {again !== undefined && (
                    <>
                        It is paired as <Foreign>{again.name}</Foreign> already. Pairing again adds it under a new name.{" "}
                    </>
                )}
                {code === undefined ? (
                    <>
                        Type <code class="mono">mirrord pair</code> in a terminal on that computer. It shows a code that is good once, for
                        two minutes.
                    </>
                ) : (
                    <>
                        With mirrord on <Foreign class="strong">{machine.value}</Foreign>, at{" "}
                        <Foreign class="mono">{location.host}</Foreign>, by the code <span class="mono">{showCode(code)}</span>.
                    </>
                )}
            </p>
            {failure !== undefined && <Failed failure={failure} />}
            {code === undefined && (
                <div class="labelled">
                    <label for={ids.code}>Code</label>
                    <input
                        id={ids.code}
                        class="field code-field"
                        value={typed}
                        onInput={(event) => setTyped(event.currentTarget.value)}
                        autocapitalize="characters"
                        autocomplete="one-time-code"
                        autocorrect="off"
                        spellcheck={false}
                        inputMode="text"
                        enterkeyhint="go"
                        maxLength={24}
                        aria-describedby={ids.hint}
                        placeholder="such as K7QF2-M9XTB"
                    />
                </div>
            )}
            <div class="labelled">
                <label for={ids.name}>Name of this browser</label>
                <input
                    id={ids.name}
                    class="field"
                    value={name}
                    onInput={(event) => setName(event.currentTarget.value)}
                    maxLength={NAME_CHARS}
                    autocomplete="off"
                    dir="auto"
                />
            </div>
            <p id={ids.hint} class="line caution">
                <Icon node={ShieldAlert} />
                <span>
                    Whoever made the code chose what it allows. A controller answers for you, and so can make Pi run anything that you can
                    run. An observer only looks.
                </span>
            </p>
            <button type="submit" class="button button-primary wide" aria-disabled={busy}>
                {busy ? "Pairing" : "Pair this browser"}
            </button>
            {code !== undefined && (
                <button type="button" class="button button-quiet wide" onClick={byHand}>
                    Type a code instead
                </button>
            )}
            {dismiss !== undefined && (
                <button type="button" class="button button-quiet wide" onClick={dismiss}>
                    Stay as it is
                </button>
            )}
        </form>
    );
}

/** One try. */
async function attempt(code: string, name: string): Promise<Identity | Failure> {
    try {
        const end = await talk((channel) => pair(channel, location.host, code, name));
        switch (end.kind) {
            case "paired":
                return end.identity;
            case "not_genuine":
                return {
                    title: "This is not the mirrord that made the code",
                    advice: `It could not prove that it knows the code. Nothing was stored. Check the address. ${NEW_CODE}`,
                    spent: true,
                };
            case "refused": {
                const { title, advice = end.message } = REFUSALS[end.code] ?? { title: "mirrord refused" };
                return {
                    title,
                    advice: end.triesLeft === undefined ? advice : afterATry(advice, end.triesLeft),
                    spent: end.code !== "store_not_writable",
                };
            }
        }
    } catch (error) {
        if (error instanceof Unreachable) {
            return {
                title: "mirrord does not answer",
                advice: "It may have been stopped, or there were too many tries from here. Look in the terminal, wait a minute, then try again.",
                spent: false,
            };
        }
        return {
            title: "This browser cannot be paired",
            advice: "It refused to make a key. Update it, or use another browser.",
            spent: false,
        };
    }
}

function afterATry(advice: string, left: number): string {
    if (left === 0) return `That was its last try. ${ANOTHER}`;
    return `${advice} ${left === 1 ? "One try is" : `${left} tries are`} left.`;
}

function Done({ identity }: { identity: Identity }) {
    const [failed, setFailed] = useState(false);
    const start = async () => {
        try {
            await becomeDevice(identity);
            linkedCode.value = undefined;
            go({ screen: "sessions" }, { replace: true });
        } catch {
            setFailed(true);
        }
    };
    useEffect(() => void start(), []);
    return (
        <Frame>
            <div class="pairing">
                <span class="glyph-success">
                    <Icon node={ShieldCheck} />
                </span>
                <Heading>Paired</Heading>
                <p>
                    This browser is <Foreign class="strong">{identity.name}</Foreign>,{" "}
                    {identity.role === "controller" ? "a controller" : "an observer"}.
                </p>
                {failed && (
                    <Failed
                        failure={{
                            title: "This browser keeps nothing for this page",
                            advice: "Leave private browsing, or allow storage for this address, then pair again.",
                            spent: true,
                        }}
                    />
                )}
            </div>
        </Frame>
    );
}

function Failed({ failure }: { failure: Failure }) {
    return (
        <div class="failure" role="alert">
            <p class="strong">{failure.title}</p>
            <p>
                <Foreign>{withCode(failure.advice)}</Foreign>
            </p>
        </div>
    );
}

function Heading({ children }: { children: string }) {
    const heading = useRef<HTMLHeadingElement | null>(null);
    useEffect(() => heading.current?.focus({ preventScroll: true }), [children]);
    return (
        <h1 ref={heading} tabIndex={-1}>
            {children}
        </h1>
    );
}

function Frame({ children }: { children: preact.ComponentChildren }) {
    return (
        <main class="pairing-screen">
            <p class="brand">
                <Logo />
                mirrord
            </p>
            {children}
            <p class="secondary line pairing-foot">
                <Icon node={Link2} small />
                <span>No account, no cloud: this page talks to {location.host} and to nobody else.</span>
            </p>
        </main>
    );
}
