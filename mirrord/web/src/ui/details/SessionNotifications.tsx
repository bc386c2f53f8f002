import { useEffect, useId } from "preact/hooks";

import type { SessionSwitches } from "../../core/notify_messages.ts";
import { link } from "../../edge/app.ts";
import { loadNotifySettings, notifyFailure, notifySettings, setNotify } from "../../edge/notify_settings.ts";
import { Failure, Setting } from "../settings/parts.tsx";

const KINDS: readonly (readonly [kind: keyof SessionSwitches, label: string])[] = [
    ["waiting", "A question waits"],
    ["yourTurn", "It is your turn"],
    ["failed", "A turn failed"],
];

/** Where this session differs from what this device is told otherwise. */
export function SessionNotifications({ sessionId }: { sessionId: string }) {
    const id = useId();
    const live = link.value?.kind === "live";
    useEffect(() => {
        if (live) void loadNotifySettings();
    }, [live]);
    return (
        <section class="stack" aria-labelledby={id}>
            <h3 id={id} class="group-name">
                Notifications of this session
            </h3>
            <div class="rows">
                {KINDS.map(([kind, label]) => (
                    <Kind key={kind} sessionId={sessionId} kind={kind} label={label} />
                ))}
            </div>
            <Failure why={notifyFailure.value} />
        </section>
    );
}

function Kind({ sessionId, kind, label }: { sessionId: string; kind: keyof SessionSwitches; label: string }) {
    const name = useId();
    const settings = notifySettings.value;
    const own = settings?.sessions.get(sessionId)?.[kind];
    const choose = (value: string) => void setNotify(kind, value === "" ? null : value === "on", sessionId);
    return (
        <Setting label={label} name={name}>
            <select
                id={name}
                class="select"
                disabled={settings === undefined || link.value?.kind !== "live"}
                value={own === undefined ? "" : own ? "on" : "off"}
                onChange={(event) => choose(event.currentTarget.value)}
            >
                <option value="">{settings === undefined ? "Default" : `Default: ${settings.device[kind] ? "on" : "off"}`}</option>
                <option value="on">On</option>
                <option value="off">Off</option>
            </select>
        </Setting>
    );
}
