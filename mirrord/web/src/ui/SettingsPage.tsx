import { ChevronLeft } from "lucide";
import { useEffect, useRef } from "preact/hooks";

import { Icon } from "../design/Icon.tsx";
import { standing } from "../edge/app.ts";
import { ring } from "../edge/attention.ts";
import { enterSends, shortcuts, showHidden, sound, thinkingExpanded } from "../edge/preferences.ts";
import { hrefOf } from "../edge/route.ts";
import { Keys } from "./Help.tsx";
import { About } from "./settings/About.tsx";
import { Appearance } from "./settings/Appearance.tsx";
import { Install } from "./settings/Install.tsx";
import { Notifications } from "./settings/Notifications.tsx";
import { Preference, Section } from "./settings/parts.tsx";
import { Privacy } from "./settings/Privacy.tsx";

/** What can be chosen in this browser, and what it holds. */
export function SettingsPage() {
    const heading = useRef<HTMLHeadingElement | null>(null);
    useEffect(() => heading.current?.focus({ preventScroll: true }), []);
    if (standing.value.kind !== "paired") return null;
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
            <div class="page settings">
                <Appearance />
                <Section title="Sounds">
                    <div class="rows">
                        <Preference
                            label="Sound"
                            hint="Two short tones when Pi asks something, when it is your turn, and when a turn fails."
                            value={sound}
                            changed={(on) => {
                                if (on) ring();
                            }}
                        />
                    </div>
                </Section>
                <Notifications />
                <Section title="Conversation">
                    <div class="rows">
                        <Preference label="Hidden messages" hint="What extensions tell Pi and the terminal does not show." value={showHidden} />
                        <Preference label="Thinking open" hint="Without, it is one row that opens on demand." value={thinkingExpanded} />
                    </div>
                </Section>
                <Section title="Shortcuts">
                    <div class="rows">
                        <Preference
                            label="Keys of question cards and of the page"
                            hint="Those of a question work only while the focus is on it and not in a text."
                            value={shortcuts}
                        />
                        <Preference
                            label="Enter sends"
                            hint={enterSends.value ? "Shift and Enter begin a line." : "Enter begins a line; Ctrl or ⌘ and Enter send."}
                            value={enterSends}
                        />
                    </div>
                    <Keys />
                </Section>
                <Install />
                <Privacy />
                <About />
            </div>
        </>
    );
}
