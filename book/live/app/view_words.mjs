// Every word of a sentence with every other, at one layer. The picture is a table.

import { element, table, two, unrelated } from "./html.mjs";
import { nearestInSentence, wordByWord } from "./measures.mjs";

// More of them would be a table that nobody can read, and slow to draw. The CSV has them all.
const SHOWN = 40;

export function draw({ sentences, focus, chosen, layer, pairs }) {
  const sentence = sentences[focus];
  const words = sentence.words.map((word) => word.text);
  const matrix = wordByWord(sentence, layer);
  const own = chosen[focus];
  const cell = (value, row, column) => element("td", {
    class: row === own || column === own ? "live-heat live-own" : "live-heat",
    style: `--live-heat: ${Math.max(0, Math.min(1, value)).toFixed(3)}`,
  }, two(value));
  const from = Math.max(0, Math.min(own - SHOWN / 2, words.length - SHOWN));
  const near = (list) => list.slice(from, from + SHOWN);
  const best = nearestInSentence(sentence, layer, own);
  return {
    summary: best
      ? `At layer ${layer}, “${words[own]}” is most like “${best.text}” (${two(best.similarity)}), function words left out. ${unrelated(pairs.mean[layer][layer])}`
      : `“${words[own]}” has no other word to be compared with, function words left out.`,
    more: words.length > SHOWN
      ? `The table has the ${SHOWN} words around the chosen one, words ${from + 1} to ${from + SHOWN} of ${words.length}; the CSV has all.`
      : "",
    parts: [
      table(
        `Word by word at layer ${layer}: the stronger the colour, the more alike`,
        ["word", ...near(words)],
        near(words).map((word, i) => [
          word,
          ...near(words).map((_, j) => cell(matrix[from + i][from + j], from + i, from + j)),
        ]),
        { name: `Word by word similarity at layer ${layer}`, wide: true },
      ),
    ],
    rows: [["layer", "word", ...words], ...matrix.map((row, i) => [layer, words[i], ...row])],
  };
}
