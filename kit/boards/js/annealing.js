// The weight of the PU risk, (t/T)^α: over the whole run, and with t reset in every epoch.
// state: {ticks}. The same in Python: annealing_values in kit/boards/annealing_widget.py.

const title = "Annealing: when the PU risk comes in";

const controls = () => [
  {
    kind: "presets",
    name: "presets",
    label: "settings to try",
    options: {
      "the paper’s α 3": { alpha: 3 },
      "at once: α 0": { alpha: 0 },
      "linearly: α 1": { alpha: 1 },
    },
  },
  { kind: "slider", name: "alpha", label: "α", full: "exponent α", min: 0, max: 6, step: 0.5, value: 3 },
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

const motion = ({ whole, reset }) => ({ whole, reset });

const draw = (values, { done }) => [
  kit.wide(
    kit.lines({
      width: kit.room.width,
      title: "Weight of the PU risk: the shaded area is what the run sees of it",
      x: "share of the steps done, t/T",
      y: "weight",
      xmin: 0,
      xmax: 1,
      ymin: 0,
      ymax: 1,
      marker: done,
      height: 320,
      series: [
        { name: "(t/T)^α over the whole run", colour: kit.COLOURS.after, points: values.whole, area: true },
        { name: "reset in every epoch", colour: kit.COLOURS.negative, points: values.reset, area: true },
      ],
    }),
  ),
];

const brief = (values, { done }) => {
  const { after, negative } = kit.COLOURS;
  return (
    `With ${kit.fixed(100 * done, 0)} % of the steps done the risk weighs ` +
    `${kit.told(kit.fixed(values.now, 3), after)}, on average ${kit.told(kit.fixed(values.average, 3), after)}; ` +
    `reset in every epoch ${kit.told(kit.fixed(values.now_reset, 3), negative)} and ` +
    `${kit.told(kit.fixed(values.average_reset, 4), negative)}, never more than ${kit.fixed(values.highest, 3)}.`
  );
};

const summary = (values, { alpha, epochs, done }) =>
  `α ${kit.fixed(alpha, 1)}, ${epochs} epochs, ${kit.fixed(100 * done, 0)}% of the steps done: the PU risk weighs ` +
  `${kit.fixed(values.now, 3)}, and ${kit.fixed(values.average, 3)} on average over the run. Reset in every ` +
  `epoch it weighs ` +
  `${kit.fixed(values.now_reset, 3)} here, never more than ${kit.fixed(values.highest, 3)}, and ` +
  `${kit.fixed(values.average_reset, 4)} on average.`;
