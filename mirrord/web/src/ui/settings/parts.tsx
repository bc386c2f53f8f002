import type { Signal } from "@preact/signals";
import type { IconNode } from "lucide";
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

import { Icon } from "../../design/Icon.tsx";
import { withCode } from "../withCode.tsx";

/** One part of the settings, under its name. */
export function Section({ title, children }: { title: string; children: ComponentChildren }) {
    const id = useId();
    return (
        <section class="stack" aria-labelledby={id}>
            <h2 id={id} class="group-name">
                {title}
            </h2>
            {children}
        </section>
    );
}

interface Named {
    readonly label: string;
    readonly hint?: ComponentChildren;
}

/** A row that names what is set at its end. */
export function Setting({ label, hint, name, about, children }: Named & { name: string; about?: string; children: ComponentChildren }) {
    return (
        <div class="row setting">
            <span class="row-main">
                <label for={name} class="row-title">
                    {label}
                </label>
                {hint !== undefined && (
                    <span id={about} class="secondary">
                        {hint}
                    </span>
                )}
            </span>
            {children}
        </div>
    );
}

/** On or off. */
export function Switch(props: Named & { on: boolean; set: (on: boolean) => void; disabled?: boolean }) {
    const { label, hint, on, set, disabled = false } = props;
    const [name, about] = [useId(), useId()];
    return (
        <Setting label={label} hint={hint} name={name} about={about}>
            <input
                id={name}
                class="switch"
                type="checkbox"
                role="switch"
                checked={on}
                disabled={disabled}
                aria-describedby={hint === undefined ? undefined : about}
                onChange={(event) => set(event.currentTarget.checked)}
            />
        </Setting>
    );
}

/** A choice that this browser keeps. */
export function Preference({ value, changed, ...named }: Named & { value: Signal<boolean>; changed?: (on: boolean) => void }) {
    return (
        <Switch
            {...named}
            on={value.value}
            set={(on) => {
                value.value = on;
                changed?.(on);
            }}
        />
    );
}

export interface Option<T extends string> {
    readonly value: T;
    readonly label: string;
    readonly icon: IconNode;
}

/** One of a few, all seen at once. */
export function Choice<T extends string>(props: { legend: string; options: readonly Option<T>[]; value: Signal<T> }) {
    const { legend, options, value } = props;
    const name = useId();
    return (
        <fieldset class="pick">
            <legend class="row-title">{legend}</legend>
            <div class="tiles">
                {options.map((option) => (
                    <label key={option.value} class="tile">
                        <input
                            type="radio"
                            class="visually-hidden"
                            name={name}
                            checked={value.value === option.value}
                            onChange={() => (value.value = option.value)}
                        />
                        <Icon node={option.icon} />
                        <span>{option.label}</span>
                    </label>
                ))}
            </div>
        </fieldset>
    );
}

/** What holds, told by a picture and words, with what can be done about it. */
export function Standing(props: { icon: IconNode; role: string; title: string; children?: ComponentChildren; action?: ComponentChildren }) {
    const { icon, role, title, children, action } = props;
    return (
        <div class="row setting standing">
            <span class={`glyph glyph-${role}`}>
                <Icon node={icon} />
            </span>
            <span class="row-main">
                <span class="row-title">{title}</span>
                {children !== undefined && <span class="secondary">{children}</span>}
            </span>
            {action}
        </div>
    );
}

/** Why something that was just tried did not work. */
export function Failure({ why }: { why: string | undefined }) {
    return (
        <p class="setting-failure" role="alert">
            {why === undefined ? "" : withCode(why)}
        </p>
    );
}
