// The masks of a batch: who is an anchor, who its positive, who is in which denominator.
// state: {names [R], texts [R], group [R], sizes [N, N·P, N·Q], twins, cosines [R][R],
//         before: null or [R][R], the cosines before a training,
//         losses {name: {anchors [A], candidates [C], positive, negative, masked [A][C], other_positives}}}
// The masks come from Python; here is the formula, and what is said. Drawn are masks_matrix, masks_ladder, masks_terms.
// The same in Python, by autograd: masks_values in kit/boards/masks_widget.py.

const OUTSIDE = 0,
  IGNORED = 1,
  ITSELF = 2,
  NEGATIVE = 3,
  POSITIVE = 4; // what a cell of the matrix is
const TWINS = {
  kind: "choice",
  name: "twins",
  label: "a positive’s twin is",
  options: ["a negative", "masked"],
  value: "a negative",
};
const title = ({ texts, before }) =>
  `Who is what to whom${before ? " after training" : ""}: ` +
  `the masks of “${texts[0]}” and ${texts.length - 1} other sentences`;
const shares = [3, 2];
const folded = { from: 2, name: "who stands in the denominator, and all sentences" };

const controls = (state) => [
  toTry({ "one winner": { tau: 0.01 }, "usual for cosines": { tau: 0.05 }, "all alike": { tau: 10 } }),
  { kind: "choice", name: "loss", label: "loss", options: Object.keys(state.losses), value: "SupMPN" },
  {
    kind: "slider",
    name: "anchor",
    label: "anchor",
    min: 1,
    max: state.names.length,
    step: 1,
    names: state.names,
    value: 1,
  },
  tauSlider(0.05),
  ...(state.twins ? [TWINS] : []),
];

// Rows with a positive: all others are no anchors of this loss.
const allowed = ({ loss }, { losses }) => ({
  anchor: losses[loss].anchors.flatMap((row, a) => (losses[loss].positive[a].includes(1) ? [row + 1] : [])),
});

const compute = (state, chosen) => ({
  ...figures(state, chosen),
  before: state.before ? figures({ ...state, cosines: state.before }, chosen).push : [],
});

const figures = (state, { loss, anchor, tau, twins }) => {
  const masks = state.losses[loss],
    chosen = anchor - 1;
  const negatives = twins === "masked" ? masks.masked : masks.negative;
  const cells = state.names.map(() => state.names.map(() => OUTSIDE));
  masks.anchors.forEach((i, a) =>
    masks.candidates.forEach((c, k) => {
      cells[i][c] = masks.positive[a][k] ? POSITIVE : negatives[a][k] ? NEGATIVE : i === c ? ITSELF : IGNORED;
    }),
  );
  const all = cells.map((row, i) => denominators(state, row, i, tau, masks.other_positives));
  const counting = all.filter((terms) => terms.length),
    terms = all[chosen],
    counted = terms.length > 0;
  const mean = (values) => values.reduce((sum, v) => sum + v, 0) / (values.length || 1),
    lossOf = (found) => mean(found.map((t) => t.term));
  const weights = weightsOf(state, cells[chosen], chosen, tau, terms);
  const push = weights.map((w, c) => w - (counted && cells[chosen][c] === POSITIVE ? 1 / terms.length : 0));
  const many = (kind) => (counted ? cells[chosen].filter((cell) => cell === kind).length : 0);
  return {
    cells,
    anchors: counting.length,
    counted,
    members: [many(POSITIVE), many(NEGATIVE)],
    weights,
    push,
    gradient: push.map((p) => p / tau / (counting.length || 1)),
    terms: terms.map(({ row, sizes, shares, term }) => ({ row, sizes, shares, term })),
    losses: [lossOf(terms), mean(counting.map(lossOf))],
  };
};

