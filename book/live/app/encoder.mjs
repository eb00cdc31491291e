// The encoder: a packed file in, the hidden states of every layer out. No library.
// The file's form is described in build_tools/pack_encoder.py, which writes it.

import { makeEngine, roundUp } from "./matrix.mjs";

const HEADER_LENGTH_BYTES = 4;

/** Look into a packed file; nothing is copied yet. */
export function readPack(buffer) {
  const headerLength = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(
    new TextDecoder().decode(new Uint8Array(buffer, HEADER_LENGTH_BYTES, headerLength)),
  );
  return { buffer, header, start: HEADER_LENGTH_BYTES + headerLength };
}

/** The subwords in the order of their ids. */
export function vocabularyOf({ buffer, header, start }) {
  const { at, bytes } = header.vocabulary;
  return new TextDecoder().decode(new Uint8Array(buffer, start + at, bytes)).split("\n");
}

export class Encoder {
  constructor(pack, options) {
    this.pack = pack;
    Object.assign(this, {
      layers: pack.header.layers,
      heads: pack.header.heads,
      hidden: pack.header.hidden,
      intermediate: pack.header.intermediate,
      positions: pack.header.positions,
      epsilon: pack.header.epsilon,
    });
    const [most, d] = [roundUp(this.positions), this.hidden];
    const names = Object.keys(pack.header.tensors).filter((name) => name.startsWith("encoder."));
    const weights = names.reduce((sum, name) => sum + this.#size(name) + 4, 0);
    this.engine = makeEngine(weights + most * (6 * d + this.intermediate), options);
    this.x = this.engine.allocate(most * d);
    this.q = this.engine.allocate(most * d);
    this.k = this.engine.allocate(most * d);
    this.v = this.engine.allocate(most * d);
    this.mixed = this.engine.allocate(most * d);
    this.added = this.engine.allocate(most * d);
    this.inner = this.engine.allocate(most * this.intermediate);
    // The blocks' matrices are used whole for every sentence, so they are unfolded once. The
    // embeddings, half of the file, are read row by row where they lie.
    this.blocks = Array.from({ length: this.layers }, (_, layer) => this.#block(layer));
    this.embeddingNorm = {
      weight: this.#parts("embeddings.LayerNorm.weight").values,
      bias: this.#parts("embeddings.LayerNorm.bias").values,
    };
  }

  /**
   * Yields the states of layer 0, 1, ... L, each a Float32Array of subwords x hidden. One sentence
   * at a time: a second run overwrites what the first was working on.
   */
  *states(ids) {
    const n = ids.length;
    const { x, q, k, v, mixed, added, inner, hidden: d, epsilon } = this;
    const { linear } = this.engine;
    this.#embed(ids);
    yield x.slice(0, n * d);
    for (const block of this.blocks) {
      linear(x, n, block.query, q);
      linear(x, n, block.key, k);
      linear(x, n, block.value, v);
      attend(q, k, v, n, this.heads, d, mixed);
      linear(mixed, n, block.attentionOutput, added);
      addAndNormalise(x, added, n, d, block.attentionNorm, epsilon);
      linear(x, n, block.intermediate, inner);
      gelu(inner, n * this.intermediate);
      linear(inner, n, block.output, added);
      addAndNormalise(x, added, n, d, block.outputNorm, epsilon);
      yield x.slice(0, n * d);
    }
  }

  #embed(ids) {
    const d = this.hidden;
    const { x, added } = this;
    const word = this.#rows("embeddings.word_embeddings.weight");
    const position = this.#rows("embeddings.position_embeddings.weight");
    const kind = this.#rows("embeddings.token_type_embeddings.weight");
    ids.forEach((id, i) => {
      for (let j = 0; j < d; j++) x[i * d + j] = word(id, j) + position(i, j) + kind(0, j);
    });
    added.fill(0);
    addAndNormalise(x, added, ids.length, d, this.embeddingNorm, this.epsilon);
  }

  #block(layer) {
    const name = `encoder.layer.${layer}`;
    return {
      query: this.#linear(`${name}.attention.self.query`),
      key: this.#linear(`${name}.attention.self.key`),
      value: this.#linear(`${name}.attention.self.value`),
      attentionOutput: this.#linear(`${name}.attention.output.dense`),
      attentionNorm: this.#norm(`${name}.attention.output.LayerNorm`),
      intermediate: this.#linear(`${name}.intermediate.dense`),
      output: this.#linear(`${name}.output.dense`),
      outputNorm: this.#norm(`${name}.output.LayerNorm`),
    };
  }

