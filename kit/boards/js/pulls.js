// Two pulls on one sentence: where cross-entropy and the contrast would move it, and their sum.
// state: {anchors [P], premises [P][dim], classifier [P][dim] = ∂CE/∂premise,
//         hypotheses [H][dim], owner [H], labels [H] (0 entailed), names [H], texts [H]}
// The same in Python, by autograd: pulls_values in kit/boards/pulls_widget.py.

const TINY = 1e-7,
  APART = 1e-4; // shorter vectors have no direction; smaller angles span no plane

const title = "Two pulls on one sentence";
const shares = [3, 2];
const folded = { from: 2, name: "the lengths in numbers, and whom the contrast pulls and pushes" };

const controls = (state) => [
  toTry({
    "the paper’s λ 0.3, τ 1": { lam: 0.3, tau: 1, similarity: "dot product" },
    "cosine, τ 0.05": { lam: 0.3, tau: 0.0501, similarity: "cosine" },
    "no contrast: λ 0": { lam: 0 },
  }),
  { kind: "slider", name: "lam", label: "λ", full: "weight λ of the contrast", min: 0, max: 1, step: 0.05, value: 0.3 },
  tauSlider(1, { tell: (v) => kit.short(Number(v.toPrecision(2))) }), // as the presets name it
  { kind: "choice", name: "similarity", label: "similarity", options: ["dot product", "cosine"], value: "dot product" },
  { kind: "choice", name: "anchor", label: "anchor", options: state.anchors, value: state.anchors[0] },
];

const add = (a, b, factor = 1) => a.map((value, k) => value + factor * b[k]);
const total = (values) => values.reduce((sum, v) => sum + v, 0);
const times = (a, factor) => a.map((value) => factor * value);

const compute = (state, { lam, tau, similarity, anchor }) => {
  const at = state.anchors.indexOf(anchor),
    a = state.premises[at];
  if (at < 0) throw new Error(`unknown anchor ${anchor}.`);
  const push = residuals(state, at, similarity, tau);
  const classify = times(state.classifier[at], -1),
    contrast = pullOf(state, a, push, similarity, tau);
  const step = add(times(classify, 1 - lam), contrast, lam);
  const lengths = [classify, contrast, step].map(kit.norm);
  const pulls = [(1 - lam) * lengths[0], lam * lengths[1]],
    total = pulls[0] + pulls[1];
  const around = state.hypotheses.map((h) => add(h, a, -1));
  const middle = times(
    around.reduce((sum, v) => add(sum, v)),
    1 / around.length,
  );
  const axes = plane([classify, contrast, middle, ...a.map((_, i) => a.map((_, k) => (i === k ? 1 : 0)))]);
  const points = around.map((v) => axes.map((axis) => kit.dot(v, axis)));
  const longest = Math.max(lengths[0], lengths[1]);
  const magnify = longest > TINY ? Math.max(...points.map(kit.norm)) / longest : 1;
  const ends = [classify, contrast].map((v) => axes.map((axis) => magnify * kit.dot(v, axis)));
  const arrows = [times(ends[0], 1 - lam), times(ends[1], lam), add(times(ends[0], 1 - lam), ends[1], lam)];
  const positives = state.owner.filter((p, j) => p === at && state.labels[j] === 0).length;
  return {
    positives,
    push,
    lengths,
    angle: degrees(classify, contrast),
    share: total > 0 ? pulls[1] / total : 0,
    points,
    ends,
    magnify,
    arrows,
  };
};

// Softmax weight − target of each hypothesis for premise `at`; all 0 where it entails nothing.
const residuals = (state, at, similarity, tau) => {
  const positive = state.owner.map((p, j) => p === at && state.labels[j] === 0),
    count = positive.filter(Boolean).length;
  if (!count) return positive.map(() => 0);
  const like = similarity === "cosine" ? kit.cosine : kit.dot;
  const weights = kit.softmax(state.hypotheses.map((h) => like(state.premises[at], h) / tau));
  return weights.map((w, j) => w - (positive[j] ? 1 / count : 0));
};