// D(i, p) of every positive p of row i: its parts, their shares, and −log of the share of p itself.
const denominators = (state, row, i, tau, otherPositives) => {
  const places = row.map((_, c) => c),
    logit = (c) => state.cosines[i][c] / tau;
  const positives = places.filter((c) => row[c] === POSITIVE),
    negatives = places.filter((c) => row[c] === NEGATIVE);
  const own = negatives.filter((c) => state.group[c] === state.group[i]),
    others = negatives.filter((c) => !own.includes(c));
  return positives.map((p) => {
    const rest = positives.filter((c) => c !== p),
      ghosts = otherPositives === "zero_logit" ? rest.length : 0;
    const parts = [[p], otherPositives === "included" ? rest : [], own, others];
    const top = Math.max(...parts.flat().map(logit), ghosts ? 0 : -Infinity); // prevents overflow
    const sums = [
      ...parts.map((part) => part.reduce((sum, c) => sum + Math.exp(logit(c) - top), 0)),
      ghosts * Math.exp(-top),
    ];
    const whole = sums.reduce((a, b) => a + b, 0);
    return {
      row: p,
      sizes: [...parts.map((part) => part.length), ghosts],
      shares: sums.map((v) => v / whole),
      term: Math.log(whole) + top - logit(p),
      log: Math.log(whole) + top,
      members: new Set(parts.flat()),
    };
  });
};

// The softmax over D(i, p), averaged over the positives p.
const weightsOf = (state, row, i, tau, terms) =>
  row.map(
    (_, c) =>
      terms.reduce(
        (sum, { log, members }) => sum + (members.has(c) ? Math.exp(state.cosines[i][c] / tau - log) : 0),
        0,
      ) / (terms.length || 1),
  );

const motion = (values, chosen, state) => ({
  weights: values.weights,
  push: values.push,
  before: values.before,
  ...ladderMotion(values, chosen, state),
});

const draw = (values, chosen, state) => [
  matrix(values, chosen, state),
  ladder(values, chosen, state),
  whoStandsIn(values, chosen, state),
  sentences(values, chosen, state),
];

// All pushes together, and the share of them that falls on row i; of few texts as all of them add up to 100 %.
const allOf = (push) => push.reduce((sum, v) => sum + Math.max(v, 0), 0);
const shareOf = (push, i) => {
  const shares = push.map((v) => Math.max(v, 0) / (allOf(push) || 1)),
    whole = shares.filter(Boolean).length < FEW ? kit.apportioned(shares)[i] : 0;
  return 0 < whole && whole < 1 ? whole : shares[i]; // "0.2 %" and "99.8 %" are not rounded to nothing and all
};
const partOf = (push, i) => kit.percent(shareOf(push, i));

// What one negative takes of the push, from the least to the most: "6 %", "6 % to 8 %".
const eachTakes = (push, row) => {
  const parts = row.flatMap((kind, c) => (kind === NEGATIVE ? [shareOf(push, c)] : [])),
    ends = [Math.min, Math.max].map((most) => kit.percent(most(...parts)));
  return [...new Set(ends)].join(" to ");
};

// What the training was for: how much of the push has come to lie on one text.
const leadAfter = ({ push, before, cells }, { anchor }, { group }, hardest) => {
  if (allAlike(push, cells[anchor - 1]))
    return `All negatives are pushed ${kit.told("almost equally")}, even after training`;
  const { positive, negative } = kit.COLOURS,
    [own, pulled] = [group[hardest] === group[anchor - 1], cells[anchor - 1][hardest] === POSITIVE],
    whom = pulled ? "one of its positives" : own ? "one near miss" : "one text of another anchor",
    part = kit.told(partOf(push, hardest), negative);
  return (
    `After training ${kit.told(whom, pulled ? positive : negative)} takes ${part} of the push; ` +
    `before, ${kit.told(partOf(before, hardest))}`
  );
};

