// The weight of the PU risk, (t/T)^α: over the whole run, and with t reset in every epoch.
// state: {ticks}. The same in Python: annealing_values in kit/boards/annealing_widget.py.

const title = "Annealing: when the PU risk comes in";

const controls = () => [
  toTry({
    "the paper’s α 3": { alpha: 3 },
    "at once: α 0": { alpha: 0 },
    "linearly: α 1": { alpha: 1 },
  }),
  { kind: "slider", name: "alpha", label: "α", full: "exponent α", min: 0, max: 6, step: 0.5, value: 3 },
  { kind: "slider", name: "epochs", label: "epochs", min: 1, max: 5, step: 1, value: 2 },
  {
    kind: "slider",
    name: "done",
    label: "steps done",
    min: 0,
    max: 1,
    step: 0.05,
    value: 0.5,
    tell: (v) => `${kit.fixed(100 * v, 0)} %`,
  },
];

const compute = ({ ticks }, { alpha, epochs, done }) => {
  const weight = (t) => (t / ticks) ** alpha;
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
    average: 1 / (alpha + 1), // ∫ (t/T)^α
    average_reset: epochs ** -alpha / (alpha + 1),
  };
};

const motion = (values, { alpha }) => ({ alpha }); // both curves glide with it

const GHOSTS = [0, 1, 3]; // other exponents, to compare

// With t reset the weight falls from its highest to 0 at once: two points at one place.
const falling = (points, highest) =>
  points.flatMap((point, i) => (i && point[1] < points[i - 1][1] ? [[point[0], highest], point] : [point]));

const pathOf = (points, px, py) => points.map(([x, y]) => `${kit.round(px(x))} ${kit.round(py(y))}`).join("L");
const areaOf = (points, px, py, look) =>
  `<path d="M${px(0)} ${py(0)}L${pathOf(points, px, py)}L${px(1)} ${py(0)}Z" ${look}/>`;

// The curves of other exponents, and both areas: what the reset leaves lies on the page's own colour, unmixed.
const background = (whole, lower, alpha, compared) => (px, py) => {
  const { after, negative, neutral } = kit.COLOURS;
  const ghosts = (compared ? GHOSTS : [])
    .filter((other) => Math.abs(other - alpha) > 0.2)
    .map((other) => {
      const points = Array.from({ length: 41 }, (_, i) => [i / 40, (i / 40) ** other]),
        [x, y] = [0.3, 0.3 ** other];
      return (
        `<path d="M${pathOf(points, px, py)}" fill="none" stroke="${neutral}" stroke-dasharray="2 4"/>` +
        kit.text(px(x) - 5, py(y) + (other ? -5 : 16), `α ${other}`, "end", 'class="kit-small kit-halo"')
      );
    });
  return (
    areaOf(whole, px, py, `fill="${after}" fill-opacity="0.2"`) +
    (lower
      ? areaOf(lower, px, py, 'class="kit-plain"') + areaOf(lower, px, py, `fill="${negative}" fill-opacity="0.35"`)
      : "") +
    ghosts.join("")
  );
};

// A reset weight that stays below this is shown a second time, as high as the chart lets it be, on a card of its own.
// The card's edges lie between two places of the slider, above the curve of the whole run.
const TINY = 0.1,
  CARD = { from: 0.025, to: 0.475, top: 0.95, foot: 0.37 };
const magnified = (lower, highest, done) => (px, py) => {
  const { negative } = kit.COLOURS,
    [edge, end, above, below] = [px(CARD.from), px(CARD.to), py(CARD.top), py(CARD.foot)],
    [left, right, top, foot] = [edge + 50, end - 14, above + 32, below - 22],
    x = (t) => left + t * (right - left),
    y = (weight) => foot - (weight / highest) * (foot - top),
    tick = (at, down, words, anchor) => kit.text(at, down, words, anchor, kit.SMALL);
  return (
    kit.rect(edge, above, end - edge, below - above, 'rx="4" class="kit-plain"') +
    kit.rect(edge, above, end - edge, below - above, 'rx="4" class="kit-token"') +
    kit.text(
      edge + 8,
      above + 18,
      end - edge > 250 ? "t reset in every epoch, enlarged" : "reset, enlarged",
      "start",
      haloed(negative),
    ) +
    areaOf(lower, x, y, `fill="${negative}" fill-opacity="0.35" stroke="${negative}" stroke-width="2"`) +
    `<path class="kit-axis" d="M${kit.round(left)} ${kit.round(top)}V${kit.round(foot)}H${kit.round(right)}" ` +
    `fill="none"/><path class="kit-marker" d="M${kit.round(x(done))} ${kit.round(top)}V${kit.round(foot)}"/>` +
    tick(left - 5, top + 5, percent(highest), "end") +
    tick(left - 5, foot + 4, "0", "end") +
    tick(left, foot + 16, "0", "middle") +
    tick(right, foot + 16, "1", "middle")
  );
};