  #linear(name) {
    const [outputs, inputs] = this.pack.header.tensors[`${name}.weight`].shape;
    return { outputs, inputs, weight: this.#floats(`${name}.weight`), bias: this.#floats(`${name}.bias`) };
  }

  #norm(name) {
    return { weight: this.#floats(`${name}.weight`), bias: this.#floats(`${name}.bias`) };
  }

  #size(name) {
    return this.pack.header.tensors[name].shape.reduce((a, b) => a * b, 1);
  }

  #parts(name) {
    const { header, buffer, start } = this.pack;
    const { shape, type, at, scales_at } = header.tensors[name];
    const count = this.#size(name);
    if (type === "float32") return { shape, values: new Float32Array(buffer, start + at, count) };
    return {
      shape,
      values: new Int8Array(buffer, start + at, count),
      scales: new Float32Array(buffer, start + scales_at, shape[0]),
    };
  }

  #floats(name) {
    const { shape, values, scales } = this.#parts(name);
    const out = this.engine.allocate(values.length);
    if (!scales) {
      out.set(values);
      return out;
    }
    const [rows, columns] = shape;
    for (let row = 0; row < rows; row++) {
      const scale = scales[row];
      const end = (row + 1) * columns;
      for (let i = row * columns; i < end; i++) out[i] = values[i] * scale;
    }
    return out;
  }

  #rows(name) {
    const { shape, values, scales } = this.#parts(name);
    const columns = shape[1];
    return scales
      ? (row, column) => values[row * columns + column] * scales[row]
      : (row, column) => values[row * columns + column];
  }
}

/** Each subword's mix of all subwords' values, weighted by how well query and key agree. */
function attend(q, k, v, n, heads, hidden, out) {
  const width = hidden / heads;
  const weights = new Float64Array(n);
  for (let head = 0; head < heads; head++) {
    const first = head * width;
    for (let i = 0; i < n; i++) {
      let largest = -Infinity;
      for (let j = 0; j < n; j++) {
        let score = 0;
        for (let c = 0; c < width; c++) score += q[i * hidden + first + c] * k[j * hidden + first + c];
        weights[j] = score / Math.sqrt(width);
        if (weights[j] > largest) largest = weights[j];
      }
      let total = 0;
      for (let j = 0; j < n; j++) total += weights[j] = Math.exp(weights[j] - largest);
      for (let c = 0; c < width; c++) {
        let sum = 0;
        for (let j = 0; j < n; j++) sum += weights[j] * v[j * hidden + first + c];
        out[i * hidden + first + c] = sum / total;
      }
    }
  }
}

/** x = LayerNorm(x + added), row by row. */
function addAndNormalise(x, added, n, width, { weight, bias }, epsilon) {
  for (let i = 0; i < n; i++) {
    const at = i * width;
    let mean = 0;
    for (let j = 0; j < width; j++) mean += x[at + j] += added[at + j];
    mean /= width;
    let variance = 0;
    for (let j = 0; j < width; j++) variance += (x[at + j] - mean) ** 2;
    const factor = 1 / Math.sqrt(variance / width + epsilon);
    for (let j = 0; j < width; j++) x[at + j] = (x[at + j] - mean) * factor * weight[j] + bias[j];
  }
}

/** x times the normal distribution's share below x; erf to 1.5e-7 (Abramowitz, Stegun 7.1.26). */
function gelu(x, length) {
  for (let i = 0; i < length; i++) {
    const value = x[i];
    const z = Math.abs(value) * Math.SQRT1_2;
    const t = 1 / (1 + 0.3275911 * z);
    const tail =
      t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
    const erf = 1 - tail * Math.exp(-z * z);
    x[i] = 0.5 * value * (1 + (value < 0 ? -erf : erf));
  }
}