// What another loss changes first: who is pulled, and who is pushed.
const lead = (values, chosen, state) => {
  const { counted, members, cells, push } = values,
    { loss, anchor } = chosen,
    { positive, negative } = kit.COLOURS,
    hardest = push.indexOf(Math.max(...push)),
    [first, part] = [state.names[hardest], partOf(push, hardest)].map((words) => kit.told(words, negative)),
    said = kit.escape(loss.includes(",") ? `“${loss}”` : loss),
    name = `anchor ${state.names[anchor - 1]}`;
  if (!counted) return `${said} has no anchor ${state.names[anchor - 1]}: it pulls and pushes nobody`;
  const twin = twinAt(values, chosen, state),
    drawn = push.filter((part, i) => cells[anchor - 1][i] === POSITIVE && part < 0).length;
  if (values.before.length) return leadAfter(values, chosen, state, hardest);
  if (cells[anchor - 1][hardest] === POSITIVE)
    return `${said} pushes ${kit.told(state.names[hardest], positive)}, a positive of ${name}: ${part} of the push`;
  if (twin < 0)
    return (
      `${said} pulls ${name} to ${kit.told(several(drawn, "text"), positive)} and pushes ` +
      `${kit.told(members[1], negative)} away` +
      (allAlike(push, cells[anchor - 1]) ? ", all almost equally" : `: ${first} takes ${part} of the push`)
    );
  const own = state.names[cells[anchor - 1].indexOf(POSITIVE)],
    start = `${said} pulls ${name} to ${kit.told(own, positive)}`;
  return cells[anchor - 1][twin] === NEGATIVE
    ? `${start} and pushes its twin ${kit.told(state.names[twin], negative)} away: ` +
        `${kit.told(partOf(push, twin), negative)} of the push`
    : `${start} and leaves its twin ${state.names[twin]} alone`;
};

// Where a positive stands twice in the batch: which row is the second, or -1.
const twinAt = ({ cells }, { anchor }, { texts }) => {
  const row = cells[anchor - 1],
    positive = row.indexOf(POSITIVE),
    twin = texts.findIndex((text, i) => i !== positive && i !== anchor - 1 && text === texts[positive]);
  return positive < 0 || twin < 0 || row[twin] === POSITIVE ? -1 : twin;
};

// Whom the headline names: the twin where it is pushed away, else who is pushed most.
const mostPushed = (values, chosen, state) => {
  const twin = twinAt(values, chosen, state);
  return twin >= 0 && values.cells[chosen.anchor - 1][twin] === NEGATIVE
    ? twin
    : values.push.indexOf(Math.max(...values.push));
};

const quoted = (text) => `“${kit.escape(kit.cut(text, 400).replace(/\.$/, ""))}”`;
const brief = (values, chosen, state) => {
  const { cells, counted, push, before, losses, anchors } = values,
    { names, texts } = state,
    at = chosen.anchor - 1,
    batch = `The loss of the batch, over ${anchors} anchors, is ${kit.told(kit.fixed(losses[1]))}.`;
  if (!counted) return batch;
  const twin = twinAt(values, chosen, state),
    hardest = push.indexOf(Math.max(...push)),
    { positive, negative } = kit.COLOURS,
    pushed = (i) => kit.told(names[i], negative);
  const pulled = names.flatMap((name, i) =>
    cells[at][i] === POSITIVE && push[i] < 0 ? [`${kit.told(name, positive)} ${quoted(texts[i])}`] : [],
  );
  const strongest =
    cells[at][hardest] === POSITIVE
      ? `${pushed(hardest)}, a positive with more than its target`
      : `${pushed(hardest)} ${quoted(texts[hardest])}`;
  const digits = Number(kit.fixed(allOf(push), 3)) ? (v) => kit.fixed(v, 3) : kit.short, // no 0.000 of 0.000
    part = (i) => `${kit.told(partOf(push, i), negative)} (${digits(push[i])} of ${digits(allOf(push))})`,
    was = (parts) => (before.length ? `; before the training it was ${parts}` : "");
  const most = allAlike(push, cells[at])
    ? `Each negative takes ${kit.told(eachTakes(push, cells[at]), negative)} of the push` +
      `${was(eachTakes(before, cells[at]))}.`
    : cells[at][twin] === NEGATIVE
      ? `${pushed(twin)}, the same sentence again, takes ${part(twin)} of the push.`
      : `The largest part of the push, ${part(hardest)}, falls on ${strongest}${was(partOf(before, hardest))}.`;
  const drawn = pulled.length ? pulled.join(" and ") : "no text";
  return `Anchor ${names[at]} is ${quoted(texts[at])}; it is pulled to ${drawn}. ${most} ${batch}`;
};

