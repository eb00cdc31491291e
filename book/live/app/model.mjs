// The page's side of the worker: load once, then sentences in and vectors out; the last one wins.

import { UNREACHABLE } from "./store.mjs";

const WORKER = new URL("./worker.mjs", import.meta.url);

export class Model {
  #worker = null;
  #latest = 0;

  /** `on` has the functions progress, ready, failed, result, refused. */
  constructor(on) {
    this.on = on;
    this.ready = false;
    this.busy = false;
  }

  load(url, about) {
    this.#stop();
    // Only a browser that knows module workers reads this.
    let known = false;
    const options = { get type() { known = true; return "module"; } };
    try {
      this.#worker = new Worker(WORKER, options);
    } catch {
      this.#tooOld();
      return;
    }
    let alive = false;
    this.#worker.onerror = (event) => {
      if (!alive) this.#notStarted(known);
      else this.on.failed({ message: `The model stopped: ${event.message || "there may be too little memory"}.` });
      this.#stop();
    };
    this.#worker.onmessage = ({ data }) => {
      alive = true;
      if (data.kind === "ready") this.ready = true;
      if (data.kind === "failed") this.#stop();
      const old = data.id !== undefined && data.id !== this.#latest;
      if (data.id === this.#latest) this.busy = false;
      if (!old) this.on[data.kind]?.(data);
    };
    this.#worker.postMessage({ kind: "load", url: String(url), about });
  }

  run(texts) {
    this.#latest += 1;
    this.busy = true;
    this.#worker.postMessage({ kind: "run", id: this.#latest, texts });
  }

  /** What was asked for before doesn't matter any more. */
  forget() {
    this.#latest += 1;
    this.busy = false;
  }

  #stop() {
    this.#worker?.terminate();
    this.#worker = null;
    this.ready = false;
    this.busy = false;
  }

  /** A worker that can't be fetched and one that can't be understood fail in the same way. */
  async #notStarted(known) {
    const there = await fetch(WORKER).then(({ ok }) => ok, () => false);
    if (known && !there) this.on.failed({ message: UNREACHABLE });
    else this.#tooOld();
  }

  #tooOld() {
    this.on.failed({ message: "This browser can't run the model: it is too old for module workers." });
  }
}
