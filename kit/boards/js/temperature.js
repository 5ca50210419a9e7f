// One anchor, its positive and ten negatives: what τ makes the softmax attend to.
// state: {topics [t], labels [3t], sentences [3t], cosines [3t][3t]}, rows in threes (anchor, positive, negative)
// The same in Python: temperature_values in kit/boards/temperature_widget.py.

const LOWEST = 0.001,
  HIGHEST = 100,
  STEPS = 60; // of the curve against τ

const controls = (state) => [
  { kind: "slider", name: "tau", label: "τ", min: LOWEST, max: HIGHEST, scale: "log", steps: 100, value: 0.05 },
  { kind: "choice", name: "anchor", label: "anchor", options: state.topics, value: state.topics[0] },
];

const compute = (state, chosen) => {
  const tau = chosen.tau,
    anchor = 3 * state.topics.indexOf(chosen.anchor),
    similar = state.cosines[anchor];
  const others = similar.map((_, i) => i).filter((i) => i !== anchor && i !== anchor + 1);
  const order = [anchor + 1, ...others.sort((i, j) => similar[j] - similar[i])];
  const cosines = order.map((i) => similar[i]);
  const at = (t, values) => kit.softmax(values.map((cosine) => cosine / t));
  const curve = Array.from({ length: STEPS + 1 }, (_, step) => {
    const t = 10 ** (Math.log10(LOWEST) + (Math.log10(HIGHEST / LOWEST) * step) / STEPS);
    return [t, watched(at(t, cosines)), watched(at(t, cosines.slice(1)))];
  });
  const weights = at(tau, cosines),
    shares = at(tau, cosines.slice(1));
  const missing = weights.slice(1).reduce((sum, w) => sum + w, 0); // 1 − w_positive, without cancellation
  const gram = order.map((i) => order.map((j) => state.cosines[i][j]));
  return {
    order,
    cosines,
    weights,
    shares,
    push: missing / tau,
    loss: surprise(cosines, tau),
    smallest: Math.log1p((order.length - 1) * Math.exp(-2 / tau)),
    gradient: alongTheSphere([-missing, ...weights.slice(1)], cosines, gram) / tau,
    watched: watched(weights),
    pushed: watched(shares),
    curve,
  };
};

// exp(entropy): 1 where one weight is 1, n where n weights are equal.
const watched = (weights) => Math.exp(-weights.reduce((sum, w) => sum + (w > 0 ? w * Math.log(w) : 0), 0));

// log(1 + e^gap), gap = log Σ e^{s_n/τ} − s_p/τ: exact near 0, and without overflow.
const surprise = (cosines, tau) => {
  const negatives = cosines.slice(1),
    top = Math.max(...negatives);
  const gap = (top - cosines[0]) / tau + Math.log(negatives.reduce((sum, c) => sum + Math.exp((c - top) / tau), 0));
  return Math.max(gap, 0) + Math.log1p(Math.exp(-Math.abs(gap)));
};

// Length of Σ part·c without its component along the anchor, from cosines alone.
const alongTheSphere = (parts, cosines, gram) => {
  const squared = parts.reduce((sum, p, i) => sum + p * kit.dot(parts, gram[i]), 0),
    along = kit.dot(parts, cosines);
  return Math.sqrt(Math.max(squared - along * along, 0));
};

const cut = (text) => (text.length > 29 ? `${text.slice(0, 28)}…` : text);

const draw = (values, chosen, state) => {
  const { positive, negative, after } = kit.COLOURS,
    colours = values.order.map((_, i) => (i ? negative : positive));
  const anchor = state.sentences[3 * state.topics.indexOf(chosen.anchor)];
  const weights = kit.bars({
    title: `“${anchor}”`,
    x: "softmax weight (+ the positive, − a negative)",
    horizontal: true,
    left: 216,
    min: 0,
    max: 1,
    digits: 3,
    colours,
    labels: values.order.map((row, i) => `${i ? "−" : "+"} ${cut(state.sentences[row])}`),
    values: values.weights,
  });
  const shares = kit.bars({
    title: "who takes the push, by cosine",
    x: "share of the push",
    horizontal: true,
    left: 146,
    min: 0,
    max: 1,
    digits: 3,
    colours,
    labels: values.order.map((row, i) => `${kit.fixed(values.cosines[i], 3)} ${state.labels[row]}`),
    values: [0, ...values.shares],
  });
  const counts = kit.lines({
    title: "how many candidates count",
    x: "τ",
    y: "e to the entropy",
    logx: true,
    xmin: LOWEST,
    xmax: HIGHEST,
    ymin: 0,
    ymax: values.weights.length + 4,
    marker: chosen.tau,
    height: 240,
    series: [
      { name: "watched: of all candidates", colour: after, points: values.curve.map(([tau, all]) => [tau, all]) },
      {
        name: "pushed: of the negatives",
        colour: negative,
        points: values.curve.map(([tau, , pushed]) => [tau, pushed]),
      },
    ],
  });
  const read = kit.table({
    head: ["read-out", "value"],
    rows: [
      ["loss", kit.short(values.loss)],
      ["the least it can be at this τ", values.smallest > 0 ? kit.short(values.smallest) : "below 1e−308"],
      ["pull on the positive = all pushes together", kit.short(values.push)],
      ["length of the gradient on the anchor", kit.short(values.gradient)],
      ["candidates watched", `${kit.fixed(values.watched)} of ${values.weights.length}`],
      ["negatives pushed", `${kit.fixed(values.pushed)} of ${values.shares.length}`],
    ],
  });
  return [weights + counts, shares + read];
};

const summary = (values, { tau, anchor }) =>
  `τ ${kit.short(tau)}, anchor “${anchor}”: the softmax watches ${kit.fixed(values.watched)} of ` +
  `${values.weights.length} candidates; ` +
  `the positive weighs ${kit.fixed(values.weights[0], 3)}, so the loss is ${kit.short(values.loss)}. The ` +
  `hardest negative ` +
  `(cosine ${kit.fixed(values.cosines[1], 3)}) takes ${kit.fixed(100 * values.shares[0], 0)}% of the push; ` +
  `the gradient on the anchor has length ${kit.short(values.gradient)}.`;
