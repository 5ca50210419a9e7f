// What padding does to a mean of token vectors, when the mask is forgotten.
// state: {sets: {name: {sentences [3], lengths [3], alone, products: {way: [padding][6]}}}}
// The same in Python: padding_values in kit/boards/padding_widget.py.

const WAYS = ["masked mean", "divided by padded length", "[PAD] averaged in", "no mask at all"];
const HUES = [kit.COLOURS.positive, kit.COLOURS.after, kit.COLOURS.before, kit.COLOURS.negative];
const MOST = 40;

const controls = (state) => [
  { kind: "slider", name: "padding", label: "padding", min: 0, max: MOST, step: 1, value: 10 },
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

const draw = (values, { padding, sentences }, state) => {
  const { itself, length } = values.curves,
    names = state.sets[sentences].sentences.map((text, i) => `${i + 1} ${text}`);
  const series = (curves) =>
    WAYS.map((name, i) => ({
      name,
      colour: HUES[i],
      dash: i === 1 ? "6 5" : "",
      points: curves[i].map((v, k) => [k, v]),
    }));
  const shared = { x: "[PAD] tokens added", marker: padding, xmin: 0, xmax: MOST, ymin: 0, height: 215 };
  const away = itself.map((curve) => curve.map((c) => 1 - c));
  const columns = [values.itself, values.length, values.second, values.dot];
  return [
    // leave room above the curves for their four names
    kit.lines({
      ...shared,
      title: "how far from itself?",
      y: "1 − cosine with unpadded",
      series: series(away),
      ymax: 2.2 * Math.max(0.2, ...away.flat()),
      ygrid: 1.1 * Math.max(0.2, ...away.flat()),
    }) +
      kit.lines({
        ...shared,
        title: "how long is it still?",
        y: "length / unpadded",
        series: series(length),
        ymax: 2 * Math.max(1, ...length.flat()),
        ygrid: 1.05 * Math.max(1, ...length.flat()),
      }),
    kit.table({
      title: names.join(" · "),
      head: ["the mean of sentence 1", "cosine with it unpadded", "length", "cosine with 2", "dot with 2"],
      rows: WAYS.map((way, i) => [way, ...columns.map((values) => kit.fixed(values[i], 3))]),
    }) +
      kit.bars({
        title: "how near is the unrelated sentence 3?",
        x: "cosine with 3",
        labels: WAYS,
        values: values.third,
        colours: HUES,
        min: 0,
        max: 1,
        digits: 3,
        horizontal: true,
      }),
  ];
};

const summary = (values, { padding }) => {
  const { itself, length, third } = values;
  return (
    `With ${padding} [PAD] the batch is ${values.width} wide; the first sentence has ${values.tokens} tokens. ` +
    `Divided by the padded length, its vector keeps its direction and ${kit.fixed(length[1], 3)} of its length, ` +
    `and dot ` +
    `products shrink as if τ were ${kit.fixed(values.tau)} times as large. With [PAD] averaged in, its cosine ` +
    `with what it was unpadded is ` +
    `${kit.fixed(itself[2], 3)}; with no mask at all it is ${kit.fixed(itself[3], 3)}, and the cosine with the ` +
    `unrelated ` +
    `sentence is ${kit.fixed(third[3], 3)} instead of ${kit.fixed(third[0], 3)}.`
  );
};
