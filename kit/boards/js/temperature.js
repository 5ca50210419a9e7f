// One anchor, its positive and ten negatives: what τ makes the softmax attend to.
// state: {topics [t], labels [3t], sentences [3t], cosines [3t][3t], pooling: its name or empty}, rows in threes
// (anchor, positive, negative)
// The same in Python: temperature_values in kit/boards/temperature_widget.py.

const title = "Temperature: who is watched, who is pushed";
const shares = [3, 2];
const folded = { from: 2, name: "the loss and its gradient at this τ" };

const LOWEST = 0.001,
  HIGHEST = 100,
  STEPS = 60; // of the curve against τ

const controls = (state) => [
  toTry(
    {
      "one winner: τ 0.01": { tau: 0.01 },
      "usual for cosines: τ 0.05": { tau: 0.05 },
      "all alike: τ 10": { tau: 10 },
    },
    { label: "temperatures to try" },
  ),
  tauSlider(0.05, { min: LOWEST, max: HIGHEST, steps: 100 }),
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

const motion = ({ weights, shares, push }) => ({ weights, shares, push });

// The weights as they are printed: they add up to 1.
const printedWeights = ({ weights }) => kit.apportioned(weights, 3);

// One row a candidate: its cosine, and its sentence on a bar as long as it weighs.
const list = (values, chosen, state) => {
  const { positive, negative } = kit.COLOURS,
    width = kit.room.first,
    left = 66, // the column of cosines
    weights = printedWeights(values);
  const anchor = state.sentences[3 * state.topics.indexOf(chosen.anchor)];
  const legend = [
    { name: "its positive", colour: positive, shape: "box" },
    { name: "a negative", colour: negative, shape: "box" },
  ];
  const named = kit.heading({ title: `Whom “${anchor}” looks at`, legend }, width),
    head = { inside: named.inside, height: named.height + 16 };
  let end = head.height;
  const columns =
    kit.text(left - 12, head.height - 5, "cosine", "end", kit.SMALL) +
    kit.text(width - 8, head.height - 5, "weight", "end", kit.SMALL);
  const row = (row, i) => {
    const y = end,
      colour = i ? negative : positive,
      size = (share) => share * (width - left),
      told = kit.fixed(weights[i], 3),
      lines = kit.wrapped(state.sentences[row], width - left - 62, 7.4), // bold: each when it is pointed at
      tall = 28 + 15 * (lines.length - 1),
      middle = y + 6.5 + tall / 2;
    end += tall + 6;
    return (
      `<g data-link="${row}">${kit.rect(0, y, width, tall + 6, 'class="kit-touch"')}` +
      kit.text(left - 12, middle, kit.fixed(values.cosines[i], 3), "end", kit.SMALL) +
      kit.rect(left, y + 2, width - left, tall, 'class="kit-track" rx="3"') +
      kit.rect(left, y + 2, size(values.weights[i]), tall, `rx="3" fill="${colour}" fill-opacity="0.4"`) +
      kit.rect(left, y + 2, 4, tall, `fill="${colour}"`) +
      lines
        .map((line, k) =>
          kit.text(left + 11, y + 20 + 15 * k, line, "start", `class="kit-small${i ? "" : " kit-strong"}"`),
        )
        .join("") +
      kit.tinted(width - 8, middle, [[told, colour]], "end", "") +
      "</g>"
    );
  };
  const rows = values.order.map(row).join("");
  return kit.svg(width, end + 4, "the candidates of the anchor", head.inside + columns + rows);
};
const nearZero = (v) => (v < 1e-6 ? "≈ 0" : kit.short(v));

// What its left end means: below the curve, or where the marker would strike it, beside the top of the marker.
const oneWinner = (px, py, tau, most) => {
  const [at, marker] = [px(LOWEST), px(tau)],
    struck = marker < at + 80;
  return struck
    ? kit.paragraph(marker + 6, py(most) + 20, ["one", "winner"], "start", 'class="kit-small kit-halo"')
    : kit.text(at + 6, py(1) - 9, "one winner", "start", 'class="kit-small kit-halo"');
};

// What the right end of the curve means, left of the marker where that would strike it.
const allAlike = (px, y, tau) => {
  const [at, marker] = [px(8), px(tau)],
    struck = Math.abs(at - marker) < 36;
  return kit.text(struck ? marker - 7 : at, y, "all alike", struck ? "end" : "middle", 'class="kit-small"');
};

const draw = (values, chosen, state) => {
  const { after, negative } = kit.COLOURS;
  const counts = kit.lines({
    width: kit.room.second,
    title: "Small τ: one winner. Large τ: all alike",
    x: "τ",
    y: "candidates watched, counted as if all weighed alike",
    logx: true,
    xmin: LOWEST,
    xmax: HIGHEST,
    ymin: 0,
    ymax: values.weights.length,
    marker: chosen.tau,
    height: kit.room.columns < 2 ? 230 : 330,
    series: [{ name: "watched", colour: after, points: values.curve.map(([tau, all]) => [tau, all]), area: true }],
    over: (px, py) =>
      oneWinner(px, py, chosen.tau, values.weights.length) + allAlike(px, py(values.weights.length) + 20, chosen.tau),
  });
  const figures = kit.figures([
    {
      value: kit.fixed(values.watched, 1),
      words: `of ${values.weights.length} candidates are watched`,
      colour: after,
    },
    {
      value: kit.percent(values.shares[0]),
      words: "of the push goes to the nearest negative",
      colour: negative,
    },
  ]);
  const read = kit.table({
    title: "At this τ",
    head: ["", "value"],
    rows: [
      ["loss", kit.short(values.loss)],
      ["the least it can be", values.smallest > 0 ? nearZero(values.smallest) : "≈ 0"],
      ["pull = all pushes together", kit.short(values.push)],
      ["gradient on the anchor", kit.short(values.gradient)],
    ],
  });
  return [list(values, chosen, state), figures + counts, read];
};

// All alike: at least so many of the candidates are watched.
const lead = ({ watched, weights }, { tau }) => {
  const seen = kit.told(kit.fixed(watched, 1), kit.COLOURS.after);
  return `At τ ${kit.short(tau)} the anchor looks at ${seen} of ${weights.length} candidates`;
};

const brief = (values, { tau }, state) => {
  const { positive, negative } = kit.COLOURS,
    weight = values.weights[0],
    strongest = values.weights.indexOf(Math.max(...values.weights)),
    first =
      values.watched > 0.9 * values.weights.length
        ? "almost equally at all"
        : `most at ${strongest ? kit.told("a negative", negative) : kit.told("the positive", positive)}`;
  return (
    `At τ ${kit.told(kit.short(tau))} the anchor looks ${first}; the positive has ` +
    `${kit.told(kit.fixed(printedWeights(values)[0], 3), positive)} of the weight, ` +
    `and the loss is ${kit.told(kit.short(values.loss))}.` +
    (state.pooling ? ` <small>Sentences pooled by “${kit.escape(state.pooling)}”.</small>` : "")
  );
};

const summary = (values, { tau, anchor }) =>
  `τ ${kit.short(tau)}, anchor “${anchor}”: the softmax watches ${kit.fixed(values.watched)} of ` +
  `${values.weights.length} candidates; ` +
  `the positive weighs ${kit.fixed(printedWeights(values)[0], 3)}, so the loss is ${kit.short(values.loss)}. The ` +
  `hardest negative ` +
  `(cosine ${kit.fixed(values.cosines[1], 3)}) takes ${kit.percent(values.shares[0])} of the push; ` +
  `the gradient on the anchor has length ${kit.short(values.gradient)}.`;
