// Run the live page's own modules under Node: `node read_live.mjs PACK < request.json`.
// The request: {texts: [...], probes: {...} or null, vectors: "file to write to" or null}.
// The answer, as JSON: for each text its words, subwords and, with probes, the tags of each layer.

import fs from "node:fs";
import { Probes } from "../book/live/app/probe.mjs";
import { finish, Reader } from "../book/live/app/reading.mjs";
import { range, vectorOf } from "../book/live/app/measures.mjs";

const file = fs.readFileSync(process.argv[2]);
const reader = new Reader(file.buffer.slice(file.byteOffset, file.byteOffset + file.length));
const request = JSON.parse(fs.readFileSync(0, "utf8"));
const probes = request.probes && new Probes(request.probes);
const layers = reader.encoder.layers + 1;
const out = request.vectors ? fs.openSync(request.vectors, "w") : null;

const answer = request.texts.map((text) => {
  const sentence = { ...finish(reader.read(text)), layers, width: reader.encoder.hidden };
  const { words, subwords, ids, spans, vectors } = sentence;
  if (out !== null) fs.writeSync(out, new Uint8Array(vectors.buffer));
  const tags = probes && range(layers).map((layer) => words.map((_, word) => {
    const [first] = probes.read(vectorOf(sentence, layer, word), layer);
    return [first.name, first.probability];
  }));
  return { text, words, subwords, ids, spans, tags };
});
fs.writeSync(1, JSON.stringify(answer));
