// The part of speech that a linear probe reads at each layer, beside how often that probe is right.

import { element, percent, table } from "./html.mjs";
import { range, vectorOf } from "./measures.mjs";
import { Probes } from "./probe.mjs";
import { probes } from "./recorded.mjs";

const NAMES = {
  ADJ: "adjective", ADP: "preposition", ADV: "adverb", AUX: "auxiliary", CCONJ: "and, or, but",
  DET: "article or determiner", INTJ: "interjection", NOUN: "noun", NUM: "number", PART: "particle",
  PRON: "pronoun", PROPN: "name", PUNCT: "punctuation", SCONJ: "that, if, while", SYM: "symbol",
  VERB: "verb", X: "other",
};

let made = null;

export async function draw({ sentences, focus, chosen, layer }) {
  const recorded = await probes();
  made ??= new Probes(recorded);
  const { accuracy } = recorded.measured;
  const sentence = sentences[focus];
  const word = sentence.words[chosen[focus]].text;
  const readings = range(sentence.layers).map((at) => made.read(vectorOf(sentence, at, chosen[focus]), at));
  const all = sentence.words.map((_, i) => made.read(vectorOf(sentence, layer, i), layer)[0]);
  const [here] = readings[layer];
  const tag = (name) => `${NAMES[name] ?? name} (${name})`;
  const text = (content) => element("td", { class: "live-text live-short" }, content);
  const bar = (share) => element("td", { class: "live-bar", style: `--live-share: ${(100 * share).toFixed(1)}%` }, percent(share));
  return {
    summary: `At layer ${layer} the probe reads “${word}” as ${tag(here.name)}, with ${percent(here.probability)} confidence. On test sentences this layer's probe is right for ${percent(accuracy[layer])} of words.`,
    parts: [
      table(
        `What the probe of each layer reads for “${word}”`,
        ["layer", "part of speech", "confidence", "right on test words", "next likeliest"],
        readings.map(([first, next], at) => [
          String(at), text(tag(first.name)), bar(first.probability),
          percent(accuracy[at]), text(`${tag(next.name)}, ${percent(next.probability)}`),
        ]),
        { highlighted: layer, wide: true },
      ),
      element("p", { class: "live-note" }, "Confidence: how sure the probe is of this one word. Right on test words: how often the probe of that layer is right on words that it wasn't trained on. It may be sure and wrong."),
      table(
        `Every word at layer ${layer}`,
        ["word", "part of speech", "confidence"],
        all.map(({ name, probability }, i) => [sentence.words[i].text, text(tag(name)), bar(probability)]),
        { highlighted: chosen[focus] },
      ),
    ],
    rows: [
      ["layer", "word", "part of speech", "confidence", "accuracy of this layer's probe"],
      ...range(sentence.layers).flatMap((at) => sentence.words.map((own, i) => {
        const [{ name, probability }] = made.read(vectorOf(sentence, at, i), at);
        return [at, own.text, name, probability, accuracy[at]];
      })),
    ],
  };
}
