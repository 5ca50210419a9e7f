// One's own data before training: what is cut, which texts have twins, how many negatives of a batch are false.
// state: {name, kind, count, texts, lengths {role: [[word pieces, texts]]}, beyond {role}, colours {role}, limit, most,
//         histogram {role: [[x, %]]}, twins [[least, texts]], together, batches, rows [[what, %]], classes [[name, %]]}
// The same in Python: look_values in kit/boards/look_widget.py.

const START = 16; // where something is cut: the start of a board of which nothing could be seen
const title = "Your data before training: what is cut, what is doubled, what is falsely negative";

// The chart of lengths ends where the texts end, or where hardly one is left.
const longestOf = (state) => Math.max(...Object.values(state.lengths).flatMap((own) => own.map(([n]) => n)), START);
const edgeOf = (state) => {
  const common = Object.values(state.histogram)
    .flat()
    .filter(([, share]) => share >= 0.5);
  return Math.min(longestOf(state), Math.ceil(1.15 * Math.max(START + 4, ...common.map(([at]) => at))));
};

const controls = (state) => [
  toTry({
    "as the encoder reads": { limit: state.limit },
    "half of that": { limit: Math.max(4, Math.floor(state.limit / 2)) },
    "short: 16 word pieces": { limit: START },
  }),
  {
    kind: "slider",
    name: "limit",
    label: "limit",
    full: "limit: word pieces that the encoder reads",
    min: 4,
    max: Math.min(state.most, longestOf(state)), // there no text is cut; a preset goes to what the encoder reads
    step: 1,
    value: Math.min(START, state.limit),
    whole: true,
    tell: (v) => `${v} pieces`,
  },
  {
    kind: "slider",
    name: "least",
    label: "nearly the same",
    full: "nearly the same: % of their words that two texts have in common",
    min: state.twins[0][0],
    max: 1,
    step: 0.05,
    value: state.twins[0][0],
    tell: (v) => `${kit.fixed(100 * v, 0)} %`,
  },
  ...(state.together === null
    ? [{ kind: "hidden", name: "batch", value: 2 }]
    : [
        {
          kind: "slider",
          name: "batch",
          label: "batch",
          full: "batch: the other rows in it are an anchor's negatives",
          min: 2,
          max: state.batches[state.batches.length - 1],
          scale: "log",
          steps: Math.max(1, state.batches.length - 1),
          value: 128,
          whole: true,
          tell: (v) => `${Math.round(v)} rows`,
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
// A share that halves is seen to; what is nearly nothing or nearly all is not said to be it.
const small = (v) => (v > 0 && kit.printed(v, 2) === 0 ? "< 0.01" : kit.fixed(v, v > 0 && v < 1 ? 2 : 1));
const percent = (v) => (v < 100 && kit.printed(v, 1) === 100 ? "> 99.9 %" : `${small(v)} %`);
const doubled = (values, state) => (100 * values.near) / state.texts;
const shares = [5, 3];

// What may be in the way, of 100 texts or anchors, the most first. `said` goes on after its number.
const faultsOf = (values, { limit, batch }, state) =>
  [
    { of: "cut", size: values.share, said: "of all texts are cut", here: `are longer than ${limit}` },
    {
      of: "twins",
      size: doubled(values, state),
      said: "of the different texts have a near-twin",
      here: "have a near-twin",
    },
    ...(values.expected === null
      ? []
      : [
          {
            of: "meets",
            size: 100 * values.expected,
            said: "false negatives for 100 anchors",
            here: `in a batch of ${batch}`,
          },
        ]),
  ]
    .map((fault) => ({ ...fault, told: fault.of === "meets" ? small(fault.size) : percent(fault.size) }))
    .sort((a, b) => b.size - a.size);

// Where nothing of this is in the way: what most of the rows have.
const flawOf = ({ rows }) => {
  const [what, share] = rows.reduce((most, row) => (row[1] > most[1] ? row : most), ["", 0]);
  return share
    ? `No text is cut, but ${kit.told(percent(share), COST.cut)} are ${kit.escape(what)}`
    : "None of this spoils the data";
};

// What the limit cuts, and where something else is more, that too: shares and counts are not one measure of harm.
const lead = (values, chosen, state) => {
  const faults = faultsOf(values, chosen, state),
    [worst] = faults,
    number = ({ of, told }) => kit.told(told, COST[of]),
    cut = faults.find(({ of }) => of === "cut"),
    start = `A limit of ${chosen.limit} word pieces cuts ${number(cut)} of all texts`;
  if (!worst.size) return flawOf(state);
  if (worst === cut) return start;
  return worst.of === "twins"
    ? `${start}; ${number(worst)} of the different ones have a near-twin`
    : `${start}; 100 anchors meet ${number(worst)} false negatives`;
};

// The number of the chart of lengths stands large in it, where its bars leave room.
const large = ({ told, here, of }, x, y, anchor) =>
  kit.text(x, y, told, anchor, `class="kit-big kit-halo" style="fill:${kit.ink(COST[of])}"`) +
  kit.text(x, y + 20, here, anchor, 'class="kit-halo"');

const RIM = 14, // pixels of the chart of lengths: right of its axis,
  ASIDE = 14, // between the line of the limit and the number,
  LARGE = 150; // and of the number itself

// A bar is a length, or several where texts are long; what is not read is coloured. Both roles are counted.
const lengths = (fault, values, state, { limit }, box) => {
  const counts = Object.values(state.lengths).flat(),
    all = sum(counts.map(([, count]) => count)),
    edge = edgeOf(state),
    wide = Math.ceil(edge / 48),
    share = (from, to) => (100 * sum(counts.filter(([n]) => n > from && n <= to).map(([, count]) => count))) / all;
  const bars = Array.from({ length: Math.ceil(edge / wide) }, (_, i) => {
    const [from, to] = [i * wide, (i + 1) * wide],
      split = Math.min(Math.max(limit, from), to);
    return { from, to, read: share(from, split), lost: share(split, to) };
  });
  const high = Math.max(...bars.map(({ read, lost }) => read + lost));
  const bar = (px, py) => (one) => {
    const x = px(one.from + 0.5) + 0.5,
      w = px(one.to + 0.5) - x - 0.5,
      top = py(one.read + one.lost);
    return (
      kit.rect(x, py(one.read), w, py(0) - py(one.read), `fill="${kit.COLOURS.neutral}"`) +
      kit.rect(x, top, w, py(one.read) - top, `fill="${COST.cut}"`)
    );
  };
  // The number stands beside the line of the limit, where there is room for it.
  const beyond = limit > edge,
    at = beyond ? edge + 0.5 : limit + 0.5,
    right = box.width - RIM;
  const number = (px, py) => {
    const [x, y] = [px(at), py(1.3 * high) + 34];
    if (x + ASIDE + LARGE < right) return large(fault, x + ASIDE, y, "start");
    return large(fault, beyond ? right : x - ASIDE, y, "end");
  };
  // A limit beyond the chart has no line in it, but is told at its edge.
  const far = (px, py) => (beyond ? kit.text(right, py(1.3 * high) - 12, `limit ${limit} →`, "end", kit.SMALL) : "");
  return kit.lines({
    ...box,
    right: RIM,
    x: "word pieces a text, with [CLS] and [SEP]",
    y: `% of all texts${wide > 1 ? ` in ${wide} lengths` : " at each length"}`,
    xmin: 0,
    xmax: edge + 0.5,
    ymin: 0,
    ymax: 1.3 * high,
    marker: beyond ? undefined : at,
    series: [],
    under: (px, py) => bars.map(bar(px, py)).join(""),
    over: (px, py) => far(px, py) + (fault.size ? number(px, py) : ""),
  });
};

const twins = (values, state, { least }, box) => {
  const points = state.twins.map(([at, texts]) => [100 * at, (100 * texts) / state.texts]),
    high = Math.max(0.01, 1.1 * points[0][1]);
  return kit.lines({
    ...box,
    x: "words in common, %",
    y: "% of the different texts with a twin so near",
    xmin: points[0][0],
    xmax: 100,
    ymin: 0,
    ymax: high,
    marker: 100 * least,
    series: [{ name: "twins", colour: COST.twins, points, area: true }],
  });
};

// A straight line: the axis of the batch is no logarithm.
const falseOnes = (values, state, { batch }, box) => {
  const points = [[1, 0], ...values.curve].map(([n, expected]) => [n, 100 * expected]),
    high = 1.1 * Math.max(0.01, points[points.length - 1][1]);
  return kit.lines({
    ...box,
    x: "rows in a batch",
    y: "false negatives that 100 anchors meet",
    xmin: 1,
    xmax: points[points.length - 1][0],
    ymin: 0,
    ymax: high,
    marker: batch,
    right: 20,
    series: [{ name: "false negatives", colour: COST.meets, points, area: true }],
  });
};

const classes = (state, width) =>
  kit.bars({
    title: "Classes, % of the rows",
    width,
    horizontal: true,
    above: true,
    digits: 1,
    min: 0,
    max: 100,
    labels: state.classes.map(([name]) => name),
    values: state.classes.map(([, share]) => share),
  });

// Every chart keeps its place, whatever is worst: what one moves stays where it was.
const draw = (values, chosen, state) => {
  const faults = faultsOf(values, chosen, state).filter(({ of }) => of !== "meets" || values.curve.length > 1),
    { first, second } = kit.room,
    named = Object.fromEntries(faults.map((one) => [one.of, one]));
  const beside = (one, chart) =>
    one ? chart(values, state, chosen, { width: second, height: 156, title: `${one.told} ${one.said}` }) : "";
  return [
    lengths(named.cut, values, state, chosen, { width: first, height: 380 }),
    `<div>${beside(named.twins, twins)}${beside(named.meets, falseOnes)}` +
      `${state.classes.length ? classes(state, second) : ""}</div>`,
  ];
};

// What is less in the way, and what the rows themselves have.
const brief = (values, chosen, state) => {
  const rows = state.rows.map(([what, share]) => (share ? `${percent(share)} ${what}` : `no ${what}`));
  const byRole = Object.entries(values.cut).map(
    ([role, count]) => `${kit.escape(role)} ${percent((100 * count) / sum(state.lengths[role].map(([, n]) => n)))}`,
  );
  return (
    `Cut, by column: ${byRole.join(", ")}.` +
    (rows.length ? ` Also: ${kit.escape(rows.join(", "))}. A near-twin is a text much like another.` : "")
  );
};

const summary = (values, { limit, least, batch }, state) => {
  const cut = Object.entries(values.cut).map(([role, count]) => `${role} ${count}`);
  const shares = [
    ["Of the rows", state.rows, percent],
    ["Classes", state.classes, (v) => `${kit.fixed(v, 1)} %`], // as at their bars
  ];
  return (
    `${state.name}: ${state.count} ${state.kind}. An encoder that reads ${limit} word pieces cuts ` +
    `${percent(values.share)} of all texts, repeated ones too (${cut.join(", ")}), and leaves ` +
    `${percent(values.lost)} of all word pieces unread. ${values.near} of ${state.texts} different texts have ` +
    `another with a Jaccard similarity of ${kit.fixed(least, 2)} or more.` +
    (values.expected === null
      ? ""
      : ` In a batch of ${batch}, 100 anchors with ${batch - 1} negative${batch > 2 ? "s" : ""} each meet, ` +
        "all together, " +
        `${small(100 * values.expected)} that belong to them.`) +
    shares
      .filter(([, told]) => told.length)
      .map(([name, told, say]) => ` ${name}: ${told.map(([what, v]) => `${what} ${say(v)}`).join(", ")}.`)
      .join("")
  );
};
