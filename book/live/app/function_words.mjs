// Words that hold a sentence together and seldom are what a reader wants to compare.

const FUNCTION_WORDS = new Set(
  `a an the this that these those some any no every each all both either neither such
  i you he she it we they me him her us them my your his its our their mine yours hers ours theirs
  myself yourself himself herself itself ourselves themselves who whom whose which what
  am is are was were be been being do does did has have had having will would shall should can could
  may might must n't not 's 're 've 'd 'll 'm ca wo
  of in on at by for with from to into onto over under about as than then through between after before
  and or but nor so if because while when where why how although though whether there here
  up out off down very too just also`.split(/\s+/),
);

/** Whether a word is neither a function word nor punctuation. */
export function isContent(text) {
  return /[\p{L}\p{N}]/u.test(text) && !FUNCTION_WORDS.has(text.toLowerCase().replaceAll("’", "'"));
}