const FEW = 8; // rows, below which cells, bars and lines of the ladder are taller
const tallest = (seen) => (seen.length < FEW ? 150 : 74); // pixels of the largest bar
const { SMALL } = kit,
  STRONG = 'class="kit-small kit-strong"';
const label = (x, y, words, more = "", end = "middle") =>
  `<text x="${round(x)}" y="${round(y)}" text-anchor="${end}" ${more}>${kit.escape(words)}</text>`;
// A height may be less than nothing while a bar is on its way to another loss.
const box = (x, y, w, h, more) =>
  `<rect x="${round(x)}" y="${round(y)}" width="${round(w)}" height="${round(Math.max(h, 0))}" ${more}/>`;
const { round } = kit;
const hint = (state, i) => `<title>${kit.escape(`${state.names[i]} ${state.texts[i]}`)}</title>`;

// A click on a row that is an anchor of this loss makes it the chosen one.
const pickOf = ({ cells }, i) => (cells[i].includes(POSITIVE) ? `data-pick="anchor:${i + 1}"` : "");

// The role of row i for the chosen anchor, and its colour.
const roleOf = ({ counted, cells }, { anchor }, i) => {
  const kind = !counted ? OUTSIDE : cells[anchor - 1][i],
    { after, positive, negative, neutral } = kit.COLOURS;
  if (i === anchor - 1) return { sign: "■", colour: after };
  return (
    { [POSITIVE]: { sign: "+", colour: positive }, [NEGATIVE]: { sign: "−", colour: negative } }[kind] || {
      sign: "·",
      colour: neutral,
    }
  );
};

const several = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
const summary = ({ anchors, counted, cells, members, push, losses, before }, { loss, anchor, tau }, state) => {
  const at = anchor - 1,
    { names, texts } = state,
    start = `${loss}, τ ${kit.short(tau)}: `;
  const whole = `the loss of the batch, over ${anchors} anchors, is ${kit.fixed(losses[1], 3)}.`;
  if (!counted) return `${start}row ${anchor}, ${names[at]} (“${texts[at]}”), is no anchor of this loss; ${whole}`;
  const hardest = push.indexOf(Math.max(...push)),
    pulled = -push.reduce((sum, v) => sum + Math.min(v, 0), 0),
    was = before.length ? `; before the training it had ${partOf(before, hardest)} of them` : "";
  return (
    `${start}${names[at]} (“${texts[at]}”) has ${several(members[0], "positive")} and ` +
    `${several(members[1], "negative")}; ` +
    `the pulls add up to ${kit.fixed(pulled, 3)}, the pushes to ${kit.fixed(allOf(push), 3)}; ` +
    `the strongest push, ${kit.fixed(push[hardest], 3)} (${partOf(push, hardest)}), falls on ${names[hardest]}, ` +
    `${nearness(cells[at], state.cosines[at], hardest)}${was}. ` +
    `Its loss is ${kit.fixed(losses[0], 3)}; ${whole}`
  );
};

// How near row i stands among those of its kind: "the nearest of 14 negatives, at cosine 0.903".
const nearness = (row, cosines, i) => {
  const kind = row[i] === POSITIVE ? "positive" : "negative",
    rivals = row.flatMap((other, c) => (other === row[i] ? [cosines[c]] : [])),
    rank = rivals.filter((v) => v > cosines[i]).length,
    told = rank ? `number ${rank + 1} in nearness` : "the nearest";
  return `${told} of ${several(rivals.length, kind)}, at cosine ${kit.fixed(cosines[i], 3)}`;
};
