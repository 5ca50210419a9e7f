// What padding does to a mean of token vectors, when the mask is forgotten.
// state: {sets: {name: {sentences [3], lengths [3], alone, products: {way: [padding][6]}}}}
// The same in Python: padding_values in kit/boards/padding_widget.py.

const WAYS = ["masked mean", "divided by padded length", "[PAD] averaged in", "no mask at all"];
const MEANT = ["right", "too short", "only attention hides it", "attended to, averaged"];
const HUES = ["positive", "after", "before", "negative"].map((name) => kit.COLOURS[name]);
const MOST = 40;

const title = "Padding, and the mask that is forgotten";

const controls = (state) => [
  toTry(
    { "no padding": { padding: 0 }, "10 [PAD]": { padding: 10 }, "40 [PAD]": { padding: MOST } },
    { label: "paddings to try" },
  ),
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

const motion = ({ itself, length, second, third, width }) => ({ itself, length, second, third, width });

// Sentence 1 as its batch has it: its tokens full, with their words where there is room, [PAD] hollow.
const batch = (values, { lengths, sentences }) => {
  const { width } = kit.room,
    { after, before } = kit.COLOURS,
    n = lengths[0],
    pads = values.width - n,
    step = (width - 2) / (Math.max(...lengths) + MOST),
    y = 24;
  const hollow = Array.from({ length: Math.ceil(pads) }, (_, i) =>
    kit.rect(
      1 + (n + i) * step,
      y,
      Math.min(1, pads - i) * step - 1.5,
      22,
      `rx="3" fill="none" stroke="${before}" stroke-width="1.4"`,
    ),
  );
  const full = Array.from({ length: n }, (_, i) => kit.rect(1 + i * step, y, step - 1.5, 22, `rx="3" fill="${after}"`));
  const names = [
    [`“${sentences[0]}”: ${n} tokens`, after],
    ["   and   ", null],
    [`${kit.fixed(pads, 0)} [PAD]`, before],
  ].map(([words, colour]) => (colour ? [words, colour] : words));
  return kit.svg(
    width,
    y + 30,
    "the first sentence: tokens and [PAD]",
    kit.tinted(0, 14, names) + hollow.join("") + full.join(""),
  );
};

const lead = ({ itself, width, tokens }) => {
  const cosine = itself[3];
  const angle = (Math.acos(Math.min(Math.max(cosine, -1), 1)) * 180) / Math.PI;
  return width === tokens
    ? "Without [PAD] all four ways give sentence 1 one vector"
    : `Forget the mask, and padding turns sentence 1 by ${kit.told(`${kit.besideBound(angle, 0)}°`, HUES[3])}`;
};

// Said of an arrow that does not end on the arc.
const longer = (length) => (Math.abs(length - 1) < 0.02 ? "" : `, ${kit.fixed(100 * length, 0)} % long`);

// The mean of sentence 1 in each way: its true angle to the unpadded mean, and its true length beside it.
const arrows = ({ itself, length }) => {
  const width = kit.room.first,
    head = kit.heading({ title: "Sentence 1, averaged in four ways: true angles and lengths" }, width);
  const unit = Math.min((width - 190) / 1.1, 285),
    from = [14, head.height + 1.12 * unit + 6];
  const tip = (cosine, size) => {
    const angle = Math.acos(Math.min(Math.max(cosine, -1), 1));
    return [from[0] + unit * size * Math.cos(angle), from[1] - unit * size * Math.sin(angle)];
  };
  const rim = Array.from({ length: 31 }, (_, i) =>
    tip(Math.cos((i * Math.PI) / 60), 1)
      .map(kit.round)
      .join(" "),
  );
  const drawn = [3, 2, 0, 1].map((i) => kit.arrow(from, tip(itself[i], length[i]), HUES[i], i === 0 ? 7 : 3.4));
  // Labels at the tips, from the bottom up; two that would touch keep apart.
  let floor = Infinity;
  const labels = [
    [itself[0], 1, `masked: ${kit.fixed(itself[0])}`, HUES[0]],
    [itself[2], length[2], `[PAD] averaged in: ${kit.fixed(itself[2])}`, HUES[2]],
    [itself[3], length[3], `no mask: ${kit.fixed(itself[3])}${longer(length[3])}`, HUES[3]],
  ]
    .sort((a, b) => b[0] - a[0])
    .map(([cosine, size, words, colour]) => {
      const [x, y] = tip(cosine, Math.max(size, 1));
      floor = Math.min(y + 4, floor - 17);
      return kit.tinted(x + 9, floor, [[words, colour]], "start", 'class="kit-halo"');
    });
  const shortened = kit.tinted(
    from[0],
    from[1] + 20,
    [[`divided by the padded length: ${kit.fixed(100 * length[1], 0)} %`, HUES[1]]],
    "start",
    'class="kit-halo"',
  );
  return kit.svg(
    width,
    from[1] + 30,
    "the mean of sentence 1 in four ways",
    head.inside +
      `<path class="kit-grid" d="M${rim.join("L")}" fill="none"/>` +
      drawn.join("") +
      labels.join("") +
      shortened,
  );
};

// What a search would make of it: how near the vector stays to the sentence itself without [PAD], and how near it comes
// to an unrelated sentence that is treated in the same way. Where sentence 1 has no [PAD], no way is right or wrong.
const measured = ({ itself, third, width: broad, tokens }, unrelated) => {
  const padded = broad > tokens,
    width = kit.room.second,
    head = kit.heading({ title: "What is sentence 1 nearest to?" }, width),
    block = 62,
    said = kit.wrapped(`full: itself without [PAD]; pale: the unrelated “${unrelated}”`, width, 6.4),
    top = head.height + 8 + 16 * said.length;
  const bar = (y, value, colour, more) =>
    kit.rect(0, y, Math.max(value * (width - 50), 1), 14, `fill="${colour}" ${more}`) +
    kit.text(Math.max(value * (width - 50), 1) + 6, y + 12, kit.fixed(value), "start", kit.SMALL);
  const drawn = WAYS.map((way, i) => {
    const y = top + block * i;
    return (
      kit.tinted(0, y + 12, [[way, HUES[i]], padded ? `: ${MEANT[i]}` : ""], "start", kit.SMALL) +
      bar(y + 18, itself[i], HUES[i], "") +
      bar(y + 34, third[i], HUES[i], 'fill-opacity="0.4"')
    );
  });
  const inside =
    head.inside +
    said.map((line, k) => kit.text(0, head.height + 8 + 16 * k, line, "start", kit.SMALL)).join("") +
    drawn.join("");
  return kit.svg(width, top + block * WAYS.length, "cosines with itself and with an unrelated sentence", inside);
};

const shares = [3, 2];
const draw = (values, { sentences }, state) => [
  kit.wide(batch(values, state.sets[sentences])),
  arrows(values),
  measured(values, state.sets[sentences].sentences[2]),
];

// Where sentence 1 has no [PAD]: a shorter one beside it has some all the same.
const unpadded = (width, { lengths }) =>
  lengths.every((tokens) => tokens === width)
    ? "Without padding the mask has nothing to hide: all four ways agree."
    : "Sentence 1 has no [PAD], so all four ways agree on it; a shorter sentence beside it has some.";

const brief = ({ itself, length, third, width, tokens }, { sentences }, state) => {
  const [other, own] = [kit.besideBound(third[3], itself[3], 2), kit.besideBound(itself[3], third[3], 2)];
  return width === tokens
    ? unpadded(width, state.sets[sentences])
    : `With ${width - tokens} [PAD] and no mask an unrelated sentence (cosine ${kit.told(other, HUES[3])}) is ` +
        `${other === own ? "as near as" : third[3] > itself[3] ? "nearer than" : "farther than"} the sentence itself ` +
        `without padding (${kit.told(own, HUES[3])}). Divided by the padded length, the direction stays and ` +
        `${kit.told(`${kit.fixed(100 * length[1], 0)} %`, HUES[1])} of the length is left.`;
};

const summary = (values) => {
  const { itself, length, third } = values;
  return (
    `With ${values.width - values.tokens} [PAD] the batch is ${values.width} wide; the first sentence has ` +
    `${values.tokens} tokens. ` +
    `Divided by the padded length, its vector keeps its direction and ${kit.fixed(length[1], 3)} of its length, ` +
    `and the dot product with the second shrinks as if τ were ${kit.fixed(values.tau)} times as large. ` +
    `With [PAD] averaged in, its cosine with what it was unpadded is ` +
    `${kit.fixed(itself[2], 3)}; with no mask at all it is ${kit.fixed(itself[3], 3)}, and the cosine with the ` +
    `unrelated ` +
    `sentence is ${kit.fixed(third[3], 3)} instead of ${kit.fixed(third[0], 3)}.`
  );
};
