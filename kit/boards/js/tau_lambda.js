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

// `worth`: at each τ of the slider's range, the contrast's share of the pull with this λ.
const motion = (values, { lam }, state) => ({
  weights: values.weights,
  watched: values.watched,
  shares: values.shares,
  terms: values.terms,
  loss: values.loss,
  lam,
  worth: TAUS.map((tau) => compute(state, { tau, lam }).shares[1]),
});

const LOWEST = 0.01,
  HIGHEST = 10,
  TAUS = Array.from({ length: 31 }, (_, i) => LOWEST * (HIGHEST / LOWEST) ** (i / 30));
const shares = [3, 2];
const ROW = 31;
const percent = (share) => `${kit.fixed(100 * share, 0)} %`;

// The sentences that the softmax weighs, the nearest first; a sentence lies on its bar.
const looks = (values, state) => {
  const { positive, negative, neutral } = kit.COLOURS,
    width = kit.room.first,
    hard = state.anchors.length,
    order = state.labels.map((_, j) => j).sort((a, b) => values.weights[b] - values.weights[a]),
    role = (j) => (j === 0 ? [positive, "its positive"] : j === hard ? [negative, "its negative"] : [neutral, ""]);
  const head = kit.heading({ title: `Where “${state.anchor}” looks` }, width),
    top = head.height + 2,
    end = top + ROW * order.length,
    x = (weight) => weight * (width - 2) + 1;
  const row = (j, i) => {
    const y = top + ROW * i,
      [colour, name] = role(j),
      told = `${width > 480 ? name : ""} ${kit.fixed(values.weights[j])}`.trim(),
      sentence = state.sentences?.[j] ?? state.labels[j];
    return (
      `<g data-link="${j}"><title>${kit.escape(sentence)}</title>` +
      kit.rect(1, y, width - 2, ROW - 5, 'class="kit-track" rx="3"') +
      kit.rect(1, y, x(values.weights[j]) - 1, ROW - 5, `fill="${colour}" fill-opacity="0.4" rx="3"`) +
      kit.rect(1, y, 4, ROW - 5, `fill="${colour}"`) +
      kit.text(12, y + 17, kit.cut(sentence, width - 12 - 7 * told.length), "start") +
      kit.tinted(width - 8, y + 17, [[told, colour]], "end", "") +
      "</g>"
    );
  };
  const scale = [
    [0, "0", "start"],
    [0.25, "softmax weight", "middle"],
    [0.5, "0.5", "middle"],
    [1, "1", "end"],
  ].map(([v, words, anchor]) => kit.text(x(v), end + 12, words, anchor, kit.SMALL));
  const inside = head.inside + order.map(row).join("") + scale.join("");
  return kit.svg(width, end + 18, "softmax weights", inside);
};

// What the chosen λ is worth by τ: the contrast's share of the pull, against the share that λ itself is.
const worthOf = ({ worth, shares: [, share], lam }, { tau }) => {
  const { contrast } = kit.COLOURS,
    said = (v) => percent(v).replace(" ", "\u00a0"),
    [first, last] = [worth[0], worth[worth.length - 1]];
  return kit.lines({
    width: kit.room.second,
    title:
      said(first) === said(last)
        ? `λ ${kit.short(lam)} is worth ${said(first)} at every τ`
        : `λ ${kit.short(lam)} is worth ${said(first)} at τ\u00a0${LOWEST}, ${said(last)} at τ\u00a0${HIGHEST}`,
    x: "temperature τ",
    y: "the contrast’s share of the pull, %",
    logx: true,
    xmin: LOWEST,
    xmax: HIGHEST,
    ymin: 0,
    ymax: 100,
    height: kit.room.columns < 2 ? 220 : 262,
    series: [{ colour: contrast, points: TAUS.map((t, i) => [t, 100 * worth[i]]) }],
    under: (px, py) => gap(px, py, lam, share, tau),
    over: (px, py) => named(px, py, lam, share, tau),
  });
};

// From the share that λ says to the share that it has at this τ.
const gap = (px, py, lam, share, tau) => {
  const { contrast } = kit.COLOURS,
    [x, from, to] = [px(tau), py(100 * lam), py(100 * share)];
  return (
    `<path class="kit-marker" d="M${kit.round(px(LOWEST))} ${kit.round(from)}H${kit.round(px(HIGHEST))}"/>` +
    (Math.abs(to - from) > 14 ? kit.arrow([x, from], [x, to + 5 * Math.sign(from - to)], contrast, 3) : "")
  );
};

// The words stand where no line is: right of the falling curve the share, above the dashed line's free end what λ says.
const named = (px, py, lam, share, tau) => {
  const { contrast } = kit.COLOURS,
    halo = 'class="kit-halo"',
    [x, y, level] = [px(tau), py(100 * share), py(100 * lam)],
    right = x < px(3),
    free = lam > 0.93 ? level + 17 : level - 7;
  return (
    `<circle cx="${kit.round(x)}" cy="${kit.round(y)}" r="6" fill="${contrast}"/>` +
    kit.tinted(
      x + (right ? 12 : -12),
      y - (right ? 6 : 8),
      [[percent(share), contrast]],
      right ? "start" : "end",
      halo,
    ) +
    kit.text(px(HIGHEST), free, `λ says ${percent(lam)}`, "end", 'class="kit-small kit-halo"')
  );
};

const draw = (values, chosen, state) => [looks(values, state), worthOf(values, chosen)];

// One claim: what λ says and what it is worth.
const lead = ({ shares: [, share] }, { tau, lam }) =>
  `A λ of ${kit.short(lam)} says ${percent(lam)}; at τ ${kit.short(tau)} the contrast has ` +
  `${kit.told(percent(share), kit.COLOURS.contrast)} of the pull`;

const brief = ({ watched, weights, shares: [, share] }, { tau }, state) => {
  const colours = kit.COLOURS,
    [own, other] = [weights[0], weights[state.anchors.length]];
  return (
    `At τ ${kit.short(tau)} the softmax looks at ${kit.told(kit.fixed(watched, 1))} of ${weights.length} sentences: ` +
    `${kit.told(kit.fixed(own), colours.positive)} of the weight is on the positive, ` +
    `${kit.told(kit.fixed(other), colours.negative)} on the negative. Of the pull on the anchor the contrast has ` +
    `${kit.told(percent(share), colours.contrast)}, a classifier that is not trained yet the rest.`
  );
};

const summary = (values, { tau, lam }) =>
  `τ ${kit.short(tau)}, λ ${kit.fixed(lam)}: the first anchor's softmax looks at ${kit.fixed(values.watched)} of ` +
  `${values.weights.length} hypotheses; its own positive has weight ${kit.fixed(values.weights[0], 3)}. Over all ` +
  `anchors the contrast (SCL) is ${kit.fixed(values.terms[1], 3)}, the cross-entropy (CE) of a classifier not ` +
  `trained yet ${kit.fixed(values.terms[0], 3)}, and the loss, (1 − λ)·CE + λ·SCL, is ` +
  `${kit.fixed(values.loss, 3)}. Of the pull on the first anchor (the lengths of both terms' pulls, ` +
  `added) the contrast has ${kit.fixed(100 * values.shares[1], 0)}%.`;
