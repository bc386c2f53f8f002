import { TriangleAlert } from "lucide";
import type { ComponentChildren } from "preact";

import { Icon } from "../design/Icon.tsx";
import { Boundary } from "./Boundary.tsx";

/** What an extension shows: when this page fails to draw it, that is said in its place, and nothing else is touched. */
export function Guarded({ subject, children }: { subject: unknown; children: ComponentChildren }) {
    return (
        <Boundary
            subject={subject}
            fallback={() => (
                <p class="line secondary">
                    <Icon node={TriangleAlert} small />
                    Something that an extension shows cannot be shown here; the terminal has it.
                </p>
            )}
        >
            {children}
        </Boundary>
    );
}
