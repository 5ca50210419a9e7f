// One's own data before training: what is cut, which texts have twins, how many negatives of a batch are false.
// state: {name, kind, count, texts, lengths {role: [[word pieces, texts]]}, beyond {role}, colours {role}, limit, most,
//         histogram {role: [[x, %]]}, twins [[least, texts]], together, batches, rows [[what, %]], classes [[name, %]]}
// The same in Python: look_values in kit/boards/look_widget.py.

const START = 16; // where something is cut: the start of a board of which nothing could be seen
const title = "Your data before training: what is cut, what is double, what is falsely negative";

// The chart of lengths and the slider of the limit end where the texts end, or where hardly one is left.
const longestOf = (state) => Math.max(...Object.values(state.lengths).flatMap((own) => own.map(([n]) => n)), START);
const edgeOf = (state) => {
  const common = Object.values(state.histogram)
    .flat()
    .filter(([, share]) => share >= 0.5);
  return Math.min(longestOf(state), Math.ceil(1.15 * Math.max(START + 4, ...common.map(([at]) => at))));
};

const controls = (state) => [
  {
    kind: "presets",
    name: "presets",
    label: "settings to try",
    options: {
      "as the encoder reads": { limit: state.limit },
      "half of that": { limit: Math.max(4, Math.floor(state.limit / 2)) },
      "short: 16 word pieces": { limit: START },
    },
  },
  {
    kind: "slider",
    name: "limit",
    label: "limit",
    full: "limit: word pieces that the encoder reads",
    min: 4,
    max: Math.min(state.most, edgeOf(state)), // as far as the chart goes: a preset goes to what the encoder reads
    step: 1,
    value: Math.min(START, state.limit),
    whole: true,
  },
  {
    kind: "slider",
    name: "least",
    label: "nearly the same",
    full: "nearly the same: share of words that two texts have in common",
    min: state.twins[0][0],
    max: 1,
    step: 0.05,
    value: state.twins[0][0],
  },
  ...(state.together === null
    ? [{ kind: "hidden", name: "batch", value: 2 }]
    : [
        {
          kind: "slider",
          name: "batch",
          label: "batch",
          full: "batch: rows of which the others are an anchor's negatives",
          min: 2,
          max: state.batches[state.batches.length - 1],
          scale: "log",
          steps: Math.max(1, state.batches.length - 1),
          value: 128,
          whole: true,
        },
      ]),
];

const sum = (values) => values.reduce((total, v) => total + v, 0);

const compute = (state, { limit, least, batch }) => {
  const roles = Object.keys(state.lengths),
    all = roles.flatMap((role) => state.lengths[role]),
    beyond = sum(Object.values(state.beyond)),
    { together } = state;
  const cut = Object.fromEntries(
    roles.map((role) => [role, sum(state.lengths[role].filter(([n]) => n > limit).map(([, count]) => count))]),
  );
  const lost = sum(all.map(([n, count]) => Math.max(0, n - limit) * count)) + beyond;
  return {
    cut,
    share: (100 * sum(Object.values(cut))) / sum(all.map(([, count]) => count)),
    lost: (100 * lost) / (sum(all.map(([n, count]) => n * count)) + beyond),
    near: state.twins.find(([at]) => at >= least - 1e-9)?.[1] ?? 0,
    expected: together === null ? null : (batch - 1) * together,
    curve: together === null ? [] : state.batches.map((size) => [size, (size - 1) * together]),
  };
};

const motion = ({ share }) => ({ share });

const COST = { cut: kit.COLOURS.negative, twins: kit.COLOURS.before, meets: kit.COLOURS.classify };
const small = (v) => kit.fixed(v, v > 0 && v < 1 ? 2 : 1); // a share that halves is seen to
const percent = (v) => `${small(v)} %`;
const doubled = (values, state) => (100 * values.near) / state.texts;

const numbers = (values, { limit }, state) =>
  kit.figures([
    { value: percent(values.share), words: `of the texts are cut at ${limit} word pieces`, colour: COST.cut },
    { value: percent(doubled(values, state)), words: "of the texts have a twin", colour: COST.twins },
    ...(values.expected === null
      ? []
      : [
          {
            value: small(100 * values.expected),
            words: "false negatives for 100 anchors",
            colour: COST.meets,
          },
        ]),
  ]);

