// The page's state in its address: ?sentence=...&second=...&view=pair&word=bank&layer=3
// `word` and `second_word` are a number, counted from 1, or the word itself.

import { isContent } from "./function_words.mjs";

export function fromAddress(search) {
  const given = new URLSearchParams(search);
  const texts = [given.get("sentence"), given.get("second")].map((text) => text?.trim() || null);
  const layer = Number.parseInt(given.get("layer"), 10);
  return {
    texts: texts[0] ? texts.filter(Boolean) : null,
    view: given.get("view"),
    words: [given.get("word"), given.get("second_word")],
    layer: Number.isNaN(layer) ? null : layer,
  };
}

export function toAddress({ sentences, chosen, view, layer }) {
  const wanted = new URLSearchParams({ sentence: sentences[0].text });
  if (sentences[1]) wanted.set("second", sentences[1].text);
  wanted.set("view", view);
  wanted.set("word", chosen[0] + 1);
  if (sentences[1]) wanted.set("second_word", chosen[1] + 1);
  wanted.set("layer", layer);
  return `?${wanted}`;
}

/** Which word is meant; null if none is, or there is no such word. `asText`: "3" is the word "3". */
export function findWord(sentence, wanted, { asText = false } = {}) {
  if (!wanted || !sentence) return null;
  if (!asText && /^\d+$/.test(wanted)) {
    const at = Number(wanted) - 1;
    return at >= 0 && at < sentence.words.length ? at : null;
  }
  const at = sentence.words.findIndex((word) => word.text.toLowerCase() === wanted.toLowerCase());
  return at < 0 ? null : at;
}

/**
 * The words to begin with: the longest that both sentences have, a function word only for want of
 * another and punctuation never; else the longest of each. `shared` says which of the two it is.
 */
export function likelyWords(sentences) {
  const texts = sentences.map((sentence) => sentence.words.map((word) => word.text.toLowerCase()));
  const longest = (words) => words.reduce((a, b) => (b.length > a.length ? b : a));
  const best = (words) => longest(words.some(isContent) ? words.filter(isContent) : words);
  const both = texts.length > 1 ? texts[0].filter((word) => isWord(word) && texts[1].includes(word)) : [];
  const wanted = both.length ? best(both) : null;
  return { chosen: texts.map((own) => own.indexOf(wanted ?? best(own))), shared: both.length > 0 };
}

const isWord = (text) => /[\p{L}\p{N}]/u.test(text);
