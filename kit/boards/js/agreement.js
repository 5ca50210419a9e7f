// Ranks and numbers, many pairs and few: what a correlation of cosines and gold scores depends on.
// state: {cosines [n], gold [n], label}
// The same in Python: agreement_values in kit/boards/agreement_widget.py, with the same random numbers.

const RESAMPLES = 200,
  LEAST = 20,
  FULL = 5,
  HALF = 2.5;
const GOLD = ["as given", "whole numbers", "yes or no"];
const POWERS = Array.from({ length: 21 }, (_, step) => Number((10 ** ((step - 10) / 10)).toFixed(6)));

const title = "Agreement: ranks and numbers, many pairs and few";
const shares = [3, 2];

const controls = (state) => [
  toTry(
    { "as they are": { power: 1 }, "squeezed: power 0.1": { power: 0.1 }, "bent: power 10": { power: 10 } },
    { label: "powers to try" },
  ),
  {
    kind: "slider",
    name: "power",
    label: "power",
    full: "power that bends the cosines",
    min: 0.1,
    max: 10,
    scale: "log",
    steps: 40,
    value: 10,
  },
  {
    kind: "slider",
    name: "pairs",
    label: "pairs",
    full: "number of sentence pairs",
    min: LEAST,
    max: state.gold.length,
    step: 10,
    value: Math.min(100, state.gold.length),
  },
  { kind: "choice", name: "gold", label: "gold scores", options: GOLD, value: GOLD[0] },
];

// Ettinger's mulberry32, public domain: random numbers that Python can reproduce.
const mulberry32 = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), seed | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
};

const resamples = (count) => {
  const random = mulberry32(1);
  return Array.from({ length: RESAMPLES }, () => {
    const weights = new Array(count).fill(0);
    for (let i = 0; i < count; i++) weights[Math.floor(random() * count)] += 1;
    return weights;
  });
};

const sum = (values, of) => {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += of(i);
  return total;
};

const correlation = (x, y, weights) => {
  const total = sum(weights, (i) => weights[i]);
  const mx = sum(x, (i) => weights[i] * x[i]) / total,
    my = sum(y, (i) => weights[i] * y[i]) / total;
  const xy = sum(x, (i) => weights[i] * (x[i] - mx) * (y[i] - my));
  const spread = sum(x, (i) => weights[i] * (x[i] - mx) ** 2) * sum(y, (i) => weights[i] * (y[i] - my) ** 2);
  return spread > 1e-20 ? xy / Math.sqrt(spread) : 0;
};

// Indices in ascending order, ties grouped; sorted once for all resamples.
const groups = (values) => {
  const order = values.map((_, i) => i).sort((a, b) => values[a] - values[b]),
    found = [];
  order.forEach((i, at) =>
    at && values[i] === values[order[at - 1]] ? found[found.length - 1].push(i) : found.push([i]),
  );
  return found;
};

const ranks = (grouped, weights) => {
  const found = new Array(weights.length);
  let before = 0;
  for (const group of grouped) {
    const size = sum(group, (k) => weights[group[k]]);
    for (const i of group) found[i] = before + (size + 1) / 2;
    before += size;
  }
  return found;
};

const quantile = (sorted, share) => {
  const at = share * (sorted.length - 1),
    i = Math.floor(at),
    next = sorted[Math.min(i + 1, sorted.length - 1)];
  return sorted[i] + (at - i) * (next - sorted[i]);
};

const withInterval = (measure, count, draws) => {
  const drawn = draws.map(measure).sort((a, b) => a - b);
  return [measure(new Array(count).fill(1)), quantile(drawn, 0.025), quantile(drawn, 0.975)];
};

const compute = (state, chosen) => {
  const count = Math.min(Math.trunc(chosen.pairs), state.gold.length),
    draws = resamples(count);
  const base = state.cosines.slice(0, count).map((c) => (1 + c) / 2),
    once = new Array(count).fill(1);
  const gold = state.gold
    .slice(0, count)
    .map((v) => (chosen.gold === GOLD[1] ? Math.floor(v + 0.5) : chosen.gold === GOLD[2] ? (v >= HALF ? FULL : 0) : v));
  const changed = base.map((v) => v ** chosen.power),
    x = groups(changed),
    y = groups(gold);
  return {
    spearman: withInterval((weights) => correlation(ranks(x, weights), ranks(y, weights), weights), count, draws),
    pearson: withInterval((weights) => correlation(changed, gold, weights), count, draws),
    points: changed.map((v, i) => [v, gold[i]]),
    curve: POWERS.map((power) =>
      correlation(
        base.map((v) => v ** power),
        gold,
        once,
      ),
    ),
  };
};

