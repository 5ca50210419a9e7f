// BERT in the page: WordPiece, then a few layers of attention, in plain numbers. The kit's encoders only: lower case,
// no accents, "mean_without_cls". The weights come from kit/boards/page_encoder.py, in half precision.
// Shapes: n word pieces, d the width of a vector, h heads of d / h numbers each. A matrix [n, d] is a Float32Array,
// row after row.

const SPECIAL = /(\[(?:PAD|UNK|CLS|SEP|MASK)\])/; // written like this in a text they are pieces, too
const LONGEST_WORD = 100; // characters; a longer one is [UNK]

// The tokenizer's class of each character: browsers know other versions of Unicode than the tokenizers library.
const classesOf = (runs) => {
  const kinds = new Uint8Array(0x110000);
  Object.keys(runs).forEach((name, i) => {
    for (let k = 0; k < runs[name].length; k += 2) kinds.fill(i + 1, runs[name][k], runs[name][k + 1] + 1);
  });
  const number = Object.fromEntries(Object.keys(runs).map((name, i) => [name, i + 1]));
  return (character, name) => kinds[character.codePointAt(0)] === number[name];
};

// text → { ids, pieces, cut }: [CLS] first, [SEP] last, at most `longest` pieces; cut says whether there were more.
const wordPiece = ({ vocabulary, characters, longest }) => {
  const idOf = new Map(vocabulary.map((piece, id) => [piece, id])),
    is = classesOf(characters);

  // Lower case without accents; control characters away, a space round each ideograph.
  const normal = (text) => {
    let clean = "";
    for (const c of text) {
      if (is(c, "dropped")) continue;
      clean += is(c, "spaces") ? " " : is(c, "ideographs") ? ` ${c} ` : c;
    }
    return [...clean.normalize("NFD")].map((c) => (is(c, "dropped") ? "" : c.toLowerCase())).join("");
  };

  // Words, and each sign of punctuation by itself.
  const words = (text) => {
    const found = [];
    let word = "";
    const end = () => {
      if (word) found.push(word);
      word = "";
    };
    for (const c of text) {
      if (is(c, "spaces") || is(c, "punctuation")) end();
      if (is(c, "punctuation")) found.push(c);
      else if (!is(c, "spaces")) word += c;
    }
    end();
    return found;
  };

  // The longest piece of the vocabulary that the rest of the word begins with, again and again.
  const split = (word) => {
    const letters = [...word],
      pieces = [];
    if (letters.length > LONGEST_WORD) return ["[UNK]"];
    for (let start = 0; start < letters.length;) {
      let end = letters.length,
        piece;
      do piece = (start ? "##" : "") + letters.slice(start, end).join("");
      while (!idOf.has(piece) && --end > start);
      if (end === start) return ["[UNK]"];
      pieces.push(piece);
      start = end;
    }
    return pieces;
  };

  return (text) => {
    const pieces = ["[CLS]"];
    for (const part of text.split(SPECIAL)) {
      if (SPECIAL.test(part)) pieces.push(part);
      else for (const word of words(normal(part))) pieces.push(...split(word));
    }
    const cut = pieces.length > longest - 1;
    pieces.length = Math.min(pieces.length, longest - 1);
    pieces.push("[SEP]");
    return { pieces, cut, ids: pieces.map((piece) => idOf.get(piece)) };
  };
};

// Half precision → single: one bit of sign, five of exponent, ten of fraction.
const fromHalf = (bytes) => {
  const table = new Float32Array(65536);
  for (let bits = 0; bits < 65536; bits++) {
    const exponent = (bits >> 10) & 31,
      fraction = bits & 1023;
    const size = exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -24 * fraction;
    table[bits] = exponent === 31 ? NaN : bits >> 15 ? -size : size;
  }
  const single = new Float32Array(bytes.byteLength / 2);
  for (let i = 0; i < single.length; i++) single[i] = table[bytes.getUint16(2 * i, true)];
  return single;
};

// y = x Wᵀ + b: x [n, from], W [to, from], b [to] → [n, to]. Four sums at a time do not wait for one another.
const linear = (x, { W, b }) => {
  const to = b.length,
    from = W.length / to, // a multiple of 4
    n = x.length / from,
    y = new Float32Array(n * to);
  for (let k = 0; k < to; k++)
    for (let row = 0; row < n; row++) {
      let [s0, s1, s2, s3] = [0, 0, 0, 0];
      for (let i = row * from, w = k * from, end = i + from; i < end; i += 4, w += 4) {
        s0 += x[i] * W[w];
        s1 += x[i + 1] * W[w + 1];
        s2 += x[i + 2] * W[w + 2];
        s3 += x[i + 3] * W[w + 3];
      }
      y[row * to + k] = s0 + s1 + s2 + s3 + b[k];
    }
  return y;
};

