// One text through the whole path: words, subwords, hidden states. The page's worker, the tests and
// the script that measures the probes all call this, so that what is measured is what is shown.

import { Encoder, readPack, vocabularyOf } from "./encoder.mjs";
import { Tokenizer } from "./tokenizer.mjs";
import { splitWords } from "./words.mjs";

// No sentence of so many characters fits; without a limit, splitting a pasted book would take long.
const MOST_CHARACTERS = 4000;

export class TextError extends Error {}

export class Reader {
  /** `fits` is how many words have room, roughly, which a text that is too long is told. */
  constructor(buffer, { fits, ...options } = {}) {
    this.room = fits ? ` (roughly ${fits} words)` : "";
    const pack = readPack(buffer);
    this.encoder = new Encoder(pack, options);
    this.tokenizer = new Tokenizer(vocabularyOf(pack));
  }

  /** The words and subwords of a text; a TextError says what is wrong with it. */
  split(text) {
    if (text.length > MOST_CHARACTERS) {
      throw new TextError(`It is too long: it has ${text.length} characters. Take a sentence of it${this.room}.`);
    }
    const words = splitWords(text);
    if (!words.length) throw new TextError("There is no word in it: type a sentence.");
    const encoded = this.tokenizer.encodeWords(words.map((word) => word.text));
    const room = this.encoder.positions;
    if (encoded.ids.length > room) {
      throw new TextError(
        `It is too long: with the two marks at its ends it has ${encoded.ids.length} subwords, ` +
          `and there is room for ${room}${this.room}. Shorten it.`,
      );
    }
    return { text, words, ...encoded };
  }

  /**
   * Yields after each layer, so that the caller can stop; returns the sentence with `vectors`, the
   * first subword of each word at each layer: (L + 1) x words x hidden, as the course has them.
   */
  *read(text) {
    const sentence = this.split(text);
    const width = this.encoder.hidden;
    const count = sentence.words.length;
    const vectors = new Float32Array((this.encoder.layers + 1) * count * width);
    let layer = 0;
    for (const states of this.encoder.states(sentence.ids)) {
      sentence.spans.forEach(([first], word) => {
        const from = first * width;
        vectors.set(states.subarray(from, from + width), (layer * count + word) * width);
      });
      layer += 1;
      yield layer;
    }
    return { ...sentence, vectors };
  }
}

/** Run a generator to its end and give what it returns. */
export function finish(generator) {
  let step = generator.next();
  while (!step.done) step = generator.next();
  return step.value;
}
