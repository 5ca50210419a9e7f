// The cosines of a few sentences in several spaces side by side; the reader can type others.
// state: {sentences [n], labels [n], threes, spaces [names], cosines: {space: [n][n]}}
// The same in Python: heat_values in kit/boards/heat_widget.py.

const title = "Cosines of a few sentences, space by space";
const BAND = [0.6, 1.0];

const controls = (state) => [
  { kind: "text", name: "own", label: "your own sentences, parted by | (blank: the twelve)", value: "", kernel: true },
  { kind: "choice", name: "space", label: "look closer at", options: state.spaces, value: state.spaces[0] },
  { kind: "slider", name: "sentence", label: "sentence", min: 1, max: 12, step: 1, value: 1 },
];

const compute = (state, { space, sentence }) => {
  const n = state.sentences.length,
    matrix = state.cosines[space],
    i = Math.min(sentence, n) - 1;
  const order = state.sentences
    .map((_, j) => j)
    .filter((j) => j !== i)
    .sort((a, b) => matrix[i][b] - matrix[i][a]);
  const measured = Object.fromEntries(state.spaces.map((name) => [name, measure(state.cosines[name], state.threes)]));
  return { sentence: i + 1, order, cosines: order.map((j) => matrix[i][j]), measured };
};

const measure = (matrix, threes) => {
  const pairs = matrix.flatMap((row, i) => row.slice(i + 1));
  const won = matrix.filter((row, i) => i % 3 === 0 && i < matrix.length - 2 && row[i + 1] > row[i + 2]).length;
  return {
    low: Math.min(...pairs),
    high: Math.max(...pairs),
    won: threes ? won : -1,
    band: pairs.filter((c) => BAND[0] <= c && c <= BAND[1]).length / pairs.length,
  };
};

// Green: its positive; vermilion: its negative; grey: another topic, or no roles.
const hue = (state, i, j) => {
  const { positive, negative, neutral } = kit.COLOURS,
    same = state.threes && Math.floor(i / 3) === Math.floor(j / 3);
  return !same ? neutral : [i, j].some((k) => k % 3 === 2) ? negative : positive;
};

const motion = ({ cosines }, chosen, { cosines: matrices }) => ({ cosines, matrices });

const draw = (values, { space }, state) => {
  const { sentences, labels, spaces } = state,
    matrices = values.matrices ?? state.cosines,
    i = values.sentence - 1;
  const lowest = Math.min(0, ...spaces.map((name) => values.measured[name].low));
  const names = labels.map((label, k) => `${k + 1} ${label}`),
    columns = labels.map((_, k) => String(k + 1));
  const maps = spaces.map((name) =>
    kit.heat({
      title: name === space ? `${name} (looked at below)` : name,
      rows: names,
      columns,
      values: matrices[name],
      left: 132,
      min: lowest,
      max: 1,
      bar: "cosine",
      pick: "sentence",
      marked: i,
      widest: 25,
      tallest: 21,
      groups: state.threes ? sentences.map((_, k) => k).filter((k) => k && k % 3 === 0) : [],
    }),
  );
  const shades = state.threes
    ? [
        { name: "its positive", colour: kit.COLOURS.positive, shape: "box" },
        { name: "its negative", colour: kit.COLOURS.negative, shape: "box" },
        { name: "other topics", colour: kit.COLOURS.neutral, shape: "box" },
      ]
    : [];
  return [
    ...maps,
    kit.bars({
      title: `${values.sentence} ${sentences[i]}`,
      legend: shades,
      x: `cosine with it, in the space “${space}”`,
      horizontal: true,
      left: 262,
      labels: values.order.map((j) => sentences[j]),
      values: values.cosines,
      colours: values.order.map((j) => hue(state, i, j)),
      links: values.order,
      picks: values.order.map((j) => `sentence:${j + 1}`),
      min: Math.min(0, ...values.cosines),
      max: 1,
    }),
  ];
};

const brief = (values, { space, own }, state) => {
  const said = state.spaces.map((name) => {
    const { low, high, won } = values.measured[name];
    return (
      `${kit.escape(name)} ${kit.told(kit.fixed(low))} to ${kit.told(kit.fixed(high))}` +
      (won < 0 ? "" : `, positive nearer in ${won} of ${state.sentences.length / 3}`)
    );
  });
  return `Cosines: ${said.join("; ")}. Point at a cell, or click a row.${unread(own, state)}`;
};

const summary = (values, { space, own }, state) => {
  const said = state.spaces.map((name) => {
    const { low, high, band, won } = values.measured[name];
    return (
      `${name}: cosines from ${kit.fixed(low)} to ${kit.fixed(high)}, ` +
      `${kit.fixed(100 * band, 0)}% of them from ${BAND[0]} to 1` +
      (won < 0 ? "" : `, the positive nearer in ${won} of ${state.sentences.length / 3} topics`)
    );
  });
  return (
    `${said.join("; ")}. In the space “${space}” the nearest to sentence ${values.sentence} is ` +
    `“${state.sentences[values.order[0]]}” (${kit.fixed(values.cosines[0])}).${unread(own, state)}`
  );
};

// Typed but not encoded (yet): there is no kernel, it is busy, or it rejected the text.
const unread = (own, state) => {
  const typed = (own || "").trim(),
    shown = state.threes ? "" : state.sentences.join("|");
  return typed
    .split("|")
    .map((text) => text.trim())
    .join("|") === shown
    ? ""
    : " The picture does not show what is typed yet.";
};
