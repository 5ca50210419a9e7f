// τ and λ on twelve sentences: what the softmax of the first anchor attends to, and what pulls it.
// state: {labels, anchors [4][dim], hypotheses [8][dim], cross_entropy, classifier_pull}
// The same in Python: tau_lambda_values in kit/boards/tau_lambda_widget.py.

const title = "τ and λ on twelve sentences";

const controls = () => [
  toTry({
    "the tour's: τ 0.1, λ 0.5": { tau: 0.1, lam: 0.5 },
    "one winner: τ 0.01": { tau: 0.01 },
    "all alike: τ 10": { tau: 10 },
  }),
  tauSlider(0.1),
  { kind: "slider", name: "lam", label: "λ", full: "weight λ of the contrast", min: 0, max: 1, step: 0.05, value: 0.5 },
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
  const lengths = [state.classifier_pull, kit.norm(gradient)];
  const pulls = { classifier: (1 - lam) * lengths[0], contrast: lam * lengths[1] };
  const total = pulls.classifier + pulls.contrast || 1;
  const entropy = -weights[0].reduce((sum, w) => sum + (w > 0 ? w * Math.log(w) : 0), 0);
  return {
    weights: weights[0],
    watched: Math.exp(entropy),
    terms: [state.cross_entropy, contrast],
    loss: (1 - lam) * state.cross_entropy + lam * contrast,
    lengths,
    shares: [pulls.classifier / total, pulls.contrast / total],
  };
};

const surprise = (row, i, tau) => {
  const logits = row.map((c) => c / tau),
    top = Math.max(...logits);
  return top + Math.log(logits.reduce((sum, v) => sum + Math.exp(v - top), 0)) - logits[i];
};

// `worth`: at each τ of the slider's range, the contrast's share of the pull with this λ.
const motion = (values, { tau, lam }, state) => ({
  weights: values.weights,
  lengths: values.lengths,
  shares: values.shares,
  lam,
  logTau: Math.log(tau),
  worth: TAUS.map((one) => compute(state, { tau: one, lam }).shares[1]),
});

const LOWEST = 0.01,
  HIGHEST = 10,
  TAUS = Array.from({ length: 31 }, (_, i) => LOWEST * (HIGHEST / LOWEST) ** (i / 30));
const shares = [3, 2];
const folded = { from: 3, name: "what λ is worth at every τ" };
const { percent } = kit;

// Both pulls end to end: how much of them is the contrast's, and how much λ says it is.
const shareOf = ({ shares: [, share], lam }, state) => {
  const { classify, contrast } = kit.COLOURS,
    width = kit.room.width,
    head = kit.heading({ title: `A contrast and a classifier pull on “${state.anchor}”` }, width),
    y = head.height + 16,
    tall = 34,
    at = (value) => 1 + value * (width - 2),
    said = `λ says ${percent(lam)}`,
    half = 3.5 * said.length,
    name = (x, words, colour, anchor) => kit.tinted(x, y + tall + 17, [[words, colour]], anchor, "");
  return kit.svg(
    width,
    y + tall + 24,
    `the contrast has ${percent(share)} of the pull`,
    head.inside +
      kit.rect(1, y, at(share) - 1, tall, `fill="${contrast}"`) +
      kit.rect(at(share), y, width - 1 - at(share), tall, `fill="${classify}"`) +
      `<path class="kit-mark" d="M${kit.round(at(lam))} ${y - 5}v${tall + 10}"/>` +
      kit.text(Math.min(Math.max(at(lam), half), width - half), y - 9, said, "middle", kit.SMALL) +
      name(1, `contrast ${percent(share)}`, contrast, "start") +
      name(width - 1, `untrained classifier ${percent(1 - share)}`, classify, "end"),
  );
};

const ROW = 31;

