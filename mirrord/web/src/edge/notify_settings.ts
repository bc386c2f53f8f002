/** What this device wants to be told of. The daemon keeps it, so that a push that nobody sees coming obeys it too. */

import { signal } from "@preact/signals";

import { readNotifySettings, type NotifyKind, type NotifySettings } from "../core/notify_messages.ts";
import { ask, sentenceOf } from "./asking.ts";

/** Undefined until the daemon told. */
export const notifySettings = signal<NotifySettings | undefined>(undefined);
/** Why they could not be had or set. */
export const notifyFailure = signal<string | undefined>(undefined);

export async function loadNotifySettings(): Promise<void> {
  await take(ask("notify_settings"));
}

/** `on` null: back to the device's, or to what a new device has. */
export async function setNotify(kind: NotifyKind, on: boolean | null, sessionId?: string): Promise<void> {
  await take(ask("notify_set", { kind, on, ...(sessionId === undefined ? {} : { sessionId }) }));
}

async function take(reply: Promise<unknown>): Promise<void> {
  try {
    const read = readNotifySettings(await reply);
    if (read === undefined) throw new Error("mirrord sent settings that this page cannot read.");
    notifySettings.value = read;
    notifyFailure.value = undefined;
  } catch (error) {
    notifyFailure.value = sentenceOf(error);
  }
}