// −∂SCL/∂a = −Σ (weight − target)/τ · ∂s/∂a, averaged over the premises that are anchors.
const pullOf = (state, a, push, similarity, tau) => {
  const anchors = new Set(state.owner.filter((_, j) => state.labels[j] === 0)).size;
  const slope = (h) => {
    if (similarity !== "cosine") return h;
    return times(add(kit.unit(h), kit.unit(a), -kit.cosine(a, h)), 1 / kit.norm(a));
  };
  return state.hypotheses.reduce(
    (sum, h, j) => add(sum, slope(h), -push[j] / tau / (anchors || 1)),
    a.map(() => 0),
  );
};

// Two orthogonal axes: the first two directions that span a plane (Gram–Schmidt).
const plane = (directions) => {
  const axes = [];
  for (const direction of directions) {
    if (axes.length === 2 || kit.norm(direction) <= TINY) continue;
    const rest = axes.reduce((left, axis) => add(left, axis, -kit.dot(left, axis)), kit.unit(direction));
    if (kit.norm(rest) > APART) axes.push(kit.unit(rest));
  }
  return axes;
};

const degrees = (a, b) => {
  if (Math.min(kit.norm(a), kit.norm(b)) <= TINY) return -1;
  return (Math.acos(Math.min(Math.max(kit.cosine(a, b), -1), 1)) * 180) / Math.PI;
};

// A box around both pulls, which λ does not change, so that it stays still while that slider moves.
const box = (ends) => {
  const around = (k) => [0, ...ends.map((e) => e[k])];
  const [xs, ys] = [around(0), around(1)];
  return { xmin: Math.min(...xs), xmax: Math.max(...xs), ymin: Math.min(...ys), ymax: Math.max(...ys) };
};

// The picture has CE upwards: SCL goes to the right, away from the others on the left, and a page is wider than high. A
// phone is higher than wide: there SCL goes upwards and CE to the right.
const upright = ([x, y]) => (narrow() ? [x, y] : [y, x]);
const narrow = () => kit.room.columns === 1;

const STEP = "currentColor"; // black, or white on a dark page: the sum is neither of its parts
const LISTED = 8; // hypotheses whose weights are drawn one by one

// Those of the anchor, then the others that are pushed most; what is not listed is summed.
const listed = (push, role) => {
  const own = role.flatMap((r, j) => (r === "other" ? [] : [j])),
    others = role.flatMap((r, j) => (r === "other" ? [j] : [])).sort((a, b) => push[b] - push[a]),
    shown = own.concat(others.slice(0, Math.max(0, LISTED - own.length))),
    rest = push.map((_, j) => j).filter((j) => !shown.includes(j));
  return { shown, rest };
};

const heightOf = () => (narrow() ? 330 : 290); // pixels, whatever the pulls are
const FOOT = 20; // of them under the pulls

// Each picture has a scale of its own, as a pull is 86 times as long at one τ as at another: a bar tells how long a
// round length is in it. It stands in the first corner that is clear of both pulls and of the way between their ends.
const measured =
  ({ lengths, ends }, shown, { xmin, xmax, ymin, ymax }) =>
  (px, py) => {
    const k = lengths[0] > lengths[1] ? 0 : 1;
    if (lengths[k] <= TINY) return "";
    const unit = (Math.abs(px(1) - px(0)) * kit.norm(ends[k])) / lengths[k], // pixels of a length of 1
      power = 10 ** Math.floor(Math.log10(LONGEST_BAR / unit)),
      size = power * [5, 2, 1].find((times) => times * power * unit <= LONGEST_BAR),
      wide = size * unit,
      words = `length ${kit.short(size)}`,
      room = Math.max(wide, kit.needed(words.length, 6.6)); // of a short bar its words are wider
    const [middle, half] = [py((ymin + ymax) / 2), (heightOf() - kit.LINE - FOOT - 28) / 2], // as kit.lines has them
      [right, left] = [kit.room.width - room / 2 - 6, px((xmin + xmax) / 2) - LONGEST_BAR],
      [top, bottom] = [middle - half + 20, middle + half - 8];
    const corners = [
      [right, top],
      [right, bottom],
      [left, top],
    ];
    const places = [[0, 0], ...shown].map(([x, y]) => [px(x), py(y)]),
      way = [0, 1, 2].flatMap((i) => along(places[i], places[(i + 1) % 3]));
    const clear = ([x, y]) =>
      Math.min(...way.map(([a, b]) => Math.max((Math.abs(a - x) - room / 2) / 2, Math.abs(b - y))));
    const [x, y] = corners.find((corner) => clear(corner) > 34) ?? corners.sort((a, b) => clear(b) - clear(a))[0];
    return (
      `<path class="kit-rule" d="M${kit.round(x - wide / 2)} ${y - 4}v8m0 -4h${kit.round(wide)}m0 -4v8" fill="none"/>` +
      kit.text(x, y - 9, words, "middle", 'class="kit-small kit-halo"')
    );
  };
