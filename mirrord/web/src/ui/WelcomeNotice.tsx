import { Info } from "lucide";

import { Icon } from "../design/Icon.tsx";
import { link, state } from "../edge/app.ts";
import { Foreign } from "./Foreign.tsx";

/** What the daemon says of this connection, as long as it lasts: that it is a replay, or why this device may only look. */
export function WelcomeNotice() {
    const { notice } = state.value;
    if (notice === undefined || link.value?.kind !== "live") return null;
    return (
        <section class="banner" aria-label="Notice">
            <Icon node={Info} />
            <p class="banner-words">
                <Foreign>{notice}</Foreign>
            </p>
        </section>
    );
}