// Each row of x [n, d] to mean 0 and variance 1, then times a weight plus a bias, in place.
const layerNorm = (x, { weight, bias }, eps) => {
  const d = weight.length;
  for (let at = 0; at < x.length; at += d) {
    const row = x.subarray(at, at + d);
    const mean = row.reduce((sum, v) => sum + v, 0) / d;
    const scale = 1 / Math.sqrt(row.reduce((sum, v) => sum + (v - mean) ** 2, 0) / d + eps);
    for (let i = 0; i < d; i++) row[i] = (row[i] - mean) * scale * weight[i] + bias[i];
  }
  return x;
};

const plus = (x, y) => x.map((v, i) => v + y[i]);

// x Φ(x); the error function to 1.5e-7 (Abramowitz and Stegun 7.1.26).
const gelu = (x) => {
  const z = Math.abs(x) / Math.SQRT2,
    t = 1 / (1 + 0.3275911 * z);
  const series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const erf = 1 - series * Math.exp(-z * z);
  return 0.5 * x * (1 + (x < 0 ? -erf : erf));
};

// Every piece looks at every other: softmax(q kᵀ / √(d / h)) v for each head; q, k, v [n, d] → [n, d]
const attention = (q, k, v, n, heads) => {
  const d = q.length / n,
    size = d / heads,
    out = new Float32Array(n * d),
    share = new Float64Array(n);
  for (let from = 0; from < d; from += size)
    for (let i = 0; i < n; i++) {
      let top = -Infinity,
        sum = 0;
      for (let j = 0; j < n; j++) {
        let dot = 0;
        for (let c = from; c < from + size; c++) dot += q[i * d + c] * k[j * d + c];
        share[j] = dot / Math.sqrt(size);
        top = Math.max(top, share[j]);
      }
      for (let j = 0; j < n; j++) sum += share[j] = Math.exp(share[j] - top);
      for (let j = 0; j < n; j++)
        for (let c = from; c < from + size; c++) out[i * d + c] += (share[j] / sum) * v[j * d + c];
    }
  return out;
};

// The weights lie one after another, in the order in which they are used.
const unpacked = (numbers, { width: d, inner, layers, positions, vocabulary }) => {
  let at = 0;
  const take = (count) => numbers.subarray(at, (at += count));
  const matrix = (to, from) => ({ W: take(to * from), b: take(to) });
  const norm = () => ({ weight: take(d), bias: take(d) });
  return {
    words: take(vocabulary.length * d), // [vocabulary, d]
    places: take(positions * d), // [positions, d]
    kind: take(d), // of the first of two sentences; here there is one
    norm: norm(),
    layers: Array.from({ length: layers }, () => ({
      query: matrix(d, d),
      key: matrix(d, d),
      value: matrix(d, d),
      mix: matrix(d, d),
      mixed: norm(),
      widen: matrix(inner, d),
      narrow: matrix(d, inner),
      done: norm(),
    })),
  };
};

// ids → { tokens [n, d], vector [d] }: the last layer, and its mean over all pieces but [CLS].
const bert = (shape, bytes) => {
  const { width: d, heads, eps } = shape,
    weights = unpacked(fromHalf(bytes), shape);
  return (ids) => {
    const n = ids.length;
    let x = new Float32Array(n * d);
    ids.forEach((id, place) => {
      for (let i = 0; i < d; i++)
        x[place * d + i] = weights.words[id * d + i] + weights.places[place * d + i] + weights.kind[i];
    });
    layerNorm(x, weights.norm, eps);
    for (const layer of weights.layers) {
      const seen = attention(linear(x, layer.query), linear(x, layer.key), linear(x, layer.value), n, heads);
      x = layerNorm(plus(x, linear(seen, layer.mix)), layer.mixed, eps);
      const wide = linear(x, layer.widen).map(gelu); // [n, inner]
      x = layerNorm(plus(x, linear(wide, layer.narrow)), layer.done, eps);
    }
    const counted = [...ids.keys()].filter((place) => ids[place] !== ids[0]); // a text may hold "[CLS]" itself
    const vector = new Float32Array(d);
    for (const place of counted) for (let i = 0; i < d; i++) vector[i] += x[place * d + i] / counted.length;
    return { tokens: x, vector };
  };
};
