// Which of the course treebank's words in context are nearest to this one, at one layer?

import { element, table, two, unrelated } from "./html.mjs";
import { nearest, vectorOf } from "./measures.mjs";
import { neighbours } from "./recorded.mjs";

const SHOWN = 8;

export async function draw({ sentences, focus, chosen, layer, pairs }) {
  const others = await neighbours();
  const sentence = sentences[focus];
  const word = sentence.words[chosen[focus]].text;
  const found = nearest(vectorOf(sentence, layer, chosen[focus]), others, layer, SHOWN);
  const random = pairs.mean[layer][layer];
  return {
    summary: `At layer ${layer}, the nearest to “${word}” is “${found[0].word.text}” (${two(found[0].similarity)}). ${unrelated(random)}`,
    parts: [
      table(
        `The ${SHOWN} words nearest to “${word}” at layer ${layer}`,
        ["word, in its sentence", "similarity", "corrected"],
        found.map(({ word: near, similarity }) => [
          element("span", { class: "live-context" }, near.before, element("mark", {}, near.text), near.after),
          two(similarity), two(similarity - random),
        ]),
      ),
    ],
    rows: [
      ["layer", "to", "word", "sentence", "similarity", "corrected"],
      ...found.map(({ word: near, similarity }) =>
        [layer, word, near.text, near.before + near.text + near.after, similarity, similarity - random]),
    ],
  };
}