// What the softmax says and what is right, 1 on the positive: the sentences, the nearest first, lie on their bars.
const looks = (values, state) => {
  const { positive, negative, neutral } = kit.COLOURS,
    width = kit.room.first,
    wide = width > 480,
    weights = kit.apportioned(values.weights),
    hard = state.anchors.length,
    order = state.labels.map((_, j) => j).sort((a, b) => values.weights[b] - values.weights[a]),
    role = (j) => (j === 0 ? [positive, "its positive "] : j === hard ? [negative, "its negative "] : [neutral, ""]);
  const head = kit.heading({ title: `1. ${wrongOf(values)} of the softmax weight lies wrong` }, width),
    x = (weight) => weight * (width - 2) + 1;
  let end = head.height + 2;
  const row = (j) => {
    const y = end,
      [colour, name] = role(j),
      told = `${wide ? name : ""}${kit.fixed(weights[j])}`,
      sentence = state.sentences?.[j] ?? state.labels[j],
      lines = kit.wrapped(sentence, width - 20 - 7 * told.length, 6.6),
      tall = ROW - 5 + 15 * (lines.length - 1),
      from = kit.round(x(values.weights[j])),
      lacks = `M${from} ${y + 0.5}H${width - 1.5}V${y + tall - 0.5}H${from}`;
    end += tall + 5;
    return (
      `<g data-link="${j}"><title>${kit.escape(sentence)}</title>` +
      kit.rect(1, y, width - 2, tall, 'class="kit-track" rx="3"') +
      kit.rect(1, y, from - 1, tall, `fill="${colour}" fill-opacity="0.4" rx="3"`) +
      (j === 0 ? `<path d="${lacks}" fill="none" stroke="${colour}" stroke-dasharray="4 3"/>` : "") +
      kit.rect(1, y, 4, tall, `fill="${colour}"`) +
      lines.map((line, k) => kit.text(12, y + 17 + 15 * k, line, "start")).join("") +
      kit.tinted(width - 8, y + 4.5 + tall / 2, [[told, colour]], "end", "") +
      "</g>"
    );
  };
  const rows = order.map(row).join("");
  const scale = [
    [0, "0", "start"],
    [0.25, "softmax weight", "middle"],
    [0.5, "0.5", "middle"],
    [1, "dashed: right is 1", "end"],
  ].map(([v, words, anchor]) => kit.text(x(v), end + 12, words, anchor, kit.SMALL));
  return kit.svg(width, end + 18, "softmax weights", head.inside + rows + scale.join(""));
};

// The weight that is not on the positive, as it is printed.
const wrongOf = ({ weights }) => {
  const wrong = 1 - kit.apportioned(weights)[0];
  return wrong < 0.01 ? kit.short(1 - weights[0]) : kit.fixed(wrong);
};

// Two digits, so that whoever multiplies the printed factors finds the printed product.
const rough = (v) => Number(v.toPrecision(2));
// A product is written as the length that it is a part of: not 9.5e−4 below 0.0019.
const partOf = (length, part) => (kit.short(length).includes("e") ? kit.short(part) : String(part));

// A bar's panel ends at this many classifier gradients, whatever τ is: those bars keep their length while τ moves.
const REACH = 8;
const BAR = 32;

// A gradient as an outline, and filled what its weight leaves of it; beyond the panel it goes on, behind a break.
const bar = (y, width, limit, colour, length, weight) => {
  const end = width - 1,
    wide = (value) => Math.min(value / limit, 1) * (end - 1),
    cut = end - 26,
    slash = (x) => `M${x} ${y + BAR + 5}l9 ${-BAR - 10}`;
  const gap = `<path d="${slash(cut)}h8l-9 ${BAR + 10}z" class="kit-plain"/>`,
    breaks = `${gap}<path class="kit-rule" d="${slash(cut)}${slash(cut + 8)}"/>`;
  return (
    kit.rect(1, y, wide(length), BAR, `fill="none" stroke="${colour}" stroke-dasharray="4 3"`) +
    kit.rect(1, y, wide(length * weight), BAR, `fill="${colour}"`) +
    (length > limit ? breaks : "")
  );
};

// Both terms to one scale.
const pulls = (values) => {
  const { classify, contrast } = kit.COLOURS,
    { weights, lengths, lam } = values,
    width = kit.room.second,
    tau = Math.exp(values.logTau),
    apart = (lengths[1] * tau) / (1 - weights[0] || 1),
    limit = REACH * lengths[0] || 1,
    head = kit.heading({ title: "2. Divided by τ, weighed by λ: the pull" }, width);
  // On a narrow page the name alone.
  const gradient = (name, why) =>
    kit.needed(`${name} gradient: ${why}`.length, 6.3) < width ? ` gradient: ${why}` : `: ${why}`;
  const term = (y, name, colour, length, weight, why) =>
    kit.tinted(0, y, [[name, colour], gradient(name, why)]) +
    bar(y + 9, width, limit, colour, length, weight) +
    kit.tinted(0, y + 62, [
      `× ${name === "contrast" ? "λ" : "(1 − λ)"} ${kit.short(weight)} = `,
      [`pull ${partOf(rough(length), rough(rough(length) * weight))}`, colour],
    ]);
  const y = head.height + 14,
    axis = y + 168,
    broken = lengths[1] > limit ? "; // the bar goes on" : "",
    note = "* from the positive to the mean of the wrong ones, seen from the anchor; over its length and the anchors";
  const lines = kit.wrapped(note, width, 6.6),
    named = kit.wrapped(`length, the same scale at every τ${broken}`, width - 4, kit.SLIGHT),
    foot = axis + 38 + kit.LINE * named.length,
    x = (value) => 1 + (value / limit) * (width - 2);
  const scale = kit
    .ticks(0, limit, 4)
    .map(
      (value) =>
        `<path class="kit-axis" d="M${kit.round(x(value))} ${axis}v5"/>` +
        kit.text(x(value), axis + 18, kit.short(value), value ? "middle" : "start", kit.SMALL),
    );
  return kit.svg(
    width,
    foot - 6 + kit.LINE * lines.length,
    "the pulls of both terms",
    head.inside +
      term(
        y,
        "contrast",
        contrast,
        lengths[1],
        lam,
        `${wrongOf(values)} ÷ τ ${kit.short(tau)} × ${kit.short(apart)}* = ${kit.short(rough(lengths[1]))}`,
      ) +
      term(y + 88, "classifier", classify, lengths[0], 1 - lam, `${kit.short(rough(lengths[0]))} at every τ`) +
      `<path class="kit-axis" d="M1 ${axis}H${width - 1}"/>${scale.join("")}` +
      kit.paragraph(width / 2, axis + 34, named, "middle") +
      kit.paragraph(0, foot, lines),
  );
};

