// What padding does to a mean of token vectors, when the mask is forgotten.
// state: {sets: {name: {sentences [3], lengths [3], alone, products: {way: [padding][6]}}}}
// The same in Python: padding_values in kit/boards/padding_widget.py.

const WAYS = ["masked mean", "divided by padded length", "[PAD] averaged in", "no mask at all"];
const HUES = ["positive", "after", "before", "negative"].map((name) => kit.COLOURS[name]);
const MOST = 40;

const title = "Padding, and the mask that is forgotten";

const controls = (state) => [
  {
    kind: "presets",
    name: "presets",
    label: "paddings to try",
    options: { "no padding": { padding: 0 }, "10 [PAD]": { padding: 10 }, "40 [PAD]": { padding: MOST } },
  },
  {
    kind: "slider",
    name: "padding",
    label: "padding",
    full: "padding: [PAD] tokens added",
    min: 0,
    max: MOST,
    step: 1,
    value: 10,
  },
  {
    kind: "choice",
    name: "sentences",
    label: "sentences",
    options: Object.keys(state.sets),
    value: Object.keys(state.sets)[0],
  },
];

const compute = (state, { padding, sentences }) => {
  const chosen = state.sets[sentences],
    [first, second] = chosen.lengths,
    width = Math.max(...chosen.lengths) + padding;
  const curves = WAYS.map((way) => chosen.products[way].map((row) => measures(row, chosen.alone)));
  const now = (name) => curves.map((curve) => curve[padding][name]);
  const whole = (name) => curves.map((curve) => curve.map((row) => row[name]));
  return {
    itself: now("itself"),
    length: now("length"),
    second: now("second"),
    third: now("third"),
    dot: now("dot"),
    width,
    tokens: first,
    tau: width ** 2 / (first * second),
    curves: { itself: whole("itself"), length: whole("length") },
  };
};

const measures = ([uu, us, uv, uw, vv, ww], alone) => ({
  itself: us / Math.sqrt(uu * alone),
  length: Math.sqrt(uu / alone),
  second: uv / Math.sqrt(uu * vv),
  third: uw / Math.sqrt(uu * ww),
  dot: uv,
});

const motion = ({ itself, length, width }) => ({ itself, length, width });

// The batch as boxes: one row a sentence, tokens full, [PAD] hollow.
const batch = (values, { lengths, sentences }) => {
  const { width } = kit.room,
    most = Math.max(...lengths) + MOST,
    step = (width - 2) / most,
    tall = 42;
  const row = (n, k) => {
    const y = 8 + k * tall,
      pads = values.width - n;
    const hollow = Array.from({ length: Math.ceil(pads) }, (_, i) =>
      kit.rect(
        1 + (n + i) * step,
        y + 18,
        Math.min(1, pads - i) * step - 1.5,
        16,
        `rx="2" fill="none" stroke="${kit.COLOURS.before}" stroke-width="1.4"`,
      ),
    );
    const full = Array.from({ length: n }, (_, i) =>
      kit.rect(1 + i * step, y + 18, step - 1.5, 16, `rx="2" fill="${kit.COLOURS.after}"`),
    );
    return (
      kit.text(0, y + 12, kit.cut(`${k + 1} ${sentences[k]}`, width), "start", kit.SMALL) +
      hollow.join("") +
      full.join("")
    );
  };
  return kit.svg(width, 8 + tall * lengths.length, "the batch: tokens and [PAD]", lengths.map(row).join(""));
};

// The mean of sentence 1 in each way: its true angle to the unpadded mean, and its true length beside it.
const arrows = ({ itself, length }) => {
  const width = kit.room.column,
    legend = WAYS.map((name, i) => ({ name, colour: HUES[i] })),
    head = kit.heading({ title: "The mean of sentence 1: turned, and shortened", legend }, width);
  const unit = Math.min((width - 90) / 1.1, 230),
    high = unit + 30,
    from = [14, head.height + high - 14];
  const tip = (cosine, size) => {
    const angle = Math.acos(Math.min(Math.max(cosine, -1), 1));
    return [from[0] + unit * size * Math.cos(angle), from[1] - unit * size * Math.sin(angle)];
  };
  const rim = Array.from({ length: 31 }, (_, i) =>
    tip(Math.cos((i * Math.PI) / 60), 1)
      .map(kit.round)
      .join(" "),
  );
  const drawn = [3, 2, 0, 1].map((i) => kit.arrow(from, tip(itself[i], length[i]), HUES[i], i === 0 ? 7 : 3));
  return kit.svg(
    width,
    head.height + high + 10,
    "the mean of sentence 1 in four ways",
    head.inside +
      `<path class="kit-grid" d="M${rim.join("L")}" fill="none"/>` +
      kit.text(from[0] + unit + 8, from[1] - 8, "length 1", "start", kit.SMALL) +
      drawn.join(""),
  );
};

const draw = (values, { sentences }, state) => {
  const columns = [values.length, values.itself, values.second, values.third];
  return [
    kit.wide(batch(values, state.sets[sentences])),
    arrows(values),
    kit.table({
      title: "Its length, and its cosines: with itself unpadded, with 2, with 3 (unrelated)",
      head: ["", "length", "itself", "2", "3"],
      rows: WAYS.map((way, i) => [way, ...columns.map((values) => kit.fixed(values[i], 3))]),
    }),
  ];
};

const brief = ({ itself, length, third }, { padding }) =>
  `${padding} [PAD]: divided by the padded length the vector keeps ` +
  `${kit.told(`${kit.fixed(100 * length[1], 0)} %`, HUES[1])} of its length; with [PAD] averaged in its cosine with ` +
  `itself is ${kit.told(kit.fixed(itself[2]), HUES[2])}, with no mask ${kit.told(kit.fixed(itself[3]), HUES[3])}, ` +
  `and the unrelated sentence comes as near as ${kit.told(kit.fixed(third[3]), HUES[3])}.`;

const summary = (values, { padding }) => {
  const { itself, length, third } = values;
  return (
    `With ${padding} [PAD] the batch is ${values.width} wide; the first sentence has ${values.tokens} tokens. ` +
    `Divided by the padded length, its vector keeps its direction and ${kit.fixed(length[1], 3)} of its length, ` +
    `and the dot ` +
    `product with the second shrinks as if τ were ${kit.fixed(values.tau)} times as large. With [PAD] averaged in, its cosine ` +
    `with what it was unpadded is ` +
    `${kit.fixed(itself[2], 3)}; with no mask at all it is ${kit.fixed(itself[3], 3)}, and the cosine with the ` +
    `unrelated ` +
    `sentence is ${kit.fixed(third[3], 3)} instead of ${kit.fixed(third[0], 3)}.`
  );
};