const LONGEST_BAR = 90; // pixels
const along = (from, to) => Array.from({ length: 21 }, (_, i) => add(times(from, 1 - i / 20), times(to, i / 20)));

// What each arrow is, and how long. The upward arrow has its name on its left and the other one below it, where no line
// runs; the step has it beyond its tip. An arrow too short for a name has none; a step that ends where one of its parts
// ends shares its name, and one that ends in a ring has it there.
const namesOf =
  ({ lengths: [ce, scl, step] }, { lam }, tips, ends, arrived) =>
  (px, py) => {
    const { classify, contrast } = kit.COLOURS,
      told = [`CE ${kit.short((1 - lam) * ce)}`, `SCL ${kit.short(lam * scl)}`, `step ${kit.short(step)}`],
      upward = narrow() ? 1 : 0,
      reach = Math.max(...ends.map(kit.norm)),
      onWhole = [0, 1].some(arrived),
      near = (k) => kit.norm(add(tips[k], tips[2], -1)) < 0.12 * reach;
    const put = (x, y, words, colour, anchor) => kit.tinted(x, y, [[words, colour]], anchor, 'class="kit-halo"');
    const aside = ([x, y], words, colour) => put(px(x) - 13, py(y) + 5, words, colour, "end"),
      below = ([x, y], words, colour) => put(px(x), py(y) + 22, words, colour, "middle");
    const part = (k) => {
      if (onWhole || near(k) || kit.norm(tips[k]) < 0.1 * reach) return "";
      return (k === upward ? aside : below)(times(tips[k], 0.5), told[k], [classify, contrast][k]);
    };
    const ring = (k) => {
      const [x, y] = ends[k];
      if (arrived(k)) return (k === upward ? aside : below)(ends[k], told[2], STEP);
      return k === upward ? aside(ends[k], `λ ${k}`, STEP) : put(px(x) + 11, py(y) + 5, `λ ${k}`, STEP, "start");
    };
    const shared = [0, 1].find(near),
      end = shared === undefined ? told[2] : `step ≈ ${told[shared]}`,
      most = kit.room.width - kit.needed(end.length, kit.BOLD), // where it begins at the latest, then above the tip
      [x, y] = tips[2];
    return (
      [0, 1].map(part).join("") +
      (onWhole ? "" : put(Math.min(px(x) + 9, most), py(y) - (px(x) + 9 > most ? 15 : 9), end, STEP, "start")) +
      [0, 1].map(ring).join("")
    );
  };

// Where the contrast alone counts and does not pull, no part of a pull is anybody's.
const idle = ({ lengths: [ce, scl] }, { lam }) => (1 - lam) * ce + lam * scl === 0;

const nothing = ({ positives }, anchor) => `nothing pulls${positives ? "" : `: ${anchor} entails nothing`}`;

