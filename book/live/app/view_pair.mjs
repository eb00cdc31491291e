// The same word in two sentences: how alike are its two vectors at each layer?

import { chart } from "./chart.mjs";
import { element, table, two } from "./html.mjs";
import { nearestInSentence, pairByLayer } from "./measures.mjs";

export function draw({ sentences, chosen, layer, pairs }) {
  if (sentences.length < 2) {
    return { parts: [element("p", {}, "This view compares a word in two sentences: type a second sentence above, or choose an example.")], rows: null };
  }
  const [a, b] = sentences;
  const similarity = pairByLayer(a, chosen[0], b, chosen[1]);
  const random = similarity.map((_, at) => pairs.mean[at][at]);
  const [first, second] = [a.words[chosen[0]].text, b.words[chosen[1]].text];
  const last = similarity.length - 1;
  const name = first.toLowerCase() === second.toLowerCase() ? `the two “${first}”` : `“${first}” and “${second}”`;
  return {
    summary: `At layer ${layer}, ${name} are ${two(similarity[layer])} alike. Two random words are ${two(random[layer])} alike there.`,
    more: `In its sentence, ${sentences.map((sentence, which) => {
      const near = nearestInSentence(sentence, layer, chosen[which]);
      const own = which ? `the second “${second}”` : `the first “${first}”`;
      return near ? `${own} is most like “${near.text}” (${two(near.similarity)})` : `${own} is alone`;
    }).join(", ")}.`,
    parts: [
      chart({
        title: `Similarity of ${name}: ${two(similarity[0])} at layer 0, ${two(similarity[last])} at layer ${last}. The table beside it has every layer.`,
        lines: [
          { label: name, values: similarity, style: "main" },
          { label: "average of random pairs of words", values: random, style: "plain" },
        ],
        band: { low: pairs.low, high: pairs.high, label: "nine in ten random pairs" },
        layer,
      }),
      table(
        `Similarity of ${name}, layer by layer`,
        ["layer", "similarity", "random pairs", "above random"],
        similarity.map((value, at) => [at, two(value), two(random[at]), two(value - random[at])].map(String)),
        { highlighted: layer },
      ),
    ],
    rows: [
      ["layer", "similarity", "random pairs", "above random"],
      ...similarity.map((value, at) => [at, value, random[at], value - random[at]]),
    ],
  };
}