const motion = ({ points, curve, spearman, pearson }) => ({ points, curve, spearman, pearson });

const THREADS = 60; // at most: of more pairs every second, third … is drawn

// The colour of a gold score, 0 to 5: from one colour to another that is far from it to every sight.
const tint = (gold) =>
  `color-mix(in srgb, ${kit.COLOURS.contrast} ${Math.round((100 * gold) / FULL)}%, ${kit.COLOURS.negative})`;
const goldScale = (y, width) => {
  const step = Math.min(20, (width - 210) / (FULL + 1)); // what the words beside them leave
  return (
    kit.text(0, y + 11, "gold score: 0", "start", kit.SMALL) +
    Array.from({ length: FULL + 1 }, (_, gold) => kit.rect(92 + step * gold, y, step, 13, `fill="${tint(gold)}"`)).join(
      "",
    ) +
    kit.text(98 + step * (FULL + 1), y + 11, "5, alike to people", "start", kit.SMALL)
  );
};

// Each pair twice: its value on the left, its rank on the right, a thread between. Powers bend the left alone.
const ladder = (values) => {
  const width = kit.room.first,
    every = Math.ceil(values.points.length / THREADS),
    drawn = values.points.filter((_, i) => i % every === 0),
    head = kit.heading({ title: "Cosines bend, ranks do not" }, width),
    start = head.height + 22, // under the scale of the colours
    tall = 270,
    [left, right] = [44, width - 90];
  const seen = drawn.map(([x]) => x);
  const order = seen.map((_, i) => i).sort((a, b) => seen[a] - seen[b]),
    rank = [];
  order.forEach((i, at) => {
    rank[i] = at / Math.max(1, order.length - 1);
  });
  const y = (share) => start + 14 + (1 - share) * (tall - 20);
  const thread = ([x, gold], i) => {
    const colour = tint(gold),
      [from, to] = [y(x), y(rank[i])].map(kit.round);
    return (
      `<g data-link="${i * every}"><path class="kit-wire" d="M${left} ${from}L${right} ${to}" stroke="${colour}" ` +
      `stroke-opacity="0.4" fill="none"/><circle cx="${left}" cy="${from}" r="3.5" fill="${colour}"/>` +
      `<circle cx="${right}" cy="${to}" r="3.5" fill="${colour}"/></g>`
    );
  };
  return kit.svg(
    width,
    start + tall + (every > 1 ? 40 : 22),
    "the cosines of the pairs and their ranks",
    head.inside +
      goldScale(head.height, width) +
      [0, 0.5, 1].map((at) => kit.text(left - 8, y(at) + 4, kit.short(at), "end", kit.SMALL)).join("") +
      `<path class="kit-axis" d="M${left} ${kit.round(y(1))}V${kit.round(y(0))}"/>` +
      drawn.map(thread).join("") +
      kit.text(right + 8, y(1) + 4, "highest", "start", kit.SMALL) +
      kit.text(right + 8, y(0) + 4, "lowest", "start", kit.SMALL) +
      kit.text(0, start + tall + 18, "((1 + cos) / 2) ^ power", "start", kit.SMALL) +
      kit.text(right, start + tall + 18, "its rank", "middle", kit.SMALL) +
      (every > 1
        ? kit.text(
            0,
            start + tall + 36,
            `${drawn.length} of ${values.points.length} pairs are drawn`,
            "start",
            kit.SMALL,
          )
        : ""),
  );
};

