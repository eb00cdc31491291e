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

// On the first visit the page was there before this worker, so it says what it is made of.
self.addEventListener("message", (event) => event.waitUntil(keep(event.data.keep, event.ports[0])));

async function keep(addresses, port) {
  const cache = await caches.open(CACHE);
  const missing = [];
  for (const address of addresses) {
    if (!(await cache.match(withoutQuery(address)))) missing.push(address);
  }
  const fetched = await Promise.allSettled(missing.map(async (address) => {
    const response = await fetch(address);
    if (!response.ok) throw new Error(address);
    await cache.put(withoutQuery(address), response);
  }));
  port.postMessage(fetched.every(({ status }) => status === "fulfilled"));
}

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
