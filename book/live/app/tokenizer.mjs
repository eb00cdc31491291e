// WordPiece as BERT's uncased models have it: text in, subwords out, as the Python tokenizer gives
// them. Special tokens such as [SEP], when typed, are plain text here.

const LONGEST = 100; // characters of a piece of text that is looked up; longer ones are unknown

const WHITE = /\p{White_Space}/u;
const DROPPED = /[\p{Cc}\p{Cf}\p{Co}\ufffd]/u;
const ACCENT = /\p{Mn}/u;
const PUNCTUATION = /[\p{P}$+<=>^`|~]/u;
const CHINESE = [
  [0x4e00, 0x9fff], [0x3400, 0x4dbf], [0x20000, 0x2a6df], [0x2a700, 0x2b73f],
  [0x2b740, 0x2b81f], [0x2b920, 0x2ceaf], [0xf900, 0xfaff], [0x2f800, 0x2fa1f],
];

function isChinese(character) {
  const code = character.codePointAt(0);
  return CHINESE.some(([from, to]) => from <= code && code <= to);
}

/** Lower case without accents, and what can't be seen left out. */
export function normalise(text) {
  let clean = "";
  for (const character of text) {
    if (/[\t\n\r]/.test(character)) clean += " ";
    else if (DROPPED.test(character)) continue;
    else if (WHITE.test(character)) clean += " ";
    else clean += isChinese(character) ? ` ${character} ` : character;
  }
  let plain = "";
  for (const character of clean.normalize("NFD")) {
    // One character at a time: a whole word's Greek final sigma would become another letter.
    if (!ACCENT.test(character)) plain += character.toLowerCase();
  }
  return plain;
}

/** Split at white space, and round each punctuation mark. */
export function pieces(normal) {
  const found = [];
  let piece = "";
  const end = () => {
    if (piece) found.push(piece);
    piece = "";
  };
  for (const character of normal) {
    if (WHITE.test(character)) end();
    else if (PUNCTUATION.test(character)) {
      end();
      found.push(character);
    } else piece += character;
  }
  end();
  return found;
}

export class Tokenizer {
  constructor(vocabulary) {
    this.vocabulary = vocabulary;
    this.ids = new Map(vocabulary.map((subword, id) => [subword, id]));
    this.unknown = this.ids.get("[UNK]");
    this.first = this.ids.get("[CLS]");
    this.last = this.ids.get("[SEP]");
  }

  /** The ids of a text's subwords, without [CLS] and [SEP]. */
  encode(text) {
    return pieces(normalise(text)).flatMap((piece) => this.#lookUp(piece));
  }

  #lookUp(piece) {
    const characters = [...piece];
    if (characters.length > LONGEST) return [this.unknown];
    const ids = [];
    let start = 0;
    while (start < characters.length) {
      let end = characters.length;
      let id;
      // The longest subword that fits comes first.
      for (; end > start; end--) {
        id = this.ids.get((start ? "##" : "") + characters.slice(start, end).join(""));
        if (id !== undefined) break;
      }
      if (id === undefined) return [this.unknown];
      ids.push(id);
      start = end;
    }
    return ids;
  }

  /**
   * A sentence's words, each looked up by itself as the course's extract() does.
   * Returns ids with [CLS] and [SEP], and for each word where its subwords stand among them.
   */
  encodeWords(words) {
    const ids = [this.first];
    const spans = words.map((word) => {
      const own = this.encode(word);
      // A word of which nothing can be seen keeps its place.
      if (!own.length) own.push(this.unknown);
      const from = ids.length;
      ids.push(...own);
      return [from, ids.length];
    });
    ids.push(this.last);
    return { ids, spans, subwords: ids.map((id) => this.vocabulary[id]) };
  }
}