const inked = (colour) => `class="kit-small kit-halo kit-strong" style="fill:${kit.ink(colour)}"`;
const draw = (values, chosen, state) => {
  const { before, after } = kit.COLOURS,
    flat = values.spearman[0],
    told = [flat, ...values.curve],
    room = 2 / Math.sqrt(values.points.length), // an interval is seldom wider: the axis stays under every power
    lowest = Math.min(...told.map((v) => v - room), values.spearman[1], values.pearson[1]),
    highest = Math.max(...told.map((v) => v + room), values.spearman[2], values.pearson[2]);
  // An interval as a whisker, a little beside its dot so that the two do not cover each other.
  const whisker = (name, colour, aside) => ({
    name: "",
    colour,
    quiet: true,
    points: values[name].slice(1).map((end) => [chosen.power * aside, 100 * end]),
  });
  const figure = (name, colour) => {
    const [value, low, high] = values[name].map((v) => kit.fixed(100 * v, 1));
    return { value, words: `${name[0].toUpperCase()}${name.slice(1)} × 100 (95 %: ${low} to ${high})`, colour };
  };
  return [
    ladder(values),
    kit.figures([figure("spearman", after), figure("pearson", before)]) +
      kit.lines({
        width: kit.room.second,
        title: "Only Pearson depends on the power",
        legend: [],
        x: "power",
        y: "correlation with people × 100; 95 % of draws",
        logx: true,
        xmin: 0.08, // dots and whiskers at both ends stay inside the frame
        xmax: 12.5,
        marker: chosen.power,
        ymin: Math.max(-100, 10 * Math.floor(10 * lowest)),
        ymax: Math.min(100, 10 * Math.ceil(10 * highest)),
        height: 230,
        series: [
          { name: "Spearman", colour: after, points: POWERS.map((p) => [p, 100 * flat]) },
          { name: "Pearson", colour: before, points: POWERS.map((p, i) => [p, 100 * values.curve[i]]) },
          whisker("spearman", after, 0.93),
          whisker("pearson", before, 1.07),
        ],
        // Each name on its side of the other curve, where they begin, or right of the whiskers that stand there.
        over: (px, py) => {
          const above = values.curve[0] > flat,
            x = chosen.power < 0.6 ? px(chosen.power) + 14 : px(0.1) + 8,
            name = (words, v, colour, up) => kit.text(x, py(100 * v) + (up ? -8 : 17), words, "start", inked(colour));
          return name("Pearson", values.curve[0], before, above) + name("Spearman", flat, after, !above);
        },
      }),
  ];
};

// How far Pearson is from where it stands at the power 1, with its sign; null where it is not, as far as is printed.
const movedBy = ({ pearson, curve }) => {
  const said = kit.fixed(100 * (pearson[0] - curve[(POWERS.length - 1) / 2]), 1);
  if (/^−?0\.0$/.test(said)) return null;
  return said.startsWith("−") ? said : `+${said}`;
};

const lead = (values, { power }) => {
  const { before, after } = kit.COLOURS,
    [flat, bent] = [values.spearman, values.pearson].map(([value]) => kit.fixed(100 * value, 1));
  if (Math.abs(power - 1) < 0.01)
    return `As they are: Spearman ${kit.told(flat, after)}, Pearson ${kit.told(bent, before)}`;
  return (
    `Bending the cosines moves Pearson by ${kit.told(movedBy(values) ?? "less than 0.1", before)}, ` +
    `Spearman by ${kit.told("0.0", after)}`
  );
};

// What the power has moved since 1, and how much would be chance with so many pairs.
const brief = (values, { power }) => {
  const { before, after } = kit.COLOURS,
    { points, spearman, pearson } = values,
    by = movedBy(values),
    [wide, wider] = [spearman, pearson].map(([, low, high]) => kit.fixed(50 * (high - low), 0));
  const first =
    Math.abs(power - 1) < 0.01
      ? `As they are, Spearman is ${kit.told(kit.fixed(100 * spearman[0], 1), after)} and Pearson ` +
        `${kit.told(kit.fixed(100 * pearson[0], 1), before)}`
      : `The power ${kit.short(power)} moves Pearson by ${kit.told(by ?? "less than 0.1", before)} and Spearman by ` +
        `${kit.told("0.0", after)}: no rank has changed`;
  return (
    `${first}. With ${points.length} pairs Spearman is known to about ±${kit.told(wide, after)} points, ` +
    `Pearson to ±${kit.told(wider, before)}.`
  );
};

const summary = (values, chosen, state) => {
  const said = ([value, low, high]) =>
    `${kit.fixed(100 * value, 1)} (${kit.fixed(100 * low, 1)} to ${kit.fixed(100 * high, 1)})`;
  return (
    `${values.points.length} pairs of ${state.label}, gold ${chosen.gold}, (1 + cosine) / 2 to the power ` +
    `${Number(chosen.power.toPrecision(2))}: Spearman ${said(values.spearman)}, Pearson ` +
    `${said(values.pearson)}, × 100 with 95 % of ` +
    `${RESAMPLES} bootstrap draws in brackets.`
  );
};