const haloed = (colour) => `class="kit-halo" style="fill:${kit.ink(colour)};font-weight:600"`;
const percent = (share) =>
  share > 0 && share < 0.00005
    ? "< 0.01 %"
    : `${kit.fixed(100 * share, share > 0 && share < 0.2 ? (share < 0.001 ? 2 : 1) : 0)} %`;

const lead = ({ average, average_reset, alpha: drawn }, { alpha, epochs }) => {
  if ((drawn ?? alpha) === 0)
    return "The PU risk, on labelled and unlabelled pairs, has its full weight from the first step";
  const times = average / average_reset,
    told = times < 1000 ? kit.short(times) : kit.thousands(times);
  return epochs > 1 && times > 1.05
    ? `Reset in every epoch, the PU risk counts ${kit.told(told, kit.COLOURS.negative)} times less`
    : "The PU risk, on labelled and unlabelled pairs, comes in gradually";
};

const draw = (values, chosen, state) => {
  const alpha = values.alpha ?? chosen.alpha,
    { whole, reset, highest, average, average_reset } = compute(state, { ...chosen, alpha }),
    { after, negative } = kit.COLOURS,
    lower = chosen.epochs === 1 || alpha === 0 ? null : falling(reset, highest),
    tiny = lower !== null && highest < TINY;
  // Both names stand at the end, inside the area of the curve that they name where it has room, short on a phone.
  const short = kit.room.columns === 1,
    under = (py) => Math.max(py(highest) - 8, py(1) + 36),
    between = (py) =>
      lower ? Math.max(Math.min(py(Math.max(0.3, highest + 0.16)), under(py) - 18), py(1) + 14) : py(0.3);
  // Where the curve is too steep for that, the name of the whole run stands left of it.
  const wholeNamed = (px, py) => {
    const words = short ? "whole run" : "over the whole run",
      begins = 1 - (6 + 7 * words.length) / (px(1) - px(0)),
      steep = lower && begins ** alpha < 0.4,
      [x, y] = steep ? [px(0.6 ** (1 / alpha)) - 8, py(0.6)] : [px(1) - 6, between(py)];
    return kit.text(x, y, words, "end", haloed(after));
  };
  const named = (px, py) =>
    wholeNamed(px, py) +
    kit.text(
      px(1) - 6,
      lower ? under(py) : between(py) + 18,
      lower ? (short ? "reset" : "t reset in every epoch") : "reset: the same",
      "end",
      haloed(negative),
    );
  return [
    kit.wide(
      kit.figures([
        { value: percent(average), words: "of its full weight, on average over the run", colour: after },
        { value: percent(average_reset), words: "on average, with t reset in every epoch", colour: negative },
      ]),
    ),
    kit.wide(
      kit.lines({
        width: kit.room.width,
        x: "share of the steps done, t/T",
        y: "weight of the PU risk",
        xmin: 0,
        xmax: 1,
        ymin: 0,
        ymax: 1,
        marker: chosen.done,
        height: 290,
        legend: [],
        series: [
          { colour: after, points: whole },
          ...(lower ? [{ colour: negative, points: lower, quiet: true }] : []),
        ],
        under: background(whole, lower, alpha, !tiny),
        // Where t is just reset the curve falls: the dot stands where the sentence says.
        over: (px, py) =>
          named(px, py) +
          (tiny ? magnified(lower, highest, chosen.done)(px, py) : "") +
          (lower
            ? `<circle cx="${kit.round(px(chosen.done))}" cy="${kit.round(py(values.now_reset))}" r="4.5" ` +
              `fill="${negative}"/>`
            : ""),
      }),
    ),
  ];
};

const brief = (values, { done, epochs }) => {
  const { after, negative } = kit.COLOURS,
    told = (share, colour) => kit.told(percent(share), colour),
    times = values.average / values.average_reset;
  return (
    `With ${kit.fixed(100 * done, 0)} % of the steps done the PU risk has ${told(values.now, after)} of its full ` +
    `weight, reset ${told(values.now_reset, negative)}. ` +
    (times > 1.05
      ? `Begun anew in each of ${epochs} epochs, it averages ${told(values.average_reset, negative)} instead of ` +
        `${told(values.average, after)}.`
      : `On average it has ${told(values.average, after)}, with resets as without.`)
  );
};

// A weight above zero is not printed as zero.
const weighs = (weight, digits = 3) =>
  weight && !kit.printed(weight, digits) ? kit.short(weight) : kit.fixed(weight, digits);

const summary = (values, { alpha, epochs, done }) =>
  `α ${kit.fixed(alpha, 1)}, ${epochs} epoch${epochs > 1 ? "s" : ""}, ` +
  `${kit.fixed(100 * done, 0)}% of the steps done: the PU risk weighs ` +
  `${weighs(values.now)}, and ${weighs(values.average)} on average over the run. Reset in every ` +
  `epoch it weighs ` +
  `${weighs(values.now_reset)} here, never more than ${weighs(values.highest)}, and ` +
  `${weighs(values.average_reset, 4)} on average.`;
