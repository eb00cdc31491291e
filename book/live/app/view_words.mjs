// Every word of a sentence with every other, at one layer. The picture is a table.

import { element, table, two } from "./html.mjs";
import { wordByWord } from "./measures.mjs";

export function draw({ sentences, focus, chosen, layer, pairs }) {
  const sentence = sentences[focus];
  const words = sentence.words.map((word) => word.text);
  const matrix = wordByWord(sentence, layer);
  const own = chosen[focus];
  const cell = (value, row, column) => element("td", {
    class: row === own || column === own ? "live-heat live-own" : "live-heat",
    style: `--live-heat: ${Math.max(0, Math.min(1, value)).toFixed(3)}`,
  }, two(value));
  const others = matrix[own].map((value, i) => ({ value, i })).filter(({ i }) => i !== own);
  const best = others.length && others.reduce((a, b) => (b.value > a.value ? b : a));
  return {
    summary: best
      ? `At layer ${layer}, “${words[own]}” is most like “${words[best.i]}” (${two(best.value)}). Two random words are ${two(pairs.mean[layer][layer])} alike there.`
      : `The sentence has one word: type another to compare.`,
    parts: [
      table(
        `Word by word at layer ${layer}: the stronger the colour, the more alike`,
        ["word", ...words],
        matrix.map((row, i) => [words[i], ...row.map((value, j) => cell(value, i, j))]),
        { name: `Word by word similarity at layer ${layer}` },
      ),
    ],
    rows: [["layer", "word", ...words], ...matrix.map((row, i) => [layer, words[i], ...row])],
  };
}