// Of a limit beyond the last text only words say where it is.
const lengths = (values, state, { limit }) => {
  const roles = Object.keys(state.histogram),
    edge = edgeOf(state),
    high = Math.max(...roles.flatMap((role) => state.histogram[role].map(([, share]) => share))) || 1;
  return kit.lines({
    title: values.share
      ? `A limit of ${limit} word pieces cuts ${percent(values.share)} of the texts`
      : `A limit of ${limit} word pieces cuts no text`,
    x: "word pieces, with [CLS] and [SEP]",
    y: "% of the texts",
    width: kit.room.width,
    height: 210,
    xmin: 0,
    xmax: edge,
    ymin: 0,
    ymax: high,
    ...(limit <= edge ? { marker: limit } : {}),
    over: (px, py) =>
      limit > edge
        ? kit.text(px(edge), py(high) + 12, `limit ${limit} →`, "end", kit.SMALL)
        : kit.text(px(limit) + 6, py(high) + 14, limit < edge ? "not read →" : "", "start", inked(COST.cut)),
    under: (px, py) =>
      limit < edge
        ? kit.rect(
            px(limit),
            py(high),
            px(edge) - px(limit),
            py(0) - py(high),
            `fill="${COST.cut}" fill-opacity="0.14"`,
          )
        : "",
    legend: roles.map((role) => ({ name: role, colour: kit.COLOURS[state.colours[role]] })),
    series: roles.map((role) => ({
      name: role,
      colour: kit.COLOURS[state.colours[role]],
      area: true,
      quiet: true,
      points: state.histogram[role].filter(([at]) => at <= edge),
    })),
  });
};
const inked = (colour) => `class="kit-small kit-strong" style="fill:${kit.ink(colour)}"`;

const twins = (values, state, { least }) => {
  const points = state.twins.map(([at, texts]) => [at, (100 * texts) / state.texts]);
  return kit.lines({
    title: `${percent(doubled(values, state))} of the texts have a twin`,
    x: "words in common, 1: all",
    y: "% of the texts that have a twin so near",
    height: 170,
    xmin: points[0][0],
    xmax: 1,
    ymin: 0,
    ymax: Math.max(0.01, 1.1 * points[0][1]),
    marker: least,
    series: [{ name: "twins", colour: COST.twins, points, area: true }],
  });
};

const falseOnes = (values, { batch }) =>
  kit.lines({
    title: "Twice the batch, twice the false negatives",
    x: "rows in a batch",
    y: "false negatives that 100 anchors meet",
    height: 170,
    logx: true,
    xmin: 2,
    xmax: values.curve[values.curve.length - 1][0],
    ymin: 0,
    ymax: Math.max(0.01, 110 * Math.max(...values.curve.map(([, expected]) => expected))),
    marker: batch,
    right: 20,
    series: [
      {
        name: "false negatives",
        colour: COST.meets,
        points: values.curve.map(([n, expected]) => [n, 100 * expected]),
        area: true,
      },
    ],
  });

const classes = (state) =>
  kit.bars({
    title: "Classes, % of the rows",
    horizontal: true,
    above: true,
    digits: 1,
    min: 0,
    max: 100,
    labels: state.classes.map(([name]) => name),
    values: state.classes.map(([, share]) => share),
  });

const draw = (values, chosen, state) => [
  kit.wide(numbers(values, chosen, state) + lengths(values, state, chosen)),
  twins(values, state, chosen),
  ...(values.curve.length > 1 ? [falseOnes(values, chosen)] : []),
  ...(state.classes.length ? [classes(state)] : []),
];

// What is most in the way, and what the rows themselves have.
const brief = (values, { limit, batch }, state) => {
  const found = [
    [values.share, `a limit of ${limit} cuts ${kit.told(percent(values.share), COST.cut)} of the texts`],
    [
      doubled(values, state),
      `${kit.told(values.near, COST.twins)} of ${kit.escape(state.texts)} texts have a twin, ` +
        "which a split may part from them",
    ],
    [
      100 * (values.expected ?? 0),
      `in a batch of ${batch}, 100 anchors meet ${kit.told(small(100 * values.expected), COST.meets)} false ` +
        "negatives",
    ],
  ].sort((a, b) => b[0] - a[0]);
  const rows = state.rows.map(([what, share]) => (share ? `${percent(share)} ${what}` : `no ${what}`));
  return (
    (found[0][0] < 0.05 ? "Nothing of this stands in the way." : `Most in the way: ${found[0][1]}.`) +
    (rows.length ? ` Besides: ${kit.escape(rows.join(", "))}; a twin repeats a text, not its row.` : "")
  );
};

const summary = (values, { limit, least, batch }, state) => {
  const cut = Object.entries(values.cut).map(([role, count]) => `${role} ${count}`);
  const shares = [
    ["Of the rows", state.rows],
    ["Classes", state.classes],
  ];
  return (
    `${state.name}: ${state.count} ${state.kind}. An encoder that reads ${limit} word pieces cuts ` +
    `${kit.fixed(values.share, 1)} % of the texts (${cut.join(", ")}) and leaves ${kit.fixed(values.lost, 1)} % of ` +
    `all word pieces unread. ${values.near} of ${state.texts} different texts have another with a ` +
    `Jaccard similarity of ${kit.fixed(least, 2)} or more.` +
    (values.expected === null
      ? ""
      : ` In a batch of ${batch}, 100 anchors with ${batch - 1} negatives each meet ` +
        `${kit.fixed(100 * values.expected, 1)} that belong to them.`) +
    shares
      .filter(([, told]) => told.length)
      .map(([name, told]) => ` ${name}: ${told.map(([what, v]) => `${what} ${kit.fixed(v, 1)} %`).join(", ")}.`)
      .join("")
  );
};
