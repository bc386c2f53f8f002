/** The service worker: the page's own files, and nothing else, ever. The build puts their names in. */

declare const self: ServiceWorkerGlobalScope;
/** Every hashed file of this build, and what names the build. */
declare const BUILD: { readonly id: string; readonly assets: readonly string[]; readonly others: readonly string[] };

const CACHE = `mirrord-${BUILD.id}`;
const PAGE = "/";
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
      .then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  if (request.mode === "navigate") event.respondWith(page(request));
  else if (BUILD.assets.includes(pathname)) event.respondWith(kept(request));
  else if (BUILD.others.includes(pathname)) event.respondWith(fresh(request));
});

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

/** A file whose name changes with its content. */
async function kept(request: Request): Promise<Response> {
  return (await caches.match(request, { cacheName: CACHE })) ?? fetch(request);
}

/** A file whose name stays: icons and the manifest. */
async function fresh(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch {
    return (await caches.match(request, { cacheName: CACHE })) ?? Response.error();
  }
}
