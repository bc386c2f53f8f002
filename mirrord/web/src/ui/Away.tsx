import { CloudOff, WifiOff } from "lucide";

import { clock, link, machine, retry } from "../edge/app.ts";
import { Foreign } from "./Foreign.tsx";
import { Notice } from "./Notice.tsx";

/** Connecting takes less on a network that works: until then nothing is said to be wrong. */
const PATIENCE_MS = 2_500;

/** Nothing came of connecting for longer than it takes. */
export function isAway(): boolean {
    const now = link.value;
    return now?.kind === "connecting" && now.tries > 0 && clock.value - now.since >= PATIENCE_MS;
}

/** No daemon was reached since this page was opened: a shape of what is to come, then why it does not. `shape`: no more than that. */
export function Away({ shape = false }: { shape?: boolean }) {
    if (shape || !isAway()) {
        return (
            <div class="groups" aria-hidden="true">
                <div class="rows skeleton">
                    <span />
                    <span />
                    <span />
                </div>
            </div>
        );
    }
    const again = (
        <button type="button" class="button button-outline" onClick={retry}>
            Try now
        </button>
    );
    if (!navigator.onLine) {
        return (
            <Notice icon={WifiOff} title="This device is offline" role="warning">
                <p>This page is its own copy. It connects by itself when the network is back.</p>
                {again}
            </Notice>
        );
    }
    return (
        <Notice icon={CloudOff} title="mirrord does not answer" role="warning">
            <p>
                Is it running on <Foreign>{machine.value}</Foreign>? This starts it there; the page connects by itself.
            </p>
            <code class="command">mirrord serve</code>
            {again}
        </Notice>
    );
}
