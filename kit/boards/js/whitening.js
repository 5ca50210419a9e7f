// Whitening, dimension by dimension: how many directions to keep, and what to fit on.
// state: {label, pairs, dims [m], curves: {fit: {repair: {sts [m], mean_cosine [m], effective_rank [m],
//         variances [rank]}}}, raw: {sts, mean_cosine, effective_rank, variances [rank]}}
// The same in Python: whitening_values in kit/boards/whitening_widget.py.

const title = "Whitening: how many directions to keep";
const REPAIRS = ["whitened", "centred and turned"];
// The colour of a repair: that which "whitened" has in the heat board, where blue is the trained space.
const hueOf = (repair) => kit.COLOURS[repair === REPAIRS[0] ? "classify" : "negative"];

const controls = (state) => {
  const { dims, curves } = state,
    step = dims[0],
    last = dims[dims.length - 1],
    { sts } = Object.values(curves)[0][REPAIRS[0]],
    value = dims[argbest(sts, (a, b) => a > b)],
    keep = (dim) => ({ dim, repair: REPAIRS[0], fitted: Object.keys(curves)[0] }); // of which `value` is the best
  return [
    toTry(
      { "too few": keep(step), "the best number": keep(value), "all of them": keep(last) },
      { label: "how many directions to keep" },
    ),
    { kind: "slider", name: "dim", label: "directions kept", min: step, max: last, step, value },
    { kind: "choice", name: "repair", label: "repair", options: REPAIRS, value: REPAIRS[0] },
    { kind: "choice", name: "fitted", label: "fitted on", options: Object.keys(curves), value: Object.keys(curves)[0] },
  ];
};

const argbest = (values, better) => values.reduce((best, v, i) => (better(v, values[best]) ? i : best), 0);

const compute = (state, chosen) => {
  const curve = state.curves[chosen.fitted][chosen.repair],
    { dims } = state;
  const at = argbest(
      dims.map((k) => Math.abs(k - chosen.dim)),
      (a, b) => a < b,
    ),
    best = argbest(curve.sts, (a, b) => a > b);
  const cumulative = sums(curve.variances);
  return {
    dim: dims[at],
    sts: curve.sts[at],
    mean_cosine: curve.mean_cosine[at],
    effective_rank: curve.effective_rank[at],
    best: [dims[best], curve.sts[best]],
    kept: cumulative[dims[at]],
    raw: sums(state.raw.variances)[dims[at]],
    cumulative,
    gain: curve.sts[at] - state.raw.sts,
  };
};

const sums = (values) => values.reduce((all, v) => [...all, all[all.length - 1] + v], [0]);

// The measured spreads along the strongest direction and along the last that is kept.
const motion = (values, { repair, fitted }, state) => ({
  spreads: spreadsOf(state.curves[fitted][repair].variances, values.dim),
  raws: spreadsOf(state.raw.variances, values.dim),
});
const spreadsOf = (variances, dim) => {
  const [first, last] = [variances[0], dim > 1 ? variances[dim - 1] : 0].map((v) => Math.sqrt(Math.max(v, 0)));
  const mean = Math.sqrt(variances.reduce((sum, v) => sum + v, 0) / variances.length) || 1;
  return [first / mean, last / mean];
};

// 150 dots spread evenly over a normal cloud: their places are drawn, their spread along each axis is measured.
const DOTS = Array.from({ length: 150 }, (_, i) => {
  const radius = Math.sqrt(-2 * Math.log(1 - (i + 0.5) / 150)),
    angle = i * 2.399963;
  return [radius * Math.cos(angle), radius * Math.sin(angle)];
});

const shapeOf = ([across, up]) => {
  const times = across / Math.max(up, 1e-9);
  if (up <= 0.05 * across) return "flat";
  if (times > 0.8 && times < 1.25) return "nearly round";
  return times > 1
    ? `${kit.fixed(times, 1)} times as wide as high`
    : `${kit.fixed(1 / times, 1)} times as high as wide`;
};

// Raw and repaired beside each other, each as large as its place lets it be: what is to be seen is the shape. The ring
// is what a round cloud would fill.
const cloud = ({ spreads, raws, dim }, { repair }) => {
  const width = kit.room.column,
    { before } = kit.COLOURS,
    hue = hueOf(repair),
    title = dim > 1 ? `Raw is ${shapeOf(raws)}, ${repair} ${shapeOf(spreads)}` : "One direction is kept: a line",
    head = kit.heading({ title }, width),
    radius = Math.min(width / 4 - 8, 120),
    cy = head.height + radius + 6,
    foot = cy + radius + 22,
    axes = kit.wrapped("→ strongest direction; ↑ last kept; dashed: round", width - 4, kit.SLIGHT);
  const one = (name, cx, [across, up], colour, look) => {
    const unit = radius / (3.4 * Math.max(across, up, 1e-9)); // the farthest dot has 3.38
    const dots = DOTS.map(([x, y]) => [cx + unit * across * x, cy - unit * up * y].map(kit.round));
    return (
      `<circle cx="${cx}" cy="${cy}" r="${radius}" fill="none" stroke="${colour}" stroke-dasharray="4 4"/>` +
      dots.map(([x, y]) => `<circle cx="${x}" cy="${y}" r="2.8" ${look}/>`).join("") +
      kit.text(cx, foot, name, "middle", 'class="kit-strong"')
    );
  };
  return kit.svg(
    width,
    foot + 12 + kit.LINE * axes.length,
    "the cloud of vectors, before and after",
    head.inside +
      one("raw", width / 4, raws, before, `fill="none" stroke="${before}" stroke-width="1.3"`) +
      one(repair, (3 * width) / 4, spreads, hue, `fill="${hue}" fill-opacity="0.75"`) +
      kit.paragraph(width / 2, foot + 22, axes, "middle"),
  );
};

