// τ and λ on twelve sentences: what the softmax of the first anchor attends to, and what pulls it.
// state: {labels, anchors [4][dim], hypotheses [8][dim], cross_entropy, classifier_pull}
// The same in Python: tau_lambda_values in kit/boards/tau_lambda_widget.py.

const controls = () => [
  { kind: "slider", name: "tau", label: "τ", min: 0.01, max: 10, scale: "log", steps: 60, value: 0.0501 },
  { kind: "slider", name: "lam", label: "λ", min: 0, max: 1, step: 0.05, value: 0.3 },
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

const draw = (values, chosen, state) => {
  const colours = state.labels.map((_, j) =>
    j === 0 ? kit.COLOURS.positive : j === state.anchors.length ? kit.COLOURS.negative : kit.COLOURS.neutral,
  );
  return [
    kit.bars({
      title: `softmax weights of “${state.anchor}”`,
      x: "hypothesis (green: its positive, orange: its negative)",
      y: "softmax weight",
      labels: state.labels,
      values: values.weights,
      colours,
      min: 0,
      max: 1,
      digits: 3,
    }),
    kit.bars({
      title: "who pulls that anchor (classifier: not trained yet)",
      x: "term of the loss",
      y: "share of the two pulls' lengths",
      labels: ["classifier", "contrast"],
      values: values.shares,
      colours: [kit.COLOURS.classify, kit.COLOURS.contrast],
      min: 0,
      max: 1,
      height: 300,
    }),
  ];
};

const summary = (values, { tau, lam }) =>
  `τ ${kit.short(tau)}, λ ${kit.fixed(lam)}: the first anchor's softmax looks at ${kit.fixed(values.watched)} of ` +
  `${values.weights.length} hypotheses; its own positive has weight ${kit.fixed(values.weights[0], 3)}. Over all ` +
  `anchors the contrast (SCL) is ${kit.fixed(values.terms[1], 3)}, the cross-entropy (CE) of a classifier not ` +
  `trained yet ${kit.fixed(values.terms[0], 3)}, and the loss, (1 − λ)·CE + λ·SCL, is ` +
  `${kit.fixed(values.loss, 3)}. Of the lengths of the two terms' pulls on the first anchor, ` +
  `${kit.fixed(100 * values.shares[1], 0)}% is the contrast's.`;
