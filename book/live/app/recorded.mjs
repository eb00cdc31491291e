// What the page can show without the model: its examples, and the words among which it looks for
// neighbours. Everything is found by relative address, so that the site may lie anywhere.

import { loadVectors } from "./vectors.mjs";

const here = (name) => new URL(name, import.meta.url);
export const inModel = (name) => here(`../model/${name}`);

async function json(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.pathname}: the server says ${response.status}`);
  return response.json();
}

const kept = new Map();
/** Load once; after a failure, again the next time. */
function once(name, make) {
  if (!kept.has(name)) {
    kept.set(name, make().catch((error) => {
      kept.delete(name);
      throw error;
    }));
  }
  return kept.get(name);
}

export const manifest = () => once("manifest", () => json(inModel("manifest.json")));
export const recorded = () => once("recorded", () => json(here("recorded.json")));
export const probes = () => once("probes", () => json(here("probes.json")));

/** The sentences of a recorded example, as the worker would give them. */
export const example = (index) => once(`example ${index}`, async () => {
  const [about, { examples }] = await Promise.all([manifest(), recorded()]);
  const file = about.examples[index];
  const all = await loadVectors(inModel(file.file), file, about.width, 2);
  let at = 0;
  return examples[index].sentences.map((sentence) => {
    const size = about.layers * sentence.words.length * about.width;
    const vectors = all.subarray(at, (at += size));
    return { ...sentence, vectors, layers: about.layers, width: about.width };
  });
});

/** The treebank's words in context: `words` with their sentence, and their vectors. */
export const neighbours = () => once("neighbours", async () => {
  const about = await manifest();
  const { sentences } = await json(here("neighbours.json"));
  const vectors = await loadVectors(inModel(about.neighbours.file), about.neighbours, about.width, 1);
  const words = sentences.flatMap(({ text, words: own }) => {
    const characters = [...text]; // Python counted characters
    return own.map(({ span: [from, to], upos }) => ({
      before: characters.slice(0, from).join(""),
      text: characters.slice(from, to).join(""),
      after: characters.slice(to).join(""),
      upos,
    }));
  });
  return { words, vectors, layers: about.layers, width: about.width };
});
