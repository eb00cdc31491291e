// Fetch the packed encoder, check it, and keep it in the browser under its content-hashed name.

const CACHE = "which-layer-model";

export const UNREACHABLE = "The model could not be loaded. Are you offline?";

export class LoadError extends Error {}

/** The cache, or null where there is none (plain http, private windows of some browsers). */
async function openCache() {
  try {
    return await globalThis.caches.open(CACHE);
  } catch {
    return null;
  }
}

export async function isKept(url) {
  const cache = await openCache();
  return Boolean(cache && (await cache.match(url)));
}

/** The file's bytes, from the cache or the network; `report(received)` while it comes in. */
export async function load(url, { bytes, sha256 }, report) {
  const cache = await openCache();
  const kept = cache && (await cache.match(url));
  if (kept) {
    const buffer = await kept.arrayBuffer();
    if (buffer.byteLength === bytes && (await isRight(buffer, sha256))) return { buffer, kept: true };
    await cache.delete(url);
  }
  const buffer = await download(url, bytes, report);
  if (!(await isRight(buffer, sha256))) {
    throw new LoadError("The model arrived, but not as it should be: it was altered or damaged on its way.");
  }
  if (cache) {
    try {
      for (const former of await cache.keys()) if (former.url !== String(url)) await cache.delete(former);
      await cache.put(url, new Response(buffer.slice(0)));
    } catch {
      // No room to keep it: it works all the same, and is loaded again the next time.
    }
  }
  return { buffer, kept: false };
}

async function download(url, bytes, report) {
  let response;
  try {
    response = await fetch(url);
  } catch {
    throw new LoadError(UNREACHABLE);
  }
  if (!response.ok) throw new LoadError(`The model isn't where it should be (the server says ${response.status}).`);
  const all = new Uint8Array(bytes);
  const reader = response.body.getReader();
  let received = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (received + value.length > bytes) throw new LoadError("The model is longer than it should be.");
      all.set(value, received);
      received += value.length;
      report(received);
    }
  } catch (error) {
    if (error instanceof LoadError) throw error;
    throw new LoadError("The connection broke off before the model was loaded.");
  }
  if (received !== bytes) throw new LoadError("Only a part of the model arrived: it was cut short.");
  return all.buffer;
}

async function isRight(buffer, sha256) {
  // Browsers give the digest to secure pages only; elsewhere the length has to do.
  if (!globalThis.crypto?.subtle) return true;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", buffer));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("") === sha256;
}
