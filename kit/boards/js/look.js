// One's own data before training: what is cut, which texts have twins, how many negatives of a batch are false.
// state: {name, kind, count, texts, lengths {role: [[word pieces, texts]]}, beyond {role}, colours {role}, limit, most,
//         histogram {role: [[x, %]]}, twins [[least, texts]], together, batches, rows [[what, %]], classes [[name, %]]}
// The same in Python: look_values in kit/boards/look_widget.py.

const START = 16; // where something is cut: the start of a board of which nothing could be seen
const title = "Your data before training";

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
    max: state.most,
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

const motion = ({ share, lost }) => ({ share, lost });

// Up to where texts end; of a limit beyond that only words say where it is.
const lengths = (values, state, { limit }) => {
  const roles = Object.keys(state.histogram),
    ends = roles.flatMap((role) => state.histogram[role]),
    last = Math.max(...ends.filter(([, share]) => share >= 0.1).map(([at]) => at), 8),
    edge = Math.ceil(1.1 * last),
    high = Math.max(...ends.map(([, share]) => share)) || 1,
    unread = { name: "not read", colour: kit.COLOURS.negative, shape: "box" };
  return kit.lines({
    title: `How long the texts are, and where the encoder stops reading: ${kit.fixed(values.share, 1)} % are cut`,
    x: "word pieces, with [CLS] and [SEP]",
    y: "% of the texts",
    width: kit.room.width,
    xmin: 0,
    xmax: edge,
    ymin: 0,
    ymax: high,
    ...(limit <= edge ? { marker: limit } : {}),
    over: (px, py) => (limit > edge ? kit.text(px(edge), py(high) + 12, `limit ${limit} →`, "end", kit.SMALL) : ""),
    under: (px, py) =>
      limit < edge
        ? kit.rect(
            px(limit),
            py(high),
            px(edge) - px(limit),
            py(0) - py(high),
            `fill="${unread.colour}" fill-opacity="0.14"`,
          )
        : "",
    legend: [...roles.map((role) => ({ name: role, colour: kit.COLOURS[state.colours[role]] })), unread],
    series: roles.map((role) => ({
      name: role,
      colour: kit.COLOURS[state.colours[role]],
      area: true,
      quiet: true,
      points: state.histogram[role].filter(([at]) => at <= edge),
    })),
  });
};

const hindrances = (values, state) => {
  const { negative, before, classify } = kit.COLOURS;
  const shown = [
    ["texts that are cut", values.share, negative],
    ["word pieces that are not read", values.lost, negative],
    ["texts with a twin", (100 * values.near) / state.texts, before],
    ...state.rows.map(([what, share]) => [what, share, classify]),
  ];
  return kit.bars({
    title: "What stands in the way, in % of all",
    horizontal: true,
    above: true,
    digits: 1,
    min: 0,
    max: 100, // fixed: a bar that stays as it is must not grow when another shrinks
    labels: shown.map(([what, share]) => (share < 0.05 ? `✓ ${what}` : what)),
    values: shown.map(([, share]) => share),
    colours: shown.map(([, , colour]) => colour),
  });
};

const falseOnes = (values, { batch }) =>
  kit.lines({
    title: "Negatives of an anchor that belong to it",
    x: "rows in a batch",
    y: "false negatives that 100 anchors meet",
    logx: true,
    xmin: 2,
    xmax: values.curve[values.curve.length - 1][0],
    ymin: 0,
    ymax: Math.max(0.01, 110 * Math.max(...values.curve.map(([, expected]) => expected))),
    marker: batch,
    series: [
      {
        name: "false negatives",
        colour: kit.COLOURS.negative,
        points: values.curve.map(([n, expected]) => [n, 100 * expected]),
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
  kit.wide(lengths(values, state, chosen)),
  hindrances(values, state),
  ...(values.curve.length > 1 ? [falseOnes(values, chosen)] : []),
  ...(state.classes.length ? [classes(state)] : []),
];

const brief = (values, { limit, batch }, state) => {
  const { negative, before } = kit.COLOURS;
  return (
    `A limit of ${limit} word pieces cuts ${kit.told(`${kit.fixed(values.share, 1)} %`, negative)} of the texts. ` +
    `${kit.told(values.near, before)} of ${state.texts} texts have a twin.` +
    (values.expected === null
      ? ""
      : ` In a batch of ${batch}, 100 anchors meet ${kit.told(kit.fixed(100 * values.expected, 1), negative)} false ` +
        "negatives.")
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
    `all word pieces unread. ${values.near} of ${state.texts} texts have another with a ` +
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
