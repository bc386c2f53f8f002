import type { IconNode } from "lucide";
import { h } from "preact";

/** A picture beside words. Alone, it needs a `label`. */
export function Icon({ node, label, small, spin }: { node: IconNode; label?: string; small?: boolean; spin?: boolean }) {
    const classes = ["icon", small && "icon-small", spin && "spin"].filter(Boolean).join(" ");
    const name = label === undefined ? { "aria-hidden": true } : { role: "img" as const, "aria-label": label };
    return (
        <svg class={classes} viewBox="0 0 24 24" {...name}>
            {node.map(([tag, attributes]) => h(tag, attributes))}
        </svg>
    );
}
