// τ and λ on twelve sentences: what the softmax of the first anchor attends to, and what pulls it.
// state: {labels, anchors [4][dim], hypotheses [8][dim], cross_entropy, classifier_pull}
// The same in Python: tau_lambda_values in kit/boards/tau_lambda_widget.py.

const title = "τ and λ on twelve sentences";

const controls = () => [
  {
    kind: "presets",
    name: "presets",
    label: "settings to try",
    options: {
      "usual for cosines: τ 0.05": { tau: 0.0501 },
      "one winner: τ 0.01": { tau: 0.01 },
      "all alike: τ 10": { tau: 10 },
    },
  },
  tauSlider(0.0501),
  { kind: "slider", name: "lam", label: "λ", full: "weight λ of the contrast", min: 0, max: 1, step: 0.05, value: 0.3 },
];

const compute = (state, { tau, lam }) => {
  const cosines = state.anchors.map((a) => state.hypotheses.map((h) => kit.cosine(a, h)));
  // Hypothesis i of the first four is the positive of anchor i; all others are its negatives.
  const weights = cosines.map((row) => kit.softmax(row.map((c) => c / tau)));
  const contrast = cosines.reduce((sum, row, i) => sum + surprise(row, i, tau), 0) / cosines.length;
  // ∂L/∂a for the first anchor: Σ (weight − target)/τ · ∂cos/∂a, averaged over the anchors
  const a = state.anchors[0],
    unit = kit.unit(a),
    gradient = a.map(() => 0);
  state.hypotheses.forEach((hypothesis, j) => {
    const push = (weights[0][j] - (j === 0 ? 1 : 0)) / tau / cosines.length / kit.norm(a);
    kit.unit(hypothesis).forEach((v, k) => {
      gradient[k] += push * (v - cosines[0][j] * unit[k]);
    });
  });
  const pulls = { classifier: (1 - lam) * state.classifier_pull, contrast: lam * kit.norm(gradient) };
  const total = pulls.classifier + pulls.contrast || 1;
  const entropy = -weights[0].reduce((sum, w) => sum + (w > 0 ? w * Math.log(w) : 0), 0);
  return {
    weights: weights[0],
    watched: Math.exp(entropy),
    terms: [state.cross_entropy, contrast],
    loss: (1 - lam) * state.cross_entropy + lam * contrast,
    shares: [pulls.classifier / total, pulls.contrast / total],
  };
};

const surprise = (row, i, tau) => {
  const logits = row.map((c) => c / tau),
    top = Math.max(...logits);
  return top + Math.log(logits.reduce((sum, v) => sum + Math.exp(v - top), 0)) - logits[i];
};

const motion = ({ weights, shares, terms, loss }) => ({ weights, shares, terms, loss });

// The sentences in the order of the list: the positive, the hard negative of the same topic, the rest.
const orderOf = (state) => {
  const own = [0, state.anchors.length];
  return [...own, ...state.labels.map((_, j) => j).filter((j) => !own.includes(j))];
};

const shares = [3, 2];
const draw = (values, chosen, state) => {
  const { positive, negative, neutral, classify, contrast } = kit.COLOURS,
    n = state.anchors.length,
    order = orderOf(state);
  const colourOf = (j) => (j === 0 ? positive : j === n ? negative : neutral);
  const weights = kit.bars({
    width: kit.room.first,
    title: `Where the softmax of “${state.anchor}” looks`,
    legend: [
      { name: "its positive", colour: positive, shape: "box" },
      { name: "its negative", colour: negative, shape: "box" },
      { name: "others", colour: neutral, shape: "box" },
    ],
    horizontal: true,
    above: true,
    labels: order.map((j) => state.sentences?.[j] ?? state.labels[j]),
    values: order.map((j) => values.weights[j]),
    colours: order.map(colourOf),
    links: order,
    min: 0,
    max: 1,
    digits: 3,
  });
  const percent = (share) => `${kit.fixed(100 * share, 0)} %`;
  const pulls = kit.split({
    width: kit.room.second,
    title: "Who pulls that anchor",
    tell: percent,
    parts: [
      { name: "cross-entropy", value: values.shares[0], colour: classify },
      { name: "contrast", value: values.shares[1], colour: contrast },
    ],
    whole: 1,
  });
  const loss = kit.split({
    width: kit.room.second,
    title: `The loss, (1 − λ)·CE + λ·SCL = ${kit.fixed(values.loss, 3)}`,
    parts: [
      { name: "(1 − λ)·CE", value: (1 - chosen.lam) * values.terms[0], colour: classify },
      { name: "λ·SCL", value: chosen.lam * values.terms[1], colour: contrast },
    ],
    tell: (v) => kit.fixed(v, 3),
    whole: Math.max(2, values.loss),
  });
  return [weights, pulls + loss + '<p class="kit-note">The classifier of CE is not trained yet.</p>'];
};

const brief = ({ watched, weights, shares: [, contrast] }, { tau }, state) =>
  `At τ ${kit.short(tau)} the anchor looks at ${kit.told(kit.fixed(watched, 1))} of ${weights.length} sentences; its ` +
  `positive weighs ${kit.told(kit.fixed(weights[0], 2), kit.COLOURS.positive)}, its negative ` +
  `${kit.told(kit.fixed(weights[state.anchors.length], 2), kit.COLOURS.negative)}. Contrast has ` +
  `${kit.told(`${kit.fixed(100 * contrast, 0)} %`, kit.COLOURS.contrast)} of the pull.`;

const summary = (values, { tau, lam }) =>
  `τ ${kit.short(tau)}, λ ${kit.fixed(lam)}: the first anchor's softmax looks at ${kit.fixed(values.watched)} of ` +
  `${values.weights.length} hypotheses; its own positive has weight ${kit.fixed(values.weights[0], 3)}. Over all ` +
  `anchors the contrast (SCL) is ${kit.fixed(values.terms[1], 3)}, the cross-entropy (CE) of a classifier not ` +
  `trained yet ${kit.fixed(values.terms[0], 3)}, and the loss, (1 − λ)·CE + λ·SCL, is ` +
  `${kit.fixed(values.loss, 3)}. Of the lengths of the two terms' pulls on the first anchor, ` +
  `${kit.fixed(100 * values.shares[1], 0)}% is the contrast's.`;
