// Linear probes, one for each layer, trained beforehand by build_tools/record_live_probes.py. The
// features' scaling is folded into their weights, so reading is one matrix times one vector.

/** The numbers of one probe, from how they are stored: whole numbers with one scale a row. */
function unfold({ codes, scales }, width) {
  const bytes = Uint8Array.from(atob(codes), (character) => character.charCodeAt(0));
  const whole = new Int16Array(bytes.buffer);
  return Float32Array.from(whole, (code, i) => code * scales[Math.floor(i / width)]);
}

export class Probes {
  constructor(recorded) {
    this.classes = recorded.classes;
    this.layers = recorded.layers.map((layer) => ({
      weights: unfold(layer, recorded.width),
      bias: layer.bias,
    }));
  }

  /** Each class with its probability, the likeliest first. */
  read(vector, layer) {
    const { weights, bias } = this.layers[layer];
    const scores = bias.map((start, row) => {
      let sum = start;
      for (let i = 0; i < vector.length; i++) sum += weights[row * vector.length + i] * vector[i];
      return sum;
    });
    const largest = Math.max(...scores);
    const odds = scores.map((score) => Math.exp(score - largest));
    const total = odds.reduce((a, b) => a + b);
    return this.classes
      .map((name, row) => ({ name, probability: odds[row] / total }))
      .sort((a, b) => b.probability - a.probability);
  }
}
