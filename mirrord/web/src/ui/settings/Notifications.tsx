import { BellOff, BellPlus, BellRing, CircleCheck } from "lucide";
import { useEffect, useState } from "preact/hooks";

import type { NotifyKind } from "../../core/notify_messages.ts";
import * as ability from "../../core/push.ts";
import { link, say } from "../../edge/app.ts";
import { sentenceOf } from "../../edge/asking.ts";
import { showTest } from "../../edge/notifications.ts";
import { loadNotifySettings, notifyFailure, notifySettings, setNotify } from "../../edge/notify_settings.ts";
import { pushWanted } from "../../edge/preferences.ts";
import { allow, browser, failure, isBusy, isSubscribed, refreshPush, service, setPush } from "../../edge/push.ts";
import { Foreign } from "../Foreign.tsx";
import { withCode } from "../withCode.tsx";
import { Failure, Section, Standing, Switch } from "./parts.tsx";

const KINDS: readonly (readonly [kind: NotifyKind, label: string, hint: string])[] = [
    ["waiting", "A question waits", "Pi asks something, or a menu of its own is open."],
    ["yourTurn", "It is your turn", "Work has ended: after half a minute of it, or when you look at no session."],
    ["failed", "A turn failed", "It ended in an error."],
    ["titles", "Show titles", "Names of sessions and of questions in notifications, on a locked screen too. Without: “A question waits”."],
];

/** What this device is told, and whether its browser can show it. */
export function Notifications() {
    const live = link.value?.kind === "live";
    useEffect(() => {
        if (!live) return;
        void refreshPush();
        void loadNotifySettings();
    }, [live]);
    const device = notifySettings.value?.device;
    return (
        <Section title="Notifications">
            <div class="rows">
                <Permission />
                <WhileClosed />
            </div>
            <Failure why={failure.value} />
            <div class="rows">
                {KINDS.map(([kind, label, hint]) => (
                    <Switch
                        key={kind}
                        label={label}
                        hint={hint}
                        on={device?.[kind] ?? false}
                        disabled={device === undefined || !live}
                        set={(on) => void setNotify(kind, on)}
                    />
                ))}
            </div>
            {!live && <p class="secondary">mirrord keeps these four; they can be changed when it is connected.</p>}
            <Failure why={notifyFailure.value} />
        </Section>
    );
}

/** Whether this browser shows notifications at all. */
function Permission() {
    const can = ability.notifications(browser.value);
    switch (can.kind) {
        case "impossible":
            return (
                <Standing icon={BellOff} role="quiet" title={can.title}>
                    {can.advice}
                </Standing>
            );
        case "denied":
            return (
                <Standing icon={BellOff} role="warning" title="Blocked in this browser">
                    Allow notifications for <Foreign>{location.host}</Foreign> in the browser’s settings for this address, then come back.
                </Standing>
            );
        case "ask":
            return (
                <Standing
                    icon={BellPlus}
                    role="accent"
                    title="Off in this browser"
                    action={
                        <button type="button" class="button button-primary" onClick={() => void allow()}>
                            Allow
                        </button>
                    }
                >
                    The browser asks once whether mirrord may show them.
                </Standing>
            );
        case "granted":
            return (
                <Standing icon={CircleCheck} role="success" title="Allowed in this browser" action={<Test />}>
                    While this page is open, also when you look elsewhere.
                </Standing>
            );
    }
}

function Test() {
    const [failed, setFailed] = useState<string | undefined>(undefined);
    const show = () => {
        showTest().then(
            () => {
                setFailed(undefined);
                say("A notification was shown.");
            },
            (error: unknown) => setFailed(sentenceOf(error)),
        );
    };
    return (
        <>
            <button type="button" class="button button-outline" aria-label="Try it: show a notification" onClick={show}>
                Try it
            </button>
            <Failure why={failed} />
        </>
    );
}

/** Web Push. */
function WhileClosed() {
    const can = ability.push(browser.value, service.value);
    const label = "While this page is closed";
    // What is said above holds for it too.
    if (ability.notifications(browser.value).kind === "impossible") return null;
    if (can === undefined) {
        return (
            <Standing icon={BellRing} role="quiet" title={label}>
                Known when mirrord is connected.
            </Standing>
        );
    }
    if (can.kind === "impossible" || can.kind === "denied") {
        return (
            <Standing icon={BellRing} role="quiet" title={label}>
                {can.kind === "denied" ? "Not while they are blocked." : withCode(can.advice)}
            </Standing>
        );
    }
    const on = pushWanted.value && can.kind === "granted";
    return (
        <Switch
            label={label}
            hint={
                on && isSubscribed.value
                    ? "On, by Web Push: the browser’s maker carries it and cannot read it."
                    : "By Web Push: the browser’s maker carries it and cannot read it."
            }
            on={on}
            disabled={isBusy.value}
            set={(wanted) => void setPush(wanted)}
        />
    );
}
