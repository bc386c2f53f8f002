import { ChevronLeft } from "lucide";
import type { Signal } from "@preact/signals";
import { useEffect, useId, useRef, useState } from "preact/hooks";

import { Icon } from "../design/Icon.tsx";
import { ring } from "../edge/attention.ts";
import { link, machine, standing, state, unpair } from "../edge/app.ts";
import { shortcuts, sound } from "../edge/preferences.ts";
import { hrefOf } from "../edge/route.ts";
import { Dialog } from "./Dialog.tsx";
import { Foreign } from "./Foreign.tsx";
import { Keys } from "./Help.tsx";

/** What can be chosen in this browser. */
export function SettingsPage() {
    const heading = useRef<HTMLHeadingElement | null>(null);
    useEffect(() => heading.current?.focus({ preventScroll: true }), []);
    const here = standing.value;
    if (here.kind !== "paired") return null;
    const role = link.value?.kind === "live" ? state.value.role : here.identity.role;
    return (
        <>
            <header class="bar">
                <a class="button button-icon back" href={hrefOf({ screen: "sessions" })} aria-label="All sessions">
                    <Icon node={ChevronLeft} />
                </a>
                <div class="bar-middle">
                    <h1 class="bar-title" ref={heading} tabIndex={-1}>
                        Settings
                    </h1>
                </div>
            </header>
            <div class="page">
                <section class="stack" aria-labelledby="attention">
                    <h2 id="attention" class="group-name">
                        Attention
                    </h2>
                    <div class="rows">
                        <Switch
                            label="Sound"
                            hint="Two short tones when Pi asks something."
                            value={sound}
                            changed={(on) => {
                                if (on) ring();
                            }}
                        />
                    </div>
                </section>
                <section class="stack" aria-labelledby="keys">
                    <h2 id="keys" class="group-name">
                        Keyboard
                    </h2>
                    <div class="rows">
                        <Switch
                            label="Keys of question cards"
                            hint="They work only while the focus is on a card and not in a text."
                            value={shortcuts}
                        />
                    </div>
                    <Keys />
                </section>
                <section class="stack" aria-labelledby="device">
                    <h2 id="device" class="group-name">
                        This browser
                    </h2>
                    <dl class="facts panel">
                        <div>
                            <dt>Name</dt>
                            <dd>
                                <Foreign>{here.identity.name}</Foreign>
                            </dd>
                        </div>
                        <div>
                            <dt>May</dt>
                            <dd>{role === "observer" ? "look (observer)" : "look and answer (controller)"}</dd>
                        </div>
                        <div>
                            <dt>Paired with</dt>
                            <dd>
                                <Foreign>{machine.value}</Foreign> <Foreign class="mono">{location.host}</Foreign>
                            </dd>
                        </div>
                        {state.value.server !== undefined && (
                            <div>
                                <dt>mirrord</dt>
                                <dd>
                                    <Foreign>{state.value.server.version}</Foreign>
                                </dd>
                            </div>
                        )}
                    </dl>
                    <Unpair name={here.identity.name} />
                </section>
                <p class="secondary">
                    Light, dark, contrast, motion and text size follow your system.{" "}
                    <a href="/licenses.txt">Licenses of what this page is made of</a>
                </p>
            </div>
        </>
    );
}

function Switch(props: { label: string; hint: string; value: Signal<boolean>; changed?: (on: boolean) => void }) {
    const { label, hint, value, changed } = props;
    const [name, about] = [useId(), useId()];
    return (
        <div class="row setting">
            <span class="row-main">
                <label for={name} class="row-title">
                    {label}
                </label>
                <span id={about} class="secondary">
                    {hint}
                </span>
            </span>
            <input
                id={name}
                class="switch"
                type="checkbox"
                role="switch"
                checked={value.value}
                aria-describedby={about}
                onChange={(event) => {
                    value.value = event.currentTarget.checked;
                    changed?.(value.value);
                }}
            />
        </div>
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
                            mirrord devices revoke <Foreign>{name}</Foreign>
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