const lead = (values, { lam, anchor }) => {
  if (idle(values, { lam })) return `At λ ${kit.fixed(lam)} ${nothing(values, anchor)}`;
  const [pulled, weighed] = [values.share, lam].map(kit.percent);
  return (
    `At λ ${kit.fixed(lam)} the contrast has ${kit.told(pulled, kit.COLOURS.contrast)} of the pull` +
    (pulled === weighed ? "" : `, not ${weighed}`)
  );
};

// From the left, as λ counts: what λ says, a mark, and what it does, the border of the colours. The gap is the lesson.
const shareOf = (values, { lam, anchor }) => {
  const { width } = kit.room,
    { share } = values,
    { classify, contrast } = kit.COLOURS,
    [pulled, weighed] = [share, lam].map(kit.percent),
    [y, tall] = [20, 46],
    [border, at] = [share, lam].map((v) => kit.round(v * (width - 2)) + 1),
    name = (x, words, anchor) => kit.text(x, y + 29, words, anchor, 'class="kit-strong" style="fill:#000"');
  const none = idle(values, { lam }),
    empty =
      kit.rect(1, y, width - 2, tall, 'class="kit-axis" fill="none"') +
      kit.text(12, y + 29, nothing(values, anchor), "start", 'class="kit-strong"'),
    filled =
      kit.rect(1, y, border - 1, tall, `fill="${contrast}"`) +
      kit.rect(border, y, width - 1 - border, tall, `fill="${classify}"`) +
      (share > 0.2 ? name(12, `SCL ${pulled}`, "start") : "") +
      (share < 0.8 ? name(width - 12, `CE ${kit.percent(1 - share)}`, "end") : "");
  return kit.svg(
    width,
    y + tall + 8,
    none ? "nothing pulls" : `the contrast has ${pulled} of the pull`,
    (none ? empty : filled) +
      `<path class="kit-mark" d="M${at} ${y - 4}v${tall + 8}"/>` +
      kit.text(Math.min(Math.max(at, 44), width - 44), y - 7, `λ says ${weighed}`, "middle", kit.SMALL),
  );
};

const motion = ({ push, lengths, share, points, ends, arrows }) => ({ push, lengths, share, points, ends, arrows });

