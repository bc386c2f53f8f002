import { ChevronDown, CircleCheck, MonitorDown, Smartphone } from "lucide";

import { Icon } from "../../design/Icon.tsx";
import { canInstall, install, isInstalled } from "../../edge/install.ts";
import { browser } from "../../edge/push.ts";
import { Section, Standing } from "./parts.tsx";

/** This page as an app, and what a phone needs for that and for notifications. */
export function Install() {
    return (
        <Section title="App">
            <div class="rows">
                <Offer />
                <details class="needs">
                    <summary>
                        <span class="strong">What a phone needs</span>
                        <Icon node={ChevronDown} />
                    </summary>
                    <div class="needs-body">
                        <p>
                            Installing and notifications need an address that the browser trusts: <strong>https</strong>, or the machine that the
                            browser runs on, <span class="mono">127.0.0.1</span>.
                        </p>
                        <ul>
                            <li>
                                <strong>iPhone and iPad:</strong> Share, then “Add to Home Screen”. Notifications come to the installed app alone.
                            </li>
                            <li>
                                <strong>Android:</strong> “Install app” in the browser’s menu. Notifications work without it too.
                            </li>
                            <li>
                                <strong>Another computer:</strong> <span class="mono">ssh -L</span> brings this page to its own 127.0.0.1, which
                                counts as trusted.
                            </li>
                            <li>
                                <strong>While the page is closed:</strong> mirrord needs its <span class="mono">push</span> extra, and the machine
                                it runs on a way to the internet.
                            </li>
                        </ul>
                    </div>
                </details>
            </div>
        </Section>
    );
}

function Offer() {
    if (isInstalled.value) {
        return (
            <Standing icon={CircleCheck} role="success" title="Installed">
                mirrord runs in a window of its own.
            </Standing>
        );
    }
    if (canInstall.value) {
        return (
            <Standing
                icon={MonitorDown}
                role="accent"
                title="Install mirrord"
                action={
                    <button type="button" class="button button-primary" onClick={() => void install()}>
                        Install
                    </button>
                }
            >
                A window of its own, with an icon that counts what waits.
            </Standing>
        );
    }
    const { isIos, secure } = browser.value;
    return (
        <Standing icon={Smartphone} role="quiet" title="In the browser">
            {isIos
                ? "To install it: Share, then “Add to Home Screen”."
                : secure
                  ? "To install it, look for “Install” or “Add to Home Screen” in the browser’s menu."
                  : "It cannot be installed from this address: it is neither https nor this very machine."}
        </Standing>
    );
}
