// One word: its vector at one layer with its own vector at every layer, raw and above chance.

import { chart } from "./chart.mjs";
import { table, two } from "./html.mjs";
import { layerByLayer } from "./measures.mjs";

export function draw({ sentences, focus, chosen, layer, pairs }) {
  const sentence = sentences[focus];
  const word = sentence.words[chosen[focus]].text;
  const raw = layerByLayer(sentence, chosen[focus], layer);
  const corrected = raw.map((value, at) => value - pairs.mean[layer][at]);
  const last = raw.length - 1;
  const head = ["layer", `with layer ${layer}`, "random pairs", "corrected"];
  const changes = raw.map((value, at) => (at ? [at, value - raw[at - 1], corrected[at] - corrected[at - 1]] : null));
  const against = changes.find((change) => change && change[1] < -0.005 && change[2] > 0.005);
  return {
    summary: `“${word}” at layer ${layer} compared with itself: ${two(raw[0])} with layer 0, ${two(raw[last])} with layer ${last}.`,
    parts: [
      chart({
        title: `Similarity of “${word}” at layer ${layer} with itself at each layer, from ${two(raw[0])} at layer 0 to ${two(raw[last])} at layer ${last}. The table beside it has every layer.`,
        lines: [
          { label: "raw: the similarity as it is measured", values: raw, style: "main" },
          { label: "corrected: minus the average of random pairs", values: corrected, style: "second" },
        ],
        layer,
        notes: against
          ? [`From layer ${against[0] - 1} to ${against[0]} the corrected number rises although the raw one falls: unrelated words fall further.`]
          : [],
      }),
      table(
        `“${word}” at layer ${layer} with itself at each layer`,
        head,
        raw.map((value, at) => [at, two(value), two(pairs.mean[layer][at]), two(corrected[at])].map(String)),
        { highlighted: layer },
      ),
    ],
    rows: [["compared layer", ...head], ...raw.map((value, at) => [layer, at, value, pairs.mean[layer][at], corrected[at]])],
  };
}
