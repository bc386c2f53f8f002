import { History } from "lucide";

import { Icon } from "../design/Icon.tsx";
import { drafts, draftsChanged } from "../edge/app.ts";
import { textsIn } from "../edge/composing.ts";
import { known } from "../edge/known.ts";
import { hrefOf } from "../edge/route.ts";
import { Ago, Foreign } from "./Foreign.tsx";

/** Without the daemon: who was there when this browser saw the list last, by name, and for whom a text is kept. */
export function LastKnown() {
    draftsChanged.value;
    const { at, sessions } = known.value;
    if (sessions.length === 0) return null;
    return (
        <nav class="groups last-known" aria-labelledby="last-known">
            <section class="group">
                <h2 id="last-known" class="group-name">
                    As it was <Ago at={at} />
                </h2>
                <ul class="rows">
                    {sessions.map(({ sessionId, title }) => (
                        <li key={sessionId}>
                            <a class="row" href={hrefOf({ screen: "session", sessionId })}>
                                <span class="glyph glyph-quiet">
                                    <Icon node={History} />
                                </span>
                                <span class="row-main">
                                    <span class="row-title quiet">
                                        <Foreign>{title}</Foreign>
                                    </span>
                                    {hasText(sessionId) && <span class="secondary">A text of yours is kept</span>}
                                </span>
                            </a>
                        </li>
                    ))}
                </ul>
            </section>
        </nav>
    );
}

function hasText(sessionId: string): boolean {
    return drafts.promptsIn(sessionId).length > 0 || textsIn(sessionId).length > 0;
}
