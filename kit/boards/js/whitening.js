// Whitening, dimension by dimension: how many directions to keep, and what to fit on.
// state: {label, pairs, dims [m], curves: {fit: {repair: {sts [m], mean_cosine [m], effective_rank [m],
//         variances [rank]}}}, raw: {sts, mean_cosine, effective_rank, variances [rank]}}
// The same in Python: whitening_values in kit/boards/whitening_widget.py.

const REPAIRS = ["whitened", "centred and turned"];

const controls = (state) => {
  const { dims, curves } = state,
    step = dims[0],
    last = dims[dims.length - 1];
  return [
    { kind: "slider", name: "dim", label: "directions kept", min: step, max: last, step, value: last },
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

const draw = (values, { repair, fitted }, state) => {
  const { before, after, contrast, neutral } = kit.COLOURS,
    { dims, raw, curves } = state,
    last = dims[dims.length - 1];
  const curve = (name) => dims.map((k, i) => [k, curves[fitted][name].sts[i]]);
  const all = Object.values(curves).flatMap((of) => REPAIRS.flatMap((name) => of[name].sts));
  const low = Math.min(0, ...all);
  const shared = { x: "directions kept", marker: values.dim, xmin: 0, xmax: last };
  const hue = { [REPAIRS[0]]: after, [REPAIRS[1]]: contrast };
  return [
    kit.lines({
      ...shared,
      title: `agreement with people, fitted on ${fitted}`,
      y: "STS (Spearman × 100)",
      ymin: low,
      ymax: low + 1.45 * (Math.max(raw.sts, ...all) - low),
      ygrid: 1.02 * Math.max(raw.sts, ...all),
      series: [
        ...REPAIRS.map((name) => ({ name, colour: hue[name], points: curve(name) })),
        {
          name: "raw, all directions",
          colour: before,
          points: [
            [0, raw.sts],
            [last, raw.sts],
          ],
        },
      ],
    }),
    kit.lines({
      ...shared,
      title: "where the variance is",
      y: "share of the variance",
      ymin: 0,
      ymax: 1.45,
      ygrid: 1,
      x: "the first so many directions",
      series: [
        { name: repair, colour: hue[repair], points: values.cumulative.map((v, k) => [k, v]) },
        { name: "raw, its own strongest first", colour: before, points: sums(raw.variances).map((v, k) => [k, v]) },
        {
          name: "all alike",
          colour: neutral,
          points: [
            [0, 0],
            [last, 1],
          ],
        },
      ],
    }),
    kit.table({
      title: `${state.pairs} pairs of ${state.label}`,
      head: ["", "raw", `${repair}, ${values.dim} kept`],
      rows: [
        ["STS (Spearman × 100)", kit.fixed(raw.sts, 1), kit.fixed(values.sts, 1)],
        ["mean cosine", kit.fixed(raw.mean_cosine, 3), kit.fixed(values.mean_cosine, 3)],
        ["effective rank", kit.fixed(raw.effective_rank, 1), kit.fixed(values.effective_rank, 1)],
        [`share of the variance in ${values.dim}`, kit.fixed(values.raw), kit.fixed(values.kept)],
      ],
    }),
  ];
};

const summary = (values, { repair, fitted }, { raw, pairs, label }) =>
  `${repair[0].toUpperCase()}${repair.slice(1)} to ${values.dim} direction${values.dim === 1 ? "" : "s"}, ` +
  `fitted on ${fitted}: STS ` +
  `${kit.fixed(values.sts, 1)} (raw ${kit.fixed(raw.sts, 1)}), ` +
  `mean cosine ${kit.fixed(values.mean_cosine, 3)} (raw ${kit.fixed(raw.mean_cosine, 3)}), effective rank ` +
  `${kit.fixed(values.effective_rank, 1)}. This curve is highest at ${values.best[0]} directions, with ` +
  `${kit.fixed(values.best[1], 1)}. ` +
  `Measured on ${pairs} pairs of ${label}.`;
