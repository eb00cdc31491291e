// A sentence as people type it, split into words as Universal Dependencies has them for English:
// punctuation apart, "don't" as "do" and "n't", "Rosa's" as "Rosa" and "'s".

// Full stops that belong to the word before them.
const ABBREVIATION =
  /^(?:(?:mr|mrs|ms|dr|prof|st|sr|jr|vs|etc|mt|capt|gen|lt|col|sgt|inc|ltd|co|dept|fig|approx)|(?!i\b)\p{L}|(?:\p{L}\.)+\p{L})\.$/iu;
const CLITIC = /^(.+)(n['’]t|['’](?:s|ve|d|ll|m|re))$/iu;
const TOGETHER = { cannot: 3, gonna: 3, wanna: 3, gotta: 3 };

// What may stand inside a word without ending it: a dot, comma or colon between digits, an
// apostrophe, a full stop between letters, an underscore, a mark that belongs to the letter before.
const WORD =
  /(?:https?:\/\/|www\.)[^\s<>"]*[\p{L}\p{N}/]|[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+|\p{N}+(?:[.,:]\p{N}+)*\p{L}{0,2}(?![\p{L}\p{N}])|[\p{L}\p{N}\p{M}_]+(?:['’.&][\p{L}\p{N}\p{M}_]+)*(?:['’]|\.(?!\.))?|\.{2,}|-{2,}|([!?])\1+|\p{Extended_Pictographic}(?:\u200d\p{Extended_Pictographic}|[\ufe0f\u{1f3fb}-\u{1f3ff}])*|\S/gu;
const PREFIX = /^(?:anti|co|e|ex|mid|multi|non|post|pre|pro|re|self|semi|sub|un)$/i;

/** The words of a text, each with where it begins and ends there. */
export function splitWords(text) {
  const found = [];
  const put = (start, end) => {
    if (end > start) found.push({ text: text.slice(start, end), start, end });
  };
  for (const match of text.matchAll(WORD)) {
    splitOne(match[0], match.index, text, put);
  }
  return joinPrefixes(found, text);
}

function splitOne(piece, start, text, put) {
  let end = start + piece.length;
  let stop = null; // what is cut off at the end
  if (piece.length > 1 && piece.endsWith(".") && !/^\.+$/.test(piece) && !ABBREVIATION.test(piece)) stop = end -= 1;
  const body = text.slice(start, end);
  const clitic = /^['’]/.test(body) ? null : CLITIC.exec(body);
  const together = TOGETHER[body.toLowerCase()];
  if (clitic && !/^o['’]clock$/i.test(body)) {
    put(start, start + clitic[1].length);
    put(start + clitic[1].length, end);
  } else if (together) {
    put(start, start + together);
    put(start + together, end);
  } else if (/.['’]$/.test(body)) {
    // After an s it may mark possession, elsewhere it closes a quotation: a word of its own either way.
    put(start, end - 1);
    put(end - 1, end);
  } else put(start, end);
  if (stop !== null) put(stop, stop + 1);
}

/** "semi-final" is one word, "well-known" three. */
function joinPrefixes(words, text) {
  const joined = [];
  for (let i = 0; i < words.length; i++) {
    const [word, hyphen, rest] = [words[i], words[i + 1], words[i + 2]];
    if (
      rest && hyphen.text === "-" && PREFIX.test(word.text) &&
      word.end === hyphen.start && hyphen.end === rest.start
    ) {
      joined.push({ text: text.slice(word.start, rest.end), start: word.start, end: rest.end });
      i += 2;
    } else joined.push(word);
  }
  return joined;
}
