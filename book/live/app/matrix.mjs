// Matrix times matrix, where nearly all of the encoder's time goes. Browsers can multiply four
// numbers at once, but only from WebAssembly, so the one inner loop is assembled here, instruction
// by instruction, in 300 bytes. A browser without it computes the same in JavaScript, slower.

const ROWS = 4; // rows of x that one pass takes
const PAGE = 65536;

/** Memory for `floats` numbers, and linear(x, n, layer, out) on arrays that lie in it. */
export function makeEngine(floats, { simd = true } = {}) {
  const assembled = simd ? instantiate(floats) : null;
  if (!assembled) {
    return { name: "JavaScript", allocate: (count) => new Float32Array(count), linear: linearInJavaScript };
  }
  const { memory, linear } = assembled;
  let used = 0;
  return {
    name: "WebAssembly SIMD",
    allocate(count) {
      const array = new Float32Array(memory.buffer, used, count);
      used += Math.ceil(count / 4) * 16;
      return array;
    },
    linear(x, n, { weight, bias, outputs, inputs }, out) {
      if (inputs % 4 || outputs % 2) {
        linearInJavaScript(x, n, { weight, bias, outputs, inputs }, out);
      } else {
        linear(x.byteOffset, weight.byteOffset, bias.byteOffset, out.byteOffset, roundUp(n), inputs, outputs);
      }
    },
  };
}

/** The assembled loop with its memory; null where the browser, or the site's policy, has none. */
function instantiate(floats) {
  try {
    const module = new WebAssembly.Module(assemble());
    const memory = new WebAssembly.Memory({ initial: Math.ceil((floats * 4) / PAGE) + 1 });
    return { memory, linear: new WebAssembly.Instance(module, { env: { memory } }).exports.linear };
  } catch {
    return null;
  }
}

/** Arrays of rows need room for this many: one pass takes several. */
export function roundUp(n) {
  return Math.ceil(n / ROWS) * ROWS;
}

/** out = x times the weights' transpose, plus the bias; n rows. */
function linearInJavaScript(x, n, { weight, bias, outputs, inputs }, out) {
  // Each number that is read serves several sums.
  for (let i = 0; i < n; i += ROWS) {
    const a = i * inputs;
    const b = a + inputs;
    const c = b + inputs;
    const d = c + inputs;
    for (let o = 0; o < outputs; o++) {
      const w = o * inputs;
      let sa = 0, sb = 0, sc = 0, sd = 0;
      for (let j = 0; j < inputs; j++) {
        const p = weight[w + j];
        sa += x[a + j] * p;
        sb += x[b + j] * p;
        sc += x[c + j] * p;
        sd += x[d + j] * p;
      }
      const at = i * outputs + o;
      out[at] = sa + bias[o];
      out[at + outputs] = sb + bias[o];
      out[at + 2 * outputs] = sc + bias[o];
      out[at + 3 * outputs] = sd + bias[o];
    }
  }
}

// --- the assembled loop -----------------------------------------------------------------------

const I32 = 0x7f, V128 = 0x7b;
// Parameters, then locals.
const [X, W, BIAS, OUT, N, INPUTS, OUTPUTS] = [0, 1, 2, 3, 4, 5, 6];
const [STRIDE, W_END, P, Q, A, B, C, D, STOP, BIAS_AT, OUT_AT, OUT_STRIDE] =
  [7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18];
const [VP, VQ, VX, FIRST_SUM] = [19, 20, 21, 22]; // eight sums: row a..d times output 0, 1

function leb(value) {
  const bytes = [];
  do {
    const low = value & 0x7f;
    value >>>= 7;
    bytes.push(value ? low | 0x80 : low);
  } while (value);
  return bytes;
}

