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

// `even`: what each term pulls with at λ 1/2, from which its share at every other λ follows.
const motion = ({ weights, watched, shares, terms, loss }, { tau }, state) => ({
  weights,
  watched,
  shares,
  terms,
  loss,
  even: compute(state, { tau, lam: 0.5 }).shares,
});

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
  const head = kit.heading({ title: "What the anchor looks at" }, width),
    said = kit.text(0, head.height + 8, kit.cut(`“${state.anchor}”`, width), "start", kit.SMALL),
    top = head.height + 20,
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
  const inside = head.inside + said + order.map(row).join("") + scale.join("");
  return kit.svg(width, end + 18, "softmax weights", inside);
};

const GHOSTS = [0.01, 0.05, 1, 10]; // other temperatures, to compare
// The contrast's share of the pull by λ, at this τ and, thinner, at others: the same λ is another share at each.
const byLambda = ({ even }, { tau, lam }, state) => {
  const at = ([classifier, contrast], l) => (100 * l * contrast) / ((1 - l) * classifier + l * contrast || 1),
    curve = (parts) => Array.from({ length: 41 }, (_, i) => [i / 40, at(parts, i / 40)]),
    { contrast, neutral } = kit.COLOURS,
    others = GHOSTS.map((t) => [t, compute(state, { tau: t, lam: 0.5 }).shares]),
    far = [...others].sort(([t], [u]) => Math.abs(Math.log(u / tau)) - Math.abs(Math.log(t / tau)))[0],
    said = (parts, t) => `${kit.fixed(at(parts, lam), 0)} % at τ ${kit.short(t)}`;
  const ghosts = others.filter(([t]) => Math.abs(Math.log(t / tau)) > 0.1);
  // A name stands where its curve crosses the falling diagonal: there they are farthest apart.
  const name =
    (px, py) =>
    ([t, [classifier, pull]]) => {
      const [a, b] = [classifier, pull].map(Math.sqrt),
        l = a / (a + b || 1);
      return kit.text(px(l), py(100 * (1 - l)) + 4, `τ ${kit.short(t)}`, "middle", 'class="kit-small kit-halo"');
    };
  return kit.lines({
    width: kit.room.second,
    title: `λ ${kit.fixed(lam)} gives ${said(even, tau)}, ${said(far[1], far[0])}`,
    x: "λ",
    y: "the contrast’s share of the pull, %",
    legend: [],
    xmin: 0,
    xmax: 1,
    ymin: 0,
    ymax: 100,
    height: 285,
    marker: lam,
    series: [
      ...ghosts.map(([, parts]) => ({ colour: neutral, dash: "2 4", quiet: true, points: curve(parts) })),
      { colour: contrast, points: curve(even) },
    ],
    over: (px, py) => ghosts.map(name(px, py)).join(""),
  });
};

const draw = (values, chosen, state) => {
  const { contrast } = kit.COLOURS,
    note = '<p class="kit-note">The classifier of CE is not trained yet.</p>';
  return [
    kit.wide(
      kit.figures([
        { value: kit.fixed(values.watched, 1), words: `of ${values.weights.length} sentences are looked at` },
        { value: percent(values.shares[1]), words: "of the pull is the contrast’s", colour: contrast },
      ]),
    ),
    looks(values, state),
    byLambda(values, chosen, state) + note,
  ];
};

const brief = ({ watched, weights, shares: [, contrast] }, { tau, lam }, state) => {
  const most = weights.indexOf(Math.max(...weights)),
    { positive, negative } = kit.COLOURS,
    whom =
      most === 0
        ? `, most at ${kit.told("its positive", positive)}`
        : most === state.anchors.length
          ? `, most at ${kit.told("its negative", negative)}`
          : "";
  return (
    `At τ ${kit.short(tau)} the anchor looks at ${kit.told(kit.fixed(watched, 1))} of ${weights.length} sentences` +
    `${watched > 0.9 * weights.length ? ", at all nearly alike" : whom}. λ ${kit.fixed(lam)} gives the contrast ` +
    `${kit.told(`${kit.fixed(100 * contrast, 0)} %`, kit.COLOURS.contrast)} of the pull.`
  );
};

const summary = (values, { tau, lam }) =>
  `τ ${kit.short(tau)}, λ ${kit.fixed(lam)}: the first anchor's softmax looks at ${kit.fixed(values.watched)} of ` +
  `${values.weights.length} hypotheses; its own positive has weight ${kit.fixed(values.weights[0], 3)}. Over all ` +
  `anchors the contrast (SCL) is ${kit.fixed(values.terms[1], 3)}, the cross-entropy (CE) of a classifier not ` +
  `trained yet ${kit.fixed(values.terms[0], 3)}, and the loss, (1 − λ)·CE + λ·SCL, is ` +
  `${kit.fixed(values.loss, 3)}. Of the pull on the first anchor (the lengths of both terms' pulls, ` +
  `added) the contrast has ${kit.fixed(100 * values.shares[1], 0)}%.`;
