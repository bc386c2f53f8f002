/**
 * The service worker: keeps the page's own files, and nothing else, ever; shows what calls a person while the page is closed or hidden.
 * The build puts the files' names in.
 */

import {
  addressOf,
  choosePage,
  isAtAnother,
  notification,
  readNotice,
  readPayload,
  UNREADABLE,
  wanting,
  type Notice,
  type Options,
} from "./core/notification.ts";

declare const self: ServiceWorkerGlobalScope;
/** Every hashed file of this build, and what names the build. */
declare const BUILD: { readonly id: string; readonly assets: readonly string[]; readonly others: readonly string[] };

const CACHE = `mirrord-${BUILD.id}`;
const PAGE = "/";
const ASSETS = "/assets/";
/** A daemon that does not answer by then is away as far as opening the page goes. */
const PATIENCE_MS = 3_000;

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll([PAGE, ...BUILD.assets, ...BUILD.others]))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      // In the order in which they were made. The last one before this stays: a page that was opened with it has not asked for all of it yet.
      .then((names) => Promise.all(names.filter((name) => name !== CACHE).slice(0, -1).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  if (request.mode === "navigate") event.respondWith(page(request));
  else if (pathname.startsWith(ASSETS)) event.respondWith(kept(request));
  else if (BUILD.others.includes(pathname)) event.respondWith(fresh(request));
});

// ---- what calls a person -----------------------------------------------------------------------------------------------

self.addEventListener("push", (event) => {
  event.waitUntil(pushed(event.data?.text() ?? ""));
});

self.addEventListener("message", (event) => {
  const notice = readNotice(event.data);
  if (notice !== undefined) event.waitUntil(told(notice, event.source instanceof Client ? event.source.id : undefined));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(readNotice(event.notification.data)));
});

self.addEventListener("notificationclose", (event) => {
  event.waitUntil(standing().then(countOnBadge));
});

self.addEventListener("pushsubscriptionchange", (event) => {
  event.waitUntil(subscribeAgain(event as PushSubscriptionChangeEvent));
});

/** A browser that ends a subscription of its own accord may give another; TypeScript's library lacks the event. */
interface PushSubscriptionChangeEvent extends ExtendableEvent {
  readonly oldSubscription?: PushSubscription | null;
  readonly newSubscription?: PushSubscription | null;
}

/** What was shown of each session, as long as this worker runs: a push and a page may tell the same at the same time. */
const latest = new Map<string, Notice>();

/** Whatever comes is shown: a push that shows nothing costs the right to push. */
async function pushed(text: string): Promise<void> {
  const notice = readPayload(text);
  if (notice === undefined) await show(UNREADABLE.title, UNREADABLE.options);
  else await showNotice(notice, await standing());
}

/** From a page that is not looked at. What is over is worth no notification of its own, and nothing is where another page is looked at. */
async function told(notice: Notice, from: string | undefined): Promise<void> {
  const shown = await standing();
  const isWorthIt =
    notice.kind === "over" ? shown.some((one) => one.sessionId === notice.sessionId) : !isAtAnother(await windows(), from);
  if (isWorthIt) await showNotice(notice, shown);
}

function windows(): Promise<readonly WindowClient[]> {
  return self.clients.matchAll({ type: "window", includeUncontrolled: true });
}

async function showNotice(notice: Notice, shown: readonly Notice[]): Promise<void> {
  const others = shown.filter((one) => one.sessionId !== notice.sessionId);
  const before = latest.get(notice.sessionId) ?? shown.find((one) => one.sessionId === notice.sessionId);
  latest.set(notice.sessionId, notice);
  const { title, options } = notification(notice, before);
  await show(title, options);
  await countOnBadge([...others, notice]);
}

async function show(title: string, options: Options): Promise<void> {
  await self.registration.showNotification(title, options as NotificationOptions);
}

/** What is shown. Not to be asked right after something was: a browser that has not drawn it yet takes it for gone, and forgets it. */
async function standing(): Promise<Notice[]> {
  const shown = await self.registration.getNotifications();
  return shown.map((one) => readNotice(one.data)).filter((notice) => notice !== undefined);
}

async function countOnBadge(shown: readonly Notice[]): Promise<void> {
  // Only there for installed apps of some browsers, and refused at their will.
  if ("setAppBadge" in self.navigator) await self.navigator.setAppBadge(wanting(shown)).catch(() => {});
}

/** Shows the session, and in it the prompt, on a page that is there or on a new one. */
async function open(notice: Notice | undefined): Promise<void> {
  await countOnBadge(await standing());
  const page = choosePage(await windows());
  // One that may not be brought to the front is as good as none.
  const shown = await page?.focus().catch(() => undefined);
  if (shown === undefined) await self.clients.openWindow(addressOf(notice));
  else if (notice !== undefined) shown.postMessage({ type: "open", sessionId: notice.sessionId, promptId: notice.promptId });
}

/** The daemon is told by a page, now or when one opens: this worker has no access of its own. */
async function subscribeAgain({ oldSubscription, newSubscription }: PushSubscriptionChangeEvent): Promise<void> {
  const key = oldSubscription?.options.applicationServerKey;
  if (newSubscription == null && key != null) {
    await self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }).catch(() => {});
  }
  for (const page of await windows()) page.postMessage({ type: "subscription" });
}

// ---- the page's own files ----------------------------------------------------------------------------------------------

/** The newest page that can be had: from the daemon, or the one that is kept. */
async function page(request: Request): Promise<Response> {
  try {
    const response = await fetch(request, { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (response.ok) return response;
  } catch {
    // Away: below.
  }
  return (await caches.match(PAGE, { cacheName: CACHE })) ?? Response.error();
}

/** A file whose name changes with its content, of this build or the one before. */
async function kept(request: Request): Promise<Response> {
  return (await caches.match(request)) ?? fetch(request);
}

/** A file whose name stays: icons and the manifest. */
async function fresh(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch {
    return (await caches.match(request, { cacheName: CACHE })) ?? Response.error();
  }
}
