// The weight of the PU risk, (t/T)^α: over the whole run, and with t reset in every epoch.
// state: {ticks}. The same in Python: annealing_values in kit/boards/annealing_widget.py.

const controls = () => [
  { kind: "slider", name: "alpha", label: "α", min: 0, max: 6, step: 0.5, value: 3 },
  { kind: "slider", name: "epochs", label: "epochs", min: 1, max: 5, step: 1, value: 2 },
  { kind: "slider", name: "done", label: "steps done", min: 0, max: 1, step: 0.05, value: 0.5 },
];

const compute = ({ ticks }, { alpha, epochs, done }) => {
  const weight = (t) => (t / ticks) ** alpha;
  const average = (curve) => curve.reduce((sum, point) => sum + point[1], 0) / curve.length;
  const places = Array.from({ length: ticks + 1 }, (_, i) => i);
  const began = (i) => (Math.min(Math.floor((i * epochs) / ticks), epochs - 1) * ticks) / epochs;
  const whole = places.map((i) => [i / ticks, weight(i)]),
    reset = places.map((i) => [i / ticks, weight(i - began(i))]);
  const at = Math.round(done * ticks);
  return {
    whole,
    reset,
    now: whole[at][1],
    now_reset: reset[at][1],
    highest: epochs ** -alpha,
    average: average(whole),
    average_reset: average(reset),
  };
};

const draw = (values, { done }) => [
  kit.lines({
    title: "weight of the PU risk",
    x: "share of the steps done, t/T",
    y: "weight",
    ymin: 0,
    ymax: 1.25,
    marker: done,
    series: [
      { name: "(t/T)^α", colour: kit.COLOURS.after, points: values.whole },
      { name: "reset in every epoch", colour: kit.COLOURS.negative, points: values.reset },
    ],
    height: 300,
  }),
  kit.bars({
    title: "averaged over the run",
    x: "annealing",
    y: "mean weight",
    labels: ["(t/T)^α", "reset"],
    digits: 4,
    values: [values.average, values.average_reset],
    colours: [kit.COLOURS.after, kit.COLOURS.negative],
    min: 0,
    max: 1,
    height: 300,
  }),
];

const summary = (values, { alpha, epochs, done }) =>
  `α ${kit.fixed(alpha, 1)}, ${epochs} epochs, ${kit.fixed(100 * done, 0)}% of the steps done: the PU risk weighs ` +
  `${kit.fixed(values.now, 3)}, and ${kit.fixed(values.average, 3)} on average over the run. Reset in every ` +
  `epoch it weighs ` +
  `${kit.fixed(values.now_reset, 3)} here, never more than ${kit.fixed(values.highest, 3)}, and ` +
  `${kit.fixed(values.average_reset, 4)} on average.`;