const draw = (values, chosen, state) => {
  const { positive, negative, neutral, classify, contrast } = kit.COLOURS,
    after = STEP,
    at = state.anchors.indexOf(chosen.anchor);
  const role = state.owner.map((p, j) => (p !== at ? "other" : state.labels[j] === 0 ? "positive" : "negative"));
  const colours = role.map((r) => ({ positive, negative, other: neutral })[r]),
    sign = (r) => (r === "positive" ? "+" : "−");
  const tips = values.arrows.map(upright),
    ends = values.ends.map(upright),
    edges = box(ends);
  // At λ 0 and 1 the step ends in a ring.
  const arrived = (k) => kit.norm(add(ends[k], tips[2], -1)) < 0.02 * kit.norm(ends[k]);
  const arrows = [classify, contrast, after].map((colour, k) => ({
    from: [0, 0],
    to: tips[k],
    colour,
    width: k === 2 ? 8 : 3.5,
  }));
  arrows.unshift(arrows.pop()); // the step lies under its parts: at λ 0 and 1 neither is hidden
  // The parallelogram of the two pulls, and the way of the step as λ goes from 0 to 1.
  const lines = [
    ...[0, 1].map((k) => ({ from: tips[k], to: tips[2], colour: neutral })),
    { from: ends[0], to: ends[1], colour: neutral, dash: true },
  ];
  const limits = ends.map(([x, y], k) => ({
    x,
    y,
    colour: [classify, contrast][k],
    shape: "ring",
  }));
  const { shown, rest } = listed(values.push, role);
  const scaled = "lengths as the scale says",
    [up, across] = narrow() ? ["to the right", "up"] : ["up", "to the right"],
    weights = [1 - chosen.lam, chosen.lam],
    [ce, scl, step] = values.lengths;
  return [
    kit.wide(shareOf(values, chosen)),
    kit.wide(
      kit.points({
        width: kit.room.width,
        title: `Two pulls on ${chosen.anchor}, and the step between them`,
        legend: [
          { name: "cross-entropy (CE)", colour: classify },
          { name: "contrast (SCL)", colour: contrast },
          { name: "the step", colour: after },
        ],
        x: values.positives
          ? `${up}: where CE pulls; ${across}: where SCL pulls; dashed: the step’s way from λ 0 to 1; ${scaled}`
          : `${up}: where CE pulls (SCL does not pull); ${scaled}`,
        height: heightOf(),
        equal: true,
        bare: true,
        noxticks: true,
        noyticks: true,
        left: 84, // room for the words at the upward arrow
        right: narrow() ? 66 : 44, // and at the rightmost ring
        bottom: FOOT,
        ...edges,
        points: [...limits, { x: 0, y: 0, colour: after, shape: "ring", title: chosen.anchor }],
        arrows,
        lines,
        over: (px, py) => namesOf(values, chosen, tips, ends, arrived)(px, py) + measured(values, ends, edges)(px, py),
      }),
    ),
    kit.table({
      title: "What the step is made of",
      head: ["term", "gradient", "× weight", "= in the step"],
      rows: [
        ["CE (classifier)", kit.short(ce), kit.fixed(weights[0]), kit.short(weights[0] * ce)],
        ["SCL (contrast)", kit.short(scl), kit.fixed(weights[1]), kit.short(weights[1] * scl)],
        ["step (their sum)", "", "", kit.short(step)],
      ],
    }),
    kit.bars({
      width: kit.room.second,
      title: "Whom SCL pulls, and whom it pushes away",
      legend: [
        { name: "its positives", colour: positive, shape: "box" },
        { name: "its own negatives", colour: negative, shape: "box" },
        { name: "other anchors’", colour: neutral, shape: "box" },
      ],
      x: "weight − target: below 0 pulled, above pushed",
      horizontal: true,
      above: true,
      step: 34,
      min: -1 / Math.max(values.positives, 1),
      max: 1,
      labels: [
        ...shown.map((j) => `${state.names[j]} ${sign(role[j])} ${state.texts[j]}`),
        ...(rest.length ? [`the other ${rest.length} together`] : []),
      ],
      values: [...shown.map((j) => values.push[j]), ...(rest.length ? [total(rest.map((j) => values.push[j]))] : [])],
      links: [...shown, ...(rest.length ? [-1] : [])],
      colours: [...shown.map((j) => colours[j]), neutral],
    }),
  ];
};

const brief = ({ positives, lengths, angle, share }, { lam, anchor }) =>
  `The contrast’s gradient is ${kit.told(kit.short(lengths[1]), kit.COLOURS.contrast)} long, the classifier’s ` +
  `${kit.told(kit.short(lengths[0]), kit.COLOURS.classify)}${between(positives, angle, anchor)}: so ` +
  (idle({ lengths }, { lam })
    ? `at λ ${kit.fixed(lam)} nothing pulls.`
    : `λ ${kit.fixed(lam)} gives SCL ${kit.told(kit.percent(share), kit.COLOURS.contrast)} of the pull.`);

const between = (positives, angle, anchor) => {
  if (!positives) return `, as ${anchor} entails nothing and is no anchor`;
  return angle >= 0 ? ` at ${kit.fixed(angle, 0)}°` : ", at no angle";
};

const summary = ({ positives, lengths, angle, share, magnify }, { anchor, similarity, tau, lam }) =>
  `${anchor[0].toUpperCase()}${anchor.slice(1)}, ${similarity}, τ ${kit.short(tau)}, λ ${kit.fixed(lam)}: ` +
  `gradients of length ` +
  `${kit.short(lengths[0])} (CE) and ${kit.short(lengths[1])} (SCL)${between(positives, angle, anchor)}; after their ` +
  (idle({ lengths }, { lam }) ? "weights nothing pulls" : `weights SCL has ${kit.percent(share)} of the pull`) +
  `, and the step is ${kit.short(lengths[2])} long.` +
  (idle({ lengths }, { lam }) ? "" : ` The arrows are exact, drawn ${kit.short(magnify)} times as long.`);
