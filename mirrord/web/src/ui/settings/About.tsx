import { ChevronRight, Info } from "lucide";

import { Icon } from "../../design/Icon.tsx";
import { state } from "../../edge/app.ts";
import { Foreign } from "../Foreign.tsx";
import { Section, Standing } from "./parts.tsx";

export function About() {
    const { server } = state.value;
    return (
        <Section title="About">
            <div class="rows">
                <Standing icon={Info} role="quiet" title="mirrord">
                    {server === undefined ? (
                        "Its version is known when it is connected."
                    ) : (
                        <>
                            Version <Foreign>{server.version}</Foreign>
                        </>
                    )}
                </Standing>
                <a class="row setting" href="/licenses.txt">
                    <span class="row-main">
                        <span class="row-title">Licenses</span>
                        <span class="secondary">Of what this page is made of.</span>
                    </span>
                    <span class="glyph glyph-quiet onward">
                        <Icon node={ChevronRight} />
                    </span>
                </a>
            </div>
        </Section>
    );
}