const section = (id, content) => [id, ...leb(content.length), ...content];
const get = (local) => [0x20, local];
const set = (local) => [0x21, local];
const number = (value) => [0x41, ...leb(value)]; // below 64, where signed and unsigned agree
const add = [0x6a], multiply = [0x6c], less = [0x49];
const loop = (body) => [0x03, 0x40, ...body, 0x0b];
const again = [0x0d, 0]; // if the condition holds
const load = (address) => [...get(address), 0xfd, 0x00, 2, 0];
const increase = (local, by) => [...get(local), ...by, ...add, ...set(local)];
const times = (a, b) => [...get(a), ...b, ...multiply];

function assemble() {
  const rows = [A, B, C, D];
  const sum = (row, output) => FIRST_SUM + 2 * row + output;
  const multiplyAdd = (target, weights) =>
    [...get(target), ...get(VX), ...get(weights), 0xfd, 0xe6, 0x01, 0xfd, 0xe4, 0x01, ...set(target)];
  const zero = [0xfd, 0x0c, ...new Array(16).fill(0)];
  const lane = (local, index) => [...get(local), 0xfd, 0x1f, index];
  const total = (local) =>
    [...lane(local, 0), ...lane(local, 1), 0x92, ...lane(local, 2), 0x92, ...lane(local, 3), 0x92];

  const inner = loop([
    ...load(P), ...set(VP), ...load(Q), ...set(VQ),
    ...rows.flatMap((row, i) =>
      [...load(row), ...set(VX), ...multiplyAdd(sum(i, 0), VP), ...multiplyAdd(sum(i, 1), VQ)]),
    ...[Q, ...rows, P].flatMap((pointer) => increase(pointer, number(16))),
    ...get(P), ...get(STOP), ...less, ...again,
  ]);
  const store = rows.flatMap((_, i) => [
    ...[0, 1].flatMap((output) => [
      ...get(OUT_AT), ...get(OUT_STRIDE), ...number(i), ...multiply, ...add,
      ...total(sum(i, output)), ...get(BIAS_AT), 0x2a, 2, 4 * output, 0x92, 0x38, 2, 4 * output,
    ]),
  ]);
  // P runs through the weights' row for output 0 and ends where the row for output 1 begins.
  const outputs = loop([
    ...get(P), ...get(STRIDE), ...add, ...set(Q), ...get(Q), ...set(STOP),
    ...get(X), ...set(A),
    ...[[B, A], [C, B], [D, C]].flatMap(([to, from]) => [...get(from), ...get(STRIDE), ...add, ...set(to)]),
    ...Array.from({ length: 8 }, (_, i) => [...zero, ...set(FIRST_SUM + i)]).flat(),
    ...inner,
    ...store,
    ...get(Q), ...set(P), // past the row for output 1
    ...increase(BIAS_AT, number(8)), ...increase(OUT_AT, number(8)),
    ...get(P), ...get(W_END), ...less, ...again,
  ]);
  const body = [
    ...times(INPUTS, number(4)), ...set(STRIDE),
    ...times(OUTPUTS, number(4)), ...set(OUT_STRIDE),
    ...get(W), ...times(STRIDE, get(OUTPUTS)), ...add, ...set(W_END),
    ...loop([
      ...get(W), ...set(P), ...get(BIAS), ...set(BIAS_AT), ...get(OUT), ...set(OUT_AT),
      ...outputs,
      ...increase(X, times(STRIDE, number(ROWS))),
      ...increase(OUT, times(OUT_STRIDE, number(ROWS))),
      // N counts down, four rows a pass.
      ...get(N), ...number(ROWS), 0x6b, ...set(N),
      ...number(0), ...get(N), ...less, ...again,
    ]),
    0x0b,
  ];
  const locals = [2, ...leb(VP - STRIDE), I32, ...leb(FIRST_SUM + 8 - VP), V128];
  const code = [...locals, ...body];
  const text = (word) => [word.length, ...new TextEncoder().encode(word)];
  return new Uint8Array([
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    ...section(1, [1, 0x60, 7, ...new Array(7).fill(I32), 0]),
    ...section(2, [1, ...text("env"), ...text("memory"), 2, 0, 1]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...text("linear"), 0, 0]),
    ...section(10, [1, ...leb(code.length), ...code]),
  ]);
}
