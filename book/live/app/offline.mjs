// A service worker for the live page alone: what the page has loaded once is there without a
// connection. With one, everything is fetched anew, so nobody is left with an old page. The packed
// encoder has a cache of its own (store.mjs) under a name that changes with its content.

const CACHE = "which-layer-page";

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  const ours = url.origin === self.location.origin && event.request.method === "GET";
  if (!ours || /\/model\/minilm-/.test(url.pathname)) return;
  event.respondWith(fresh(event.request));
});

async function fresh(request) {
  const cache = await caches.open(CACHE);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(withoutQuery(request.url), response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(withoutQuery(request.url));
    if (kept) return kept;
    throw error;
  }
}

/** A link's sentence, and a theme's version mark, make no other file. */
function withoutQuery(address) {
  const url = new URL(address);
  url.search = "";
  return url.href;
}
