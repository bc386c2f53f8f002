/**
 * Web Push as this browser arranges it: asked for by a person's press, made anew when the key or the daemon changes, ended when they
 * want it no more. What goes over the wire is an address of the browser maker's and two keys; the daemon encrypts for them.
 */

import { effect, signal } from "@preact/signals";

import { readPushInfo, type PushInfo } from "../core/notify_messages.ts";
import { isForeignKey, type Browser } from "../core/push.ts";
import { record } from "../core/reading.ts";
import { fromBase64url, toBase64url, type Bytes } from "../pairing/base64url.ts";
import { link } from "./app.ts";
import { ask, sentenceOf } from "./asking.ts";
import { isInstalled } from "./install.ts";
import { permission, registration } from "./notifications.ts";
import { pushWanted } from "./preferences.ts";

/** An uncompressed point of P-256. */
const KEY_BYTES = 65;

/** What this browser is and allows; looked at again after each thing that may change it. */
export const browser = signal<Browser>(look());
/** What the daemon said of push on this connection. */
export const service = signal<PushInfo | undefined>(undefined);
/** The daemon has this browser's subscription. */
export const isSubscribed = signal(false);
/** Why the last attempt came to nothing, as a sentence. */
export const failure = signal<string | undefined>(undefined);
export const isBusy = signal(false);

let last: Promise<void> = Promise.resolve();

export function followPush(): void {
  effect(() => {
    if (link.value?.kind === "live" && pushWanted.peek()) void attempt(arrange);
  });
  if ("serviceWorker" in navigator) {
    navigator.serviceWorker.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
      // The browser has replaced the subscription by itself.
      if (record(data)?.["type"] === "subscription" && pushWanted.peek()) void attempt(arrange);
    });
  }
  // The person may take the right back in the browser's own settings.
  navigator.permissions
    ?.query({ name: "notifications" })
    .then((status) => {
      status.onchange = () => void attempt(arrange);
    })
    .catch(() => {});
}

/** Looks again at what the browser and the daemon can. */
export function refreshPush(): Promise<void> {
  return attempt(arrange);
}

/** Asks for the right to notify, and for Web Push where there is one. Only from a person's press: a browser refuses it else. */
export function allow(): Promise<void> {
  const asked = Notification.requestPermission();
  return attempt(async () => {
    pushWanted.value = (await asked) === "granted";
    await arrange();
  });
}

/** While the page is closed, or only while it is open. */
export function setPush(on: boolean): Promise<void> {
  if (on && permission() !== "granted") return allow();
  pushWanted.value = on;
  return attempt(arrange);
}

/** Nothing is sent to this browser any more, whether the daemon can be told or not. */
export async function endPush(): Promise<void> {
  pushWanted.value = false;
  await attempt(async () => end(await (await registration())?.pushManager.getSubscription()));
}

/** One after the other: two at once would leave a subscription that nobody knows. */
function attempt(work: () => Promise<void>): Promise<void> {
  isBusy.value = true;
  const done = last.then(work).then(
    () => (failure.value = undefined),
    (error: unknown) => (failure.value = sentenceOf(error)),
  );
  last = done.then(() => {
    isBusy.value = false;
  });
  return last;
}

/** Makes it so: subscribed here and at the daemon, or at neither. */
async function arrange(): Promise<void> {
  browser.value = look();
  const manager = (await registration())?.pushManager;
  const had = (await manager?.getSubscription()) ?? null;
  const isWanted = pushWanted.peek() && permission() === "granted";
  // Also while the daemon is away: nobody is called by what they have switched off.
  if (!isWanted) await end(had);
  if (link.peek()?.kind !== "live") return;
  service.value = readPushInfo(await ask("push_info"));
  if (manager === undefined || !isWanted) return;
  const key = service.peek()?.available === true ? fromBase64url(service.peek()?.publicKey ?? "", KEY_BYTES) : undefined;
  if (key === undefined) {
    // Where push is gone at the daemon, the person's wish stays: it is arranged again when it is back.
    isSubscribed.value = false;
    await had?.unsubscribe();
    return;
  }
  await tell(await subscription(manager, had, key));
  isSubscribed.value = true;
}

async function end(had: PushSubscription | null | undefined): Promise<void> {
  isSubscribed.value = false;
  if (had == null) return;
  await had.unsubscribe();
  // Not waited for: a daemon that cannot be told learns it from the push service.
  void ask("push_unsubscribe").catch(() => {});
}

/** The one that stands, or a new one where its key is of another daemon or an older one. */
async function subscription(manager: PushManager, had: PushSubscription | null, key: Bytes): Promise<PushSubscription> {
  if (had !== null && !isForeignKey(had.options.applicationServerKey, key)) return had;
  await had?.unsubscribe();
  try {
    return await manager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  } catch {
    throw new Error("This browser could not reach its push service: it has none in a private window, and needs a network.");
  }
}

/** Said on each connection: the daemon may have lost it, or have been told by the push service that it is gone. */
async function tell(made: PushSubscription): Promise<void> {
  const [p256dh, auth] = (["p256dh", "auth"] as const).map((name) => made.getKey(name));
  if (p256dh == null || auth == null) throw new Error("This browser’s push subscription has no keys.");
  await ask("push_subscribe", {
    endpoint: made.endpoint,
    p256dh: toBase64url(new Uint8Array(p256dh)),
    auth: toBase64url(new Uint8Array(auth)),
  });
}

function look(): Browser {
  return {
    secure: isSecureContext,
    hasWorker: "serviceWorker" in navigator,
    hasNotifications: "Notification" in globalThis,
    hasPush: "PushManager" in globalThis,
    permission: permission(),
    // An iPad says that it is a Mac; no Mac has a touch screen.
    isIos: /iP(?:hone|ad|od)/.test(navigator.userAgent) || (navigator.userAgent.includes("Macintosh") && navigator.maxTouchPoints > 1),
    isInstalled: isInstalled.peek(),
  };
}
