// Two or three sentences under a pooling: their cosines, and which tokens make them.
// state: {sentences [n], tokens [n][tokens], cut [n], hidden [layers + 1][n][tokens][dim] in thousandths,
//         note: a further remark, or empty}
// The same in Python: explorer_values in kit/boards/explorer_widget.py.

const POOLED = ["mean", "mean_without_cls", "cls", "max", "first_last"];
const FIELDS = ["first", "second", "third"];

const controls = (state) => {
  const last = state.hidden.length - 1;
  return [
    ...FIELDS.map((name, i) => ({
      kind: "text",
      name,
      label: `sentence ${i + 1}`,
      value: state.sentences[i] || "",
      kernel: true,
    })),
    { kind: "choice", name: "pooling", label: "pooling", options: POOLED, value: "mean" },
    { kind: "slider", name: "layer", label: "layer", min: 0, max: last, step: 1, value: last },
    { kind: "choice", name: "explained", label: "explain sentence", options: ["1", "2", "3"], value: "1" },
    { kind: "choice", name: "against", label: "against sentence", options: ["1", "2", "3"], value: "2" },
  ];
};

const compute = (state, { pooling, layer, explained, against }) => {
  const [i, j] = [explained, against].map((number) => place(state, number));
  const split = state.tokens.map((_, k) => parts(pooling, states(state, pooling, layer, k)));
  const vectors = split.map((s) => total(s.parts));
  const lengths = kit.norm(vectors[i]) * kit.norm(vectors[j]) || 1;
  const contributions = split[i].parts.map((part) => kit.dot(part, vectors[j]) / lengths);
  return {
    cosines: vectors.map((u) => vectors.map((v) => kit.cosine(u, v))),
    contributions,
    weights: split[i].weights,
    top: state.tokens[i][contributions.indexOf(Math.max(...contributions))],
  };
};

const place = (state, number) => {
  if (Number(number) > state.tokens.length)
    throw new Error(`there is no sentence ${number} here: choose another, or type one.`);
  return Number(number) - 1;
};

const states = (state, pooling, layer, k) => {
  const last = state.hidden[layer][k],
    first = state.hidden[1][k];
  return last.map((token, t) => token.map((v, d) => (pooling === "first_last" ? (v + first[t][d]) / 2 : v) / 1000));
};

const total = (rows) => rows[0].map((_, d) => rows.reduce((sum, row) => sum + row[d], 0));

// Each token's part of the sentence vector (which is their sum), and its weight in it.
const parts = (pooling, rows) => {
  const n = rows.length;
  if (pooling === "max") {
    const winners = rows[0].map((_, d) => rows.reduce((best, row, t) => (row[d] > rows[best][d] ? t : best), 0));
    return {
      parts: rows.map((row, t) => row.map((v, d) => (winners[d] === t ? v : 0))),
      weights: rows.map((_, t) => winners.filter((w) => w === t).length / winners.length),
    };
  }
  const weight =
    { cls: (t) => (t === 0 ? 1 : 0), mean_without_cls: (t) => (t === 0 ? 0 : 1 / (n - 1)) }[pooling] || (() => 1 / n);
  return { parts: rows.map((row, t) => row.map((v) => v * weight(t))), weights: rows.map((_, t) => weight(t)) };
};

const draw = (values, { explained, against, pooling }, state) => {
  const names = state.sentences.map((text, i) => `${i + 1} ${text}`),
    tokens = state.tokens[Number(explained) - 1];
  const tile = (values) => tokens.map((text, t) => ({ text, value: values[t] }));
  const means =
    pooling === "max" ? "share of the dimensions that each token wins" : "weight of each token in the vector";
  return [
    kit.heat({
      title: "cosines",
      rows: names,
      columns: names.map((_, i) => String(i + 1)),
      values: values.cosines,
      left: 230,
      digits: 3,
      x: "sentence",
    }),
    kit.tiles({
      title: `sentence ${explained}: what each token adds to the cosine with ${against}`,
      tiles: tile(values.contributions),
      min: 0,
      max: Math.max(...values.contributions),
      digits: 3,
    }) +
      kit.tiles({
        title: `sentence ${explained}: ${means}`,
        tiles: tile(values.weights),
        min: 0,
        max: Math.max(...values.weights),
        digits: 3,
      }),
  ];
};

const summary = (values, chosen, state) => {
  const { cosines, contributions } = values,
    said = [];
  cosines.forEach((row, a) =>
    row.forEach((c, b) => {
      if (b > a) said.push(`${kit.fixed(c, 3)} for ${a + 1} and ${b + 1}`);
    }),
  );
  const sum = contributions.reduce((a, b) => a + b, 0);
  return (
    `Pooling ${chosen.pooling} of layer ${chosen.layer}, cosines: ${said.join(", ")}. The tokens of sentence ` +
    `${chosen.explained} ` +
    `add up to its cosine with sentence ${chosen.against}, ${kit.fixed(sum, 3)}; “${values.top}” gives the ` +
    `largest part, ${kit.fixed(Math.max(...contributions), 3)}.` +
    cuts(state) +
    unread(chosen, state) +
    (state.note ? ` ${state.note}` : "")
  );
};

const cuts = (state) =>
  state.cut
    .map((cut, i) => (cut ? ` Sentence ${i + 1} is cut after ${state.tokens[i].length} word pieces.` : ""))
    .join("");

// Typed but not encoded (yet): there is no kernel, it is busy, or it rejected the text.
const unread = (chosen, state) =>
  FIELDS.map((name, i) => {
    const typed = (chosen[name] ?? state.sentences[i] ?? "").trim(),
      shown = state.sentences[i] || "";
    return typed === shown ? "" : ` Still shown as sentence ${i + 1}: “${shown}”`;
  }).join("");