const BEST = 'class="kit-small kit-halo"';
const draw = (values, { repair, fitted }, state) => {
  const { before } = kit.COLOURS,
    { dims, raw, curves } = state,
    last = dims[dims.length - 1];
  const curve = (name) => dims.map((k, i) => [k, curves[fitted][name].sts[i]]);
  const all = Object.values(curves).flatMap((of) => REPAIRS.flatMap((name) => of[name].sts));
  const lowest = Math.min(0, ...all);
  const level = [
    [0, raw.sts],
    [last, raw.sts],
  ];
  const spread = { ...motion(values, { repair, fitted }, state), ...values };
  return [
    cloud(spread, { repair }),
    kit.lines({
      title: `${repair[0].toUpperCase()}${repair.slice(1)}: best with ${values.best[0]} of ${last} directions`,
      x: "directions kept",
      y: "STS (Spearman × 100)",
      marker: values.dim,
      xmin: 0,
      xmax: last,
      ymin: lowest,
      over: (px, py) => {
        const [x, y] = [px(values.best[0]), py(values.best[1])].map(kit.round),
          many = kit.room.columns < 2 ? "" : ` at ${values.best[0]}`, // the title says it as well
          words = `best ${kit.fixed(values.best[1], 1)}${many}`,
          long = 7 * words.length + 10,
          free = [-long, 0].map(
            (at) => Math.abs(px(values.dim) - x - at - long / 2) > long / 2 + 2 || px(values.dim) === x,
          ),
          left = x + long > px(last) || (!free[1] && free[0] && x - long > px(0)); // away from the dashed cursor
        return (
          kit.SHAPES.ring(x, y, hueOf(repair)) +
          kit.text(x + (left ? -10 : 10), y - 10, words, left ? "end" : "start", BEST)
        );
      },
      ymax: Math.max(raw.sts, ...all) + 12, // room for the name of the best under the axis’ title
      height: 300,
      series: [
        ...REPAIRS.map((name) => ({
          name,
          colour: hueOf(name),
          dash: name === repair ? "" : "5 4",
          quiet: name !== repair,
          points: curve(name),
        })),
        { name: "raw, all directions", colour: before, points: level, quiet: true },
      ],
    }),
  ];
};

const lead = ({ dim, sts, gain }, { repair }, { raw }) => {
  const { before } = kit.COLOURS,
    told = (v, colour) => kit.told(kit.fixed(v, 1), colour),
    moved =
      kit.fixed(sts, 1) === kit.fixed(raw.sts, 1)
        ? "stays at"
        : `${gain > 0 ? "rises" : "falls"} from ${told(raw.sts, before)} to`;
  return (
    `${repair[0].toUpperCase()}${repair.slice(1)} to ${dim} direction${dim === 1 ? "" : "s"}, STS ` +
    `${moved} ${told(sts, hueOf(repair))}`
  );
};

// Where the curve is highest, from here; what is compared is what is printed.
const besideBest = ({ dim, sts, best: [most, highest] }, { raw }) => {
  const [here, top, level] = [sts, highest, raw.sts].map((v) => kit.printed(v, 1));
  if (here < top) return `, ${kit.fixed(top - here, 1)} less than with ${most}`;
  if (dim !== most) return `, as much as with ${most}, its best`;
  return sts > raw.sts ? ", the best" : here < level ? ", its best, and below raw" : ", its best, and no more than raw";
};

const brief = (values, { repair }, state) => {
  const { before } = kit.COLOURS,
    { raw, pairs, label } = state,
    hue = hueOf(repair);
  return (
    `${repair[0].toUpperCase()}${repair.slice(1)}, ${values.dim} kept: mean cosine ` +
    `${kit.told(kit.fixed(raw.mean_cosine), before)} → ${kit.told(kit.fixed(values.mean_cosine), hue)}, STS ` +
    `${kit.told(kit.fixed(raw.sts, 1), before)} → ${kit.told(kit.fixed(values.sts, 1), hue)}` +
    `${besideBest(values, state)}. ` +
    `<small>${pairs} pairs of ${kit.escape(label)}. The dots are an example; how far they spread is measured.</small>`
  );
};

const summary = (values, { repair, fitted }, { raw, pairs, label }) =>
  `${repair[0].toUpperCase()}${repair.slice(1)} to ${values.dim} direction${values.dim === 1 ? "" : "s"}, ` +
  `fitted on ${fitted}: STS ` +
  `${kit.fixed(values.sts, 1)} (raw ${kit.fixed(raw.sts, 1)}), ` +
  `mean cosine ${kit.fixed(values.mean_cosine, 3)} (raw ${kit.fixed(raw.mean_cosine, 3)}), effective rank ` +
  `${kit.fixed(values.effective_rank, 1)}. This curve is highest at ${values.best[0]} directions, with ` +
  `${kit.fixed(values.best[1], 1)}. ` +
  `Measured on ${pairs} pairs of ${label}.`;
