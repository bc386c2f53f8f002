/** Notifications as this page carries them out: what it shows and to whom, the browser's own ones through its worker, and the tab's sign. */

import { effect, signal } from "@preact/signals";

import { titleOf, waitingInAll } from "../core/listing.ts";
import { listed, NONE_UNSEEN, noted, reaction, seen, tabSign } from "../core/notify.ts";
import { literal, struct, text } from "../core/reading.ts";
import type { Attention, NotifyType } from "../protocol.ts";
import { standing, state, toast, toasts } from "./app.ts";
import { ring, showSign } from "./attention.ts";
import { sound } from "./preferences.ts";
import { focused, followPresence, lookedAt, showing, visible } from "./presence.ts";
import { go } from "./route.ts";

const NAME = "mirrord";
/** Of the notification that a person asks for to see one; no session is called so. */
const TEST_TAG = "test";

const readTap = struct({ type: literal("open"), sessionId: text }, { promptId: text });

const SEVERITIES: Readonly<Partial<Record<Attention["kind"], NotifyType>>> = { waiting: "warning", failed: "error" };

const unseen = signal(NONE_UNSEEN);

export function followAttention(): void {
  followPresence();
  effect(() => {
    const here = standing.value;
    if (here.kind !== "paired") return;
    here.client.onAttention = take;
    here.client.look(lookedAt.value, visible.value);
  });
  effect(() => {
    const { value: sessionId } = lookedAt;
    if (sessionId === null) return;
    unseen.value = seen(unseen.peek(), sessionId);
    void takeAway(sessionId);
  });
  effect(() => void (unseen.value = listed(unseen.value, state.value.sessions)));
  effect(() => showSign(tabSign(NAME, waitingInAll(state.value), unseen.value)));
  if ("serviceWorker" in navigator) navigator.serviceWorker.addEventListener("message", ({ data }) => tapped(readTap(data)));
}

/** A notification was tapped while this page was open. */
function tapped(tap: ReturnType<typeof readTap>): void {
  if (tap === undefined) return;
  const { sessionId, promptId: prompt } = tap;
  go({ screen: "session", sessionId, ...(prompt === undefined ? {} : { prompt }) });
}

/** Whether the browser lets this page show notifications. */
export function permission(): NotificationPermission {
  return "Notification" in globalThis ? Notification.permission : "denied";
}

/** Shows one, so that a person knows what it looks like. Rejects where it cannot be shown. */
export async function showTest(): Promise<void> {
  const worker = await registration();
  if (worker === undefined || permission() !== "granted") throw new Error("This browser does not let mirrord show notifications.");
  await worker.showNotification(NAME, { body: "This is how a session calls you.", tag: TEST_TAG, ...PICTURES });
}

/** The worker that notifications are shown through; undefined where there is none. */
export async function registration(): Promise<ServiceWorkerRegistration | undefined> {
  if (!("serviceWorker" in navigator)) return undefined;
  const found = await navigator.serviceWorker.getRegistration().catch(() => undefined);
  return found?.active == null ? undefined : found;
}

/** As in `core/notification.ts`, which is the worker's alone: what both run would be a file of its own, and the worker is one file. */
const PICTURES = { icon: "/icon-192.png", badge: "/badge.png" } as const;

function take(message: Attention): void {
  const what = reaction(message, {
    visible: visible.peek(),
    focused: focused.peek(),
    showing: showing.peek(),
    permitted: permission() === "granted",
    sound: sound.peek(),
  });
  if (message.sessionId !== lookedAt.peek()) unseen.value = noted(unseen.peek(), message);
  // What was said of a session before holds no longer.
  toasts.value = toasts.peek().filter((one) => one.call === undefined || one.sessionId !== message.sessionId);
  if (what.toast) call(message);
  if (what.ring) ring();
  void carryOut(message, what.notification);
}

function call({ sessionId, kind, title, body, promptId }: Attention): void {
  const session = state.peek().sessions.get(sessionId)?.session;
  toast({
    severity: SEVERITIES[kind] ?? "info",
    text: body,
    from: session === undefined ? title : titleOf(session),
    sessionId,
    call: kind,
    ...(promptId === undefined ? {} : { promptId }),
  });
}

/** The worker shows what the page hears and what is pushed in the same way: one session, one notification. */
async function carryOut(message: Attention, what: ReturnType<typeof reaction>["notification"]): Promise<void> {
  if (what === "close") await takeAway(message.sessionId);
  if (what === "show") (await registration())?.active?.postMessage(message);
}

/** The notification of that session, if one stands. */
async function takeAway(sessionId: string): Promise<void> {
  await close({ tag: sessionId });
}

/** No notification of this page's stands any more. */
export async function takeAllAway(): Promise<void> {
  await close({});
}

async function close(which: GetNotificationOptions): Promise<void> {
  const worker = await registration();
  // A browser that keeps none has none to take away.
  const standing = (await worker?.getNotifications(which).catch(() => [])) ?? [];
  for (const one of standing) one.close();
}