// What the chosen λ is worth by τ: the contrast's share of the pull, against the share that λ itself is.
const worthOf = ({ worth, shares: [, share], lam }, { tau }) => {
  const { contrast } = kit.COLOURS,
    said = (v) => percent(v).replace(" ", "\u00a0"),
    [first, last] = [worth[0], worth[worth.length - 1]];
  return kit.lines({
    width: kit.room.width,
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
    free = lam > 0.93 ? level + 17 : level - 7,
    high = y - (right ? 6 : 8),
    aside = Math.max(high, py(100) + 14), // below the axis title
    clear = !right && Math.abs(aside - free) < 15 ? free + (lam > 0.93 ? 16 : -16) : aside; // not on what λ says
  return (
    `<circle cx="${kit.round(x)}" cy="${kit.round(y)}" r="6" fill="${contrast}"/>` +
    kit.tinted(x + (right ? 12 : -12), clear, [[percent(share), contrast]], right ? "start" : "end", halo) +
    kit.text(px(HIGHEST), free, `λ says ${percent(lam)}`, "end", 'class="kit-small kit-halo"')
  );
};

const draw = (values, chosen, state) => [
  kit.wide(shareOf(values, state)),
  looks(values, state),
  pulls(values),
  kit.wide(worthOf(values, chosen)),
];

// One claim: what λ says and what it is worth.
const lead = ({ shares: [, share] }, { tau, lam }) =>
  `At τ ${kit.short(tau)} the contrast has ${kit.told(percent(share), kit.COLOURS.contrast)} of the pull` +
  (percent(share) === percent(lam) ? ", as λ says" : `; λ says ${percent(lam)}`);

// A small τ lengthens the pull of an anchor that is wrong; where the positive is the nearest, it takes the pull away.
const brief = ({ watched, weights }, { tau }) => {
  const times = kit.told(`× ${kit.short(1 / tau)}`, kit.COLOURS.contrast),
    seen = `here ${kit.told(kit.fixed(watched, 1))} of ${weights.length}`;
  return weights[0] < Math.max(...weights)
    ? `Where a negative is nearer than the positive, as here, a small τ makes the contrast’s pull long: its gradient ` +
        `is (softmax weight − target) ÷ τ, here ${times}, and the fewer sentences the softmax looks at, ${seen}, the ` +
        `less their pushes cancel.`
    : `Here the positive is the nearest: at a small τ the softmax looks at it alone, ${seen}, so the contrast’s ` +
        `gradient, (softmax weight − target) ÷ τ, here ${times}, goes to 0.`;
};

const summary = (values, { tau, lam }) =>
  `τ ${kit.short(tau)}, λ ${kit.fixed(lam)}: the first anchor's softmax looks at ${kit.fixed(values.watched)} of ` +
  `${values.weights.length} hypotheses; its own positive has weight ${kit.fixed(values.weights[0], 3)}. Over all ` +
  `anchors the contrast (SCL) is ${kit.fixed(values.terms[1], 3)}, the cross-entropy (CE) of a classifier not ` +
  `trained yet ${kit.fixed(values.terms[0], 3)}, and the loss, (1 − λ)·CE + λ·SCL, is ` +
  `${kit.fixed(values.loss, 3)}. Of the pull on the first anchor (the lengths of both terms' pulls, ` +
  `added) the contrast has ${percent(values.shares[1])}.`;
