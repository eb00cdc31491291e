// Runs single modules of the live page under Node: `node modules.mjs PACK < request > answer`.

import fs from "node:fs";
import { likelyWords } from "../../book/live/app/address.mjs";
import { Encoder, readPack, vocabularyOf } from "../../book/live/app/encoder.mjs";
import { toCsv } from "../../book/live/app/csv.mjs";
import { Tokenizer } from "../../book/live/app/tokenizer.mjs";
import { splitWords } from "../../book/live/app/words.mjs";

const file = fs.readFileSync(process.argv[2]);
const pack = readPack(file.buffer.slice(file.byteOffset, file.byteOffset + file.length));

const tasks = {
  encode({ texts }) {
    const tokenizer = new Tokenizer(vocabularyOf(pack));
    return texts.map((text) => tokenizer.encode(text));
  },
  words: ({ texts }) => texts.map((text) => splitWords(text).map((word) => word.text)),
  states({ sentences, simd, to }) {
    const encoder = new Encoder(pack, { simd });
    const out = fs.openSync(to, "w");
    for (const ids of sentences) {
      for (const states of encoder.states(ids)) fs.writeSync(out, new Uint8Array(states.buffer));
    }
    return encoder.engine.name;
  },
  likely({ pairs }) {
    const split = (text) => ({ words: splitWords(text) });
    return pairs.map((pair) => {
      const sentences = pair.map(split);
      const { chosen, shared } = likelyWords(sentences);
      return [...chosen.map((at, which) => sentences[which].words[at].text), shared];
    });
  },
  csv: ({ rows }) => toCsv(rows),
};

const request = JSON.parse(fs.readFileSync(0, "utf8"));
fs.writeSync(1, JSON.stringify(tasks[request.task](request)));
