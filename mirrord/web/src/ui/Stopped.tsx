import { KeyRound, RefreshCcw, ShieldAlert } from "lucide";

import type { Link } from "../edge/link.ts";
import { pairAgain } from "../edge/app.ts";
import { Foreign } from "./Foreign.tsx";
import { Notice } from "./Notice.tsx";

/** The connection will not come back by itself: why, and what to do. */
export function Stopped({ link }: { link: Extract<Link, { kind: "stopped" }> }) {
    switch (link.reason) {
        case "revoked":
            return (
                <Notice icon={KeyRound} title="This browser is no longer paired" role="warning" whole>
                    <p>
                        Its right was taken away with mirrord devices, or mirrord has lost its memory. What you typed is kept until you
                        close this tab.
                    </p>
                    <button type="button" class="button button-primary" onClick={() => void pairAgain()}>
                        Pair again
                    </button>
                </Notice>
            );
        case "not_genuine":
            return (
                <Notice icon={ShieldAlert} title="This is not the mirrord that you paired with" role="danger" whole>
                    <p>
                        Whatever answers at <Foreign class="mono">{location.host}</Foreign> could not prove that it is the same. Nothing was
                        sent to it. If you set mirrord up anew on that computer, pair again; if not, something else took its place.
                    </p>
                    <button type="button" class="button button-outline" onClick={() => location.reload()}>
                        Try again
                    </button>
                    <button type="button" class="button button-danger" onClick={() => void pairAgain()}>
                        Pair again
                    </button>
                </Notice>
            );
        case "protocol":
            return (
                <Notice icon={RefreshCcw} title="This page and mirrord are of different ages" role="warning" whole>
                    {link.detail !== undefined && (
                        <p>
                            <Foreign>{link.detail}</Foreign>
                        </p>
                    )}
                    <p>Load the page anew. If that does not help, update mirrord and start it again.</p>
                    <button type="button" class="button button-primary" onClick={() => location.reload()}>
                        Load anew
                    </button>
                </Notice>
            );
        case "no_crypto":
            return (
                <Notice icon={ShieldAlert} title="This browser could not use its key" role="danger" whole>
                    <p>Its stored key is damaged or was refused. Pair this browser again.</p>
                    <button type="button" class="button button-primary" onClick={() => void pairAgain()}>
                        Pair again
                    </button>
                </Notice>
            );
    }
}
