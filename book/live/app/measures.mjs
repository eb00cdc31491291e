// What is computed from the vectors. A sentence here has `words`, `width` (numbers in a vector),
// `layers` (how many, layer 0 included) and `vectors`, (layers x words x width).

import { isContent } from "./function_words.mjs";

export function vectorOf(sentence, layer, word) {
  const from = (layer * sentence.words.length + word) * sentence.width;
  return sentence.vectors.subarray(from, from + sentence.width);
}

/** The cosine of two vectors: 1 for the same direction, 0 for directions with nothing in common. */
export function cosine(a, b) {
  let product = 0, lengthA = 0, lengthB = 0;
  for (let i = 0; i < a.length; i++) {
    product += a[i] * b[i];
    lengthA += a[i] * a[i];
    lengthB += b[i] * b[i];
  }
  return product / Math.sqrt(lengthA * lengthB);
}

/** Every word of a sentence with every other at one layer: an array of rows. */
export function wordByWord(sentence, layer) {
  const vectors = sentence.words.map((_, word) => vectorOf(sentence, layer, word));
  return vectors.map((a) => vectors.map((b) => cosine(a, b)));
}

/**
 * The other word of its sentence that a word is most like, function words and punctuation aside:
 * {text, similarity}, null if there is none.
 */
export function nearestInSentence(sentence, layer, word) {
  const own = vectorOf(sentence, layer, word);
  return sentence.words
    .map(({ text }, i) => ({ text, similarity: i === word ? -Infinity : cosine(own, vectorOf(sentence, layer, i)) }))
    .filter(({ text, similarity }) => similarity > -Infinity && isContent(text))
    .reduce((a, b) => (b.similarity > (a?.similarity ?? -Infinity) ? b : a), null);
}

/** One word's vector at `layer` with its own vector at each layer. */
export function layerByLayer(sentence, word, layer) {
  const own = vectorOf(sentence, layer, word);
  return range(sentence.layers).map((other) => cosine(own, vectorOf(sentence, other, word)));
}

/** A word of one sentence with a word of another, at each layer. */
export function pairByLayer(a, wordA, b, wordB) {
  return range(a.layers).map((layer) => cosine(vectorOf(a, layer, wordA), vectorOf(b, layer, wordB)));
}

/** The `count` words of `others` that are nearest to a vector at a layer: [{word, similarity}]. */
export function nearest(vector, others, layer, count) {
  return others.words
    .map((word, i) => ({ word, similarity: cosine(vector, vectorOf(others, layer, i)) }))
    .sort((a, b) => b.similarity - a.similarity)
    .slice(0, count);
}

export const range = (count) => Array.from({ length: count }, (_, i) => i);
