import type { IconNode } from "lucide";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { Icon } from "../design/Icon.tsx";

/** A screen that says one thing: what it means, what to do, one action. */
export function Notice(props: {
    icon: IconNode;
    title: string;
    role?: "accent" | "warning" | "danger" | "quiet";
    spin?: boolean;
    /** The whole screen says this: its title takes the focus. */
    whole?: boolean;
    children?: ComponentChildren;
}) {
    const { icon, title, role = "quiet", spin = false, whole = false, children } = props;
    const heading = useRef<HTMLHeadingElement | null>(null);
    useEffect(() => {
        if (whole) heading.current?.focus();
    }, [whole, title]);
    const Heading = whole ? "h1" : "h2";
    return (
        <section class={whole ? "notice notice-whole" : "notice"}>
            <span class={`notice-icon glyph-${role}`}>
                <Icon node={icon} spin={spin} />
            </span>
            <Heading ref={heading} tabIndex={-1}>
                {title}
            </Heading>
            {children}
        </section>
    );
}
