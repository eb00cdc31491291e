// The encoder's own thread, so that the page stays responsive while it computes.
// In:  {kind: "load", url, about}   {kind: "run", id, texts}
// Out: {kind: "progress", received}   {kind: "ready", kept, engine}   {kind: "failed", message}
//      {kind: "result", id, sentences}   {kind: "refused", id, which, message}

import { Reader, TextError } from "./reading.mjs";
import { load, LoadError } from "./store.mjs";

let reader = null;
let latest = 0;

// A message that waits is let in between two layers; a timer would wait four milliseconds.
const { port1, port2 } = new MessageChannel();
const waiting = [];
port1.onmessage = () => waiting.shift()();
const letMessagesIn = () => new Promise((resolve) => {
  waiting.push(resolve);
  port2.postMessage(null);
});

async function start({ url, about }) {
  try {
    let shown = 0;
    const { buffer, kept } = await load(url, about, (received) => {
      if (received - shown < about.bytes / 200 && received !== about.bytes) return;
      shown = received;
      postMessage({ kind: "progress", received });
    });
    reader = new Reader(buffer, { fits: about.fits });
    postMessage({ kind: "ready", kept, engine: reader.encoder.engine.name });
  } catch (error) {
    const message = error instanceof LoadError
      ? error.message
      : `The model can't be run here: ${error.message ?? error}. There may be too little memory.`;
    postMessage({ kind: "failed", message });
  }
}

async function run({ id, texts }) {
  latest = id;
  const sentences = [];
  for (const [which, text] of texts.entries()) {
    try {
      const steps = reader.read(text);
      let step = steps.next();
      while (!step.done) {
        await letMessagesIn();
        if (latest !== id) return; // a later sentence has taken its place
        step = steps.next();
      }
      sentences.push(step.value);
    } catch (error) {
      const message = error instanceof TextError ? error.message : `It could not be read: ${error.message}`;
      postMessage({ kind: "refused", id, which, message });
      return;
    }
  }
  const { layers, hidden } = reader.encoder;
  postMessage(
    { kind: "result", id, sentences: sentences.map((s) => ({ ...s, layers: layers + 1, width: hidden })) },
    sentences.map((s) => s.vectors.buffer),
  );
}

onmessage = ({ data }) => (data.kind === "load" ? start(data) : run(data));
postMessage({ kind: "alive" });
