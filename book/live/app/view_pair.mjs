// The same word in two sentences: how alike are its two vectors at each layer?

import { chart } from "./chart.mjs";
import { element, table, two, unrelated } from "./html.mjs";
import { nearestInSentence, pairByLayer, range } from "./measures.mjs";

export function draw({ sentences, chosen, layer, pairs }) {
  if (sentences.length < 2) {
    return { parts: [element("p", {}, "This view compares a word in two sentences: type a second sentence above, or choose an example.")], rows: null };
  }
  const [a, b] = sentences;
  const similarity = pairByLayer(a, chosen[0], b, chosen[1]);
  const random = similarity.map((_, at) => pairs.mean[at][at]);
  const above = similarity.map((value, at) => value - random[at]);
  const [first, second] = [a.words[chosen[0]].text, b.words[chosen[1]].text];
  const last = similarity.length - 1;
  const same = first.toLowerCase() === second.toLowerCase();
  const name = same ? `the two “${first}”` : `“${first}” and “${second}”`;
  const notes = [
    ...(same && two(similarity[0]) !== "1.00" ? [moved(chosen, similarity[0])] : []),
    grey(random),
    ...against(similarity, random, above),
  ];
  return {
    summary: `At layer ${layer}, ${name} are ${two(similarity[layer])} alike. ${unrelated(random[layer])}`,
    more: `In its sentence (function words left out), ${sentences.map((sentence, which) => {
      const near = nearestInSentence(sentence, layer, chosen[which]);
      const own = same ? `the ${which ? "second" : "first"} “${which ? second : first}”` : `“${which ? second : first}”`;
      return near ? `${own} is most like “${near.text}” (${two(near.similarity)})` : `${own} has no other to be compared with`;
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
        notes,
      }),
      table(
        `Similarity of ${name}, layer by layer`,
        ["layer", "similarity", "random pairs", "above random"],
        similarity.map((value, at) => [at, two(value), two(random[at]), two(above[at])].map(String)),
        { highlighted: layer },
      ),
    ],
    rows: [
      ["layer", "similarity", "random pairs", "above random"],
      ...similarity.map((value, at) => [at, value, random[at], above[at]]),
    ],
  };
}

const moved = (chosen, value) =>
  `Layer 0: ${two(value)}. Not 1.00, because the word stands at another place in the two sentences` +
  (chosen[0] === chosen[1] ? ", counted in the pieces that the encoder knows." : ".");

/** What the band is, and where random pairs are most alike. */
function grey(random) {
  const most = random.indexOf(Math.max(...random));
  return `Grey: how alike unrelated words are (nine in ten random pairs lie in it). At layer ${most} many ` +
    `unrelated words are alike too, so a high number means less there.`;
}

/** Why the number above random may rise where the similarity falls, if it does so here. */
function against(similarity, random, above) {
  const step = (values, at) => values[at] - values[at - 1];
  const drop = (values, at) => two(-step(values, at));
  const found = range(similarity.length).slice(1)
    .filter((at) => step(similarity, at) < -0.005 && step(above, at) > 0.005)
    .sort((one, other) => step(above, other) - step(above, one))[0];
  if (found === undefined) return [];
  return [
    `Above random: the similarity minus the average of random pairs. From layer ${found - 1} to ${found} it rises ` +
    `although the similarity falls (by ${drop(similarity, found)}), because unrelated words fall further (by ${drop(random, found)}).`,
  ];
}
