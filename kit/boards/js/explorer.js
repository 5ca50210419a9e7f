// Two or three sentences under a pooling: their cosines, and which tokens make them.
// state: {sentences [n], tokens [n][tokens], cut [n], hidden [layers + 1][n][tokens][dim] in thousandths,
//         note: a further remark, or empty}
// The same in Python: explorer_values in kit/boards/explorer_widget.py.

const POOLED = ["mean", "mean_without_cls", "cls", "max", "first_last"];
const FIELDS = ["first", "second", "third"];

const controls = (state) => {
  const last = state.hidden.length - 1;
  return [
    toTry({
      "all tokens": { pooling: "mean", layer: last },
      "[CLS] alone": { pooling: "cls", layer: last },
      "first and last layer": { pooling: "first_last", layer: last },
      "before any attention": { pooling: "mean", layer: 0 },
    }),
    ...FIELDS.map((name, i) => ({
      kind: "text",
      name,
      label: `sentence ${i + 1}`,
      value: state.sentences[i] || "",
      more: "type sentences of your own",
      kernel: true,
      asleep: Boolean(state.note), // a page without a kernel
    })),
    { kind: "choice", name: "pooling", label: "pooling", options: POOLED, value: "mean" },
    {
      kind: "slider",
      name: "layer",
      label: "layer",
      full: "layer whose vectors are pooled",
      min: 0,
      max: last,
      step: 1,
      value: last,
    },
    { kind: "choice", name: "explained", label: "explain sentence", options: ["1", "2", "3"], value: "1" },
    { kind: "choice", name: "against", label: "against sentence", options: ["1", "2", "3"], value: "2" },
  ];
};

const compute = (state, { pooling, layer, explained, against }) => {
  const [i, j] = [explained, against].map((number) => place(state, number));
  const split = state.tokens.map((_, k) => parts(pooling, states(state, pooling, layer, k)));
  const vectors = split.map((s) => total(s.parts));
  const lengths = kit.norm(vectors[i]) * kit.norm(vectors[j]) || 1;
  const contributions = split[i].parts.map((part) => kit.dot(part, vectors[j]) / lengths);
  return {
    cosines: vectors.map((u) => vectors.map((v) => kit.cosine(u, v))),
    contributions,
    weights: split[i].weights,
    top: state.tokens[i][contributions.indexOf(Math.max(...contributions))],
  };
};

const place = (state, number) => {
  if (Number(number) > state.tokens.length)
    throw new Error(`there is no sentence ${number} here: choose another, or type one.`);
  return Number(number) - 1;
};

const states = (state, pooling, layer, k) => {
  const last = state.hidden[layer][k],
    first = state.hidden[1][k];
  return last.map((token, t) => token.map((v, d) => (pooling === "first_last" ? (v + first[t][d]) / 2 : v) / 1000));
};

const total = (rows) => rows[0].map((_, d) => rows.reduce((sum, row) => sum + row[d], 0));

// Each token's part of the sentence vector (which is their sum), and its weight in it.
const parts = (pooling, rows) => {
  const n = rows.length;
  if (pooling === "max") {
    const winners = rows[0].map((_, d) => rows.reduce((best, row, t) => (row[d] > rows[best][d] ? t : best), 0));
    return {
      parts: rows.map((row, t) => row.map((v, d) => (winners[d] === t ? v : 0))),
      weights: rows.map((_, t) => winners.filter((w) => w === t).length / winners.length),
    };
  }
  const weight =
    { cls: (t) => (t === 0 ? 1 : 0), mean_without_cls: (t) => (t === 0 ? 0 : 1 / (n - 1)) }[pooling] || (() => 1 / n);
  return { parts: rows.map((row, t) => row.map((v) => v * weight(t))), weights: rows.map((_, t) => weight(t)) };
};

const title = "The explorer: which tokens make a cosine";
const folded = { from: 1, name: "all three cosines, the strongest wires, the weights of the tokens" };

const motion = (values, chosen, state) => ({ contributions: values.contributions, wires: wiresOf(state, chosen) });

// What each pair of tokens, one of either sentence, adds to the cosine: [tokens][tokens], their sum is the cosine.
const wiresOf = (state, { pooling, layer, explained, against }) => {
  const [left, right] = [explained, against].map((number) => parts(pooling, states(state, pooling, layer, number - 1)));
  const lengths = kit.norm(total(left.parts)) * kit.norm(total(right.parts)) || 1;
  return left.parts.map((a) => right.parts.map((b) => kit.dot(a, b) / lengths));
};

const STEP = 30,
  FAINT = 0.2, // of the strongest: what a pair adds below that is not drawn
  NONE = 0.02; // nor is the strongest of a row that adds nothing

// Tokens with little meaning of their own: marks of the tokenizer, punctuation, and function words (determiners,
// pronouns, prepositions, conjunctions, auxiliaries). [UNK] is none of them: it stands for a word.
const SMALL_WORDS = new Set(
  (
    "a an the this that these those some any all no each every both such " +
    "i you he she it we they me him her us them my your his its our their who whom which what there " +
    "of in on at to for by with from into onto over under through until till during before after above below between " +
    "about around against along across behind beside near off out up down as than like " +
    "and or but nor so if while when where because though although not " +
    "is was are were be been being am do does did have has had will would can could shall should may might must"
  ).split(" "),
);
const isSmall = (token) =>
  (/^\[.+\]$/.test(token) && token !== "[UNK]") || !/[\p{L}\p{N}]/u.test(token) || SMALL_WORDS.has(token);
const colourOf = (token) => (isSmall(token) ? kit.COLOURS.before : kit.COLOURS.after);

// How much of the cosine the tokens with little meaning carry; null where that is no share of a whole.
const carriedBySmall = ({ contributions }, { explained }, state) => {
  const sum = (values) => values.reduce((a, b) => a + b, 0),
    small = sum(contributions.filter((_, t) => isSmall(state.tokens[explained - 1][t]))),
    share = small / sum(contributions);
  return sum(contributions) > 0 && share > 0 && share < 1.005 ? Math.min(share, 1) : null;
};

const AFTER = kit.COLOURS.after,
  BEFORE = kit.COLOURS.before;
const cosineOf = ({ contributions }) => contributions.reduce((a, b) => a + b, 0);
// Of each sentence, without its marks, whether most words are unknown.
const unknownOf = ({ tokens }) => tokens.map((one) => isUnknown(one.slice(1, -1)));
const READER = "this encoder";
// Of a vector that is that of [CLS] alone no word has a part; but [CLS] has read them all, once there is attention.
const lead = (values, chosen, state) => {
  const carried = carriedBySmall(values, chosen, state),
    { explained, against, pooling, layer } = chosen,
    unknown = unknownOf(state);
  if (unknown[explained - 1] || unknown[against - 1]) return strange(unknown, READER);
  if (pooling === "cls")
    return (
      `All of this cosine comes from ${kit.told("[CLS]", BEFORE)}, which ` +
      (layer ? "has read the sentence" : "is the same in every sentence")
    );
  return carried === null
    ? `The cosine of ${explained} and ${against} is ${kit.told(kit.fixed(cosineOf(values), 3))}`
    : `${kit.told(kit.percent(carried), BEFORE)} of this cosine comes from marks and words like “the”`;
};

// The cosine as one bar of the tokens of the sentence that is explained, those with little meaning first.
const BAR = 40;
const NAMES = {
  small: ["marks and words like “the”", "marks, “the” …"],
  large: ["words with a meaning", "other words"],
};
const bar = (values, { explained, against, pooling }, state, width) => {
  const cosine = cosineOf(values),
    carried = carriedBySmall(values, { explained }, state),
    title = kit.text(0, 14, `Cosine of ${explained} and ${against}: ${kit.fixed(cosine, 3)}`, "start", kit.TITLE);
  if (carried === null) return { inside: title, height: 30 };
  const parts = state.tokens[explained - 1]
      .map((word, t) => ({ word, wide: (width * values.contributions[t]) / cosine }))
      .filter(({ wide }) => Math.abs(wide) > 1), // what adds nothing has no piece
    sides = [true, false].map((small) => parts.filter(({ word }) => isSmall(word) === small)),
    lettered = letteringOf(parts),
    large = sides[1].every(({ word }) => word === "[UNK]") ? ["unknown words"] : NAMES.large;
  let x = 0;
  const piece =
    (colour, ink) =>
    ({ word, wide }) => {
      const middle = [x + wide / 2, 22 + lettered.tall / 2],
        turned = lettered.turned(word, wide);
      x += wide;
      return (
        kit.rect(x - wide, 22, wide - 1, lettered.tall, `fill="${colour}"`) +
        kit.text(
          middle[0] + (turned ? 4 : 0),
          middle[1] + (turned ? 0 : 4),
          word,
          "middle",
          `${kit.SMALL} style="fill:${ink}"` +
            (turned ? ` transform="rotate(-90 ${kit.round(middle[0] + 4)} ${kit.round(middle[1])})"` : ""),
        )
      );
    };
  const side = (own, share, colour, ink) =>
    (lettered.fits ? own : share > 0.005 ? [{ word: kit.percent(share), wide: share * width }] : [])
      .map(piece(colour, ink))
      .join("");
  const said = (names, share, colour, at, anchor) => {
    const name = names.find((one) => one.length * 7.4 + 50 < Math.max(share, 0.4) * width);
    return share > 0.005 && name
      ? kit.tinted(at, 22 + lettered.tall + 17, [[`${name} ${kit.fixed(share * cosine, 3)}`, colour]], anchor)
      : "";
  };
  return {
    inside:
      title +
      side(sides[0], carried, BEFORE, "#000") +
      side(sides[1], 1 - carried, AFTER, "#fff") +
      said(pooling === "cls" ? ["[CLS]"] : NAMES.small, carried, BEFORE, 0, "start") +
      said(large, 1 - carried, AFTER, width, "end"),
    height: 22 + lettered.tall + 34,
  };
};

// How all pieces get their words: those that are too narrow stand upright, and all do where most would. Where even
// that does not fit, or a token adds less than nothing, the two sides are whole (`fits` is false).
const letteringOf = (parts) => {
  const long = (word) => 6.4 * word.length + 6,
    narrow = parts.filter(({ word, wide }) => long(word) > wide),
    upright = 2 * narrow.length > parts.length ? parts : narrow,
    tall = Math.max(BAR, ...upright.map(({ word }) => long(word))),
    fits = parts.every(({ wide }) => wide >= 0) && upright.every(({ wide }) => wide >= 15) && tall <= 110;
  if (!fits) return { fits, tall: BAR, turned: () => false };
  return { fits, tall, turned: (word, wide) => upright.some((one) => one.word === word && one.wide === wide) };
};

// Two columns of tokens, darker the more they add, and between them a wire for every pair: the strongest of each row
// in full, the others faint.
const wiring = (values, chosen, state) => {
  const { explained, against } = chosen,
    width = kit.room.width,
    [mine, others] = [explained, against].map((number) => state.tokens[number - 1] ?? []),
    wires = values.wires ?? [],
    strongest = Math.max(1e-9, ...wires.flat().map(Math.abs)),
    head = bar(values, chosen, state, width);
  const half = Math.floor(width / 2) - 12,
    names = [explained, against].map((number) => kit.wrapped(`${number} ${state.sentences[number - 1]}`, half, 7.4));
  const under = head.height + 12 + 16 * Math.max(...names.map((lines) => lines.length)),
    top = under + 18,
    y = (t) => top + STEP * (t + 0.5),
    box = Math.min(120, Math.round(width * 0.24)),
    left = 48 + box,
    right = width - left,
    bend = (left + right) / 2;
  const wire = (row, t) => (v, u) => {
    const share = Math.abs(v) / strongest,
      most = Math.abs(v) === Math.max(...row.map(Math.abs));
    if (share < (most ? NONE : FAINT)) return "";
    const path = `M${left} ${y(t)}C${bend} ${y(t)} ${bend} ${y(u)} ${right} ${y(u)}`;
    return (
      `<path class="kit-wire" data-link="${t}" d="${path}" fill="none" ` +
      `stroke-width="${kit.round(most ? 1.5 + 5 * share : 0.5 + 2 * share)}" ` +
      `stroke-opacity="${(most ? 0.35 + 0.55 * share : 0.25 * share).toFixed(2)}" ` +
      `stroke="${v < 0 ? kit.COLOURS.negative : colourOf(isSmall(others[u]) ? others[u] : mine[t])}"/>`
    );
  };
  const received = others.map((_, u) => wires.reduce((sum, row) => sum + row[u], 0)),
    most = Math.max(1e-9, ...values.contributions.map(Math.abs), ...received.map(Math.abs));
  // A token in its box, with what it adds beside it; x: of the box; outer: of the number.
  const token = (word, v, t, x, outer, link) =>
    `<g ${link}>${kit.rect(x, y(t) - 12, box, 24, 'class="kit-token" rx="5"')}` +
    kit.rect(
      x,
      y(t) - 12,
      box,
      24,
      `rx="5" fill="${v < 0 ? kit.COLOURS.negative : colourOf(word)}" ` +
        `fill-opacity="${((0.5 * Math.abs(v)) / most).toFixed(2)}"`,
    ) +
    kit.text(x + box / 2, y(t) + 4, kit.cut(word, box - 4), "middle", kit.SMALL) +
    kit.text(outer, y(t) + 4, kit.fixed(v, 3), x < bend ? "start" : "end", kit.SMALL) +
    "</g>";
  const heads = names.map((lines, side) =>
    lines
      .map((line, i) =>
        kit.text(side ? width : 0, head.height + 14 + 16 * i, line, side ? "end" : "start", 'class="kit-strong"'),
      )
      .join(""),
  );
  return kit.svg(
    width,
    top + STEP * Math.max(mine.length, others.length) + 4,
    `the cosine as a bar; tokens of sentence ${explained} and of sentence ${against}, joined by wires`,
    head.inside +
      heads.join("") +
      kit.text(0, under + 12, "adds to the cosine", "start", kit.SMALL) +
      kit.text(width, under + 12, "adds to the cosine", "end", kit.SMALL) +
      wires.map((row, t) => row.map(wire(row, t)).join("")).join("") +
      mine.map((word, t) => token(word, values.contributions[t], t, 48, 0, `data-link="${t}"`)).join("") +
      others.map((word, u) => token(word, received[u], u, right, width, "")).join(""),
  );
};

// The pairs that add most, of sentence `explained` with sentence `against`: [[value, token, token]].
const strongestOf = (state, chosen, count) => {
  const [mine, others] = [chosen.explained, chosen.against].map((number) => state.tokens[number - 1]);
  return wiresOf(state, chosen)
    .flatMap((row, t) => row.map((v, u) => [v, mine[t], others[u]]))
    .sort((a, b) => b[0] - a[0])
    .slice(0, count);
};
const pairs = (state, chosen) =>
  kit.table({
    title: "The strongest wires",
    head: ["from", "to", "adds"],
    rows: strongestOf(state, chosen, 5).map(([v, a, b]) => [`“${a}”`, `“${b}”`, kit.fixed(v, 3)]),
  }) +
  '<p class="kit-note">Weak wires, of either sign, are faint or not drawn, but many can outweigh a strong one.</p>';

// Colours from the least cosine there is: all are high.
const matrix = (values, { explained }, state) => {
  const names = state.sentences.map((text, i) => `${i + 1} ${text}`),
    least = Math.min(...values.cosines.flat());
  return kit.heat({
    title: `Cosines: the darker, the nearer, from ${kit.fixed(least, 3)} on`,
    hue: AFTER,
    rows: names,
    columns: names.map((_, i) => String(i + 1)),
    values: values.cosines,
    left: 170,
    digits: 3,
    min: least,
    marked: Number(explained) - 1,
  });
};

const weights = (values, { explained, pooling }, state) =>
  Math.max(...values.weights) - Math.min(...values.weights) < 1e-9
    ? '<p class="kit-note">Every token has the same weight in its vector.</p>'
    : kit.tiles({
        title:
          pooling === "max" ? "Share of the dimensions that each token wins" : "Weight of each token in the vector",
        tiles: state.tokens[Number(explained) - 1].map((text, t) => ({ text, value: values.weights[t] })),
        min: 0,
        max: Math.max(...values.weights),
        digits: 3,
      });

const draw = (values, chosen, state) => [
  kit.wide(wiring(values, chosen, state)),
  matrix(values, chosen, state) + weights(values, chosen, state),
  pairs(state, chosen),
];

const brief = (values, chosen, state) => {
  const { explained, against, pooling, layer } = chosen,
    sum = cosineOf(values),
    carried = carriedBySmall(values, chosen, state),
    [[, left, right]] = strongestOf(state, chosen, 1);
  const of =
    carried === null
      ? ""
      : `; ${kit.told(kit.fixed(sum * carried, 3), BEFORE)} of it is added by tokens of sentence ${explained} that ` +
        `mean little by themselves`;
  const is = `The cosine of ${explained} and ${against} is ${kit.told(kit.fixed(sum, 3))}`;
  return (
    (pooling === "cls"
      ? `${is}, that of the two [CLS]: ${layer ? "each has read its sentence" : "without attention they are the same"}.`
      : `${is}${of}. The strongest wire joins “${kit.escape(left)}” and “${kit.escape(right)}”.`) +
    kit.escape(cuts(state) + unknownWords(unknownOf(state), READER)) +
    (state.note ? ` <small>${kit.escape(state.note)}</small>` : "")
  );
};

const summary = (values, chosen, state) => {
  const { cosines, contributions } = values,
    said = [];
  cosines.forEach((row, a) =>
    row.forEach((c, b) => {
      if (b > a) said.push(`${kit.fixed(c, 3)} for ${a + 1} and ${b + 1}`);
    }),
  );
  const sum = contributions.reduce((a, b) => a + b, 0);
  return (
    `Pooling ${chosen.pooling} of layer ${chosen.layer}, cosines: ${said.join(", ")}. The tokens of sentence ` +
    `${chosen.explained} ` +
    `add up to its cosine with sentence ${chosen.against}, ${kit.fixed(sum, 3)}; “${values.top}” gives the ` +
    `largest part, ${kit.fixed(Math.max(...contributions), 3)}.` +
    cuts(state) +
    unknownWords(unknownOf(state), READER) +
    unread(chosen, state) +
    (state.note ? ` ${state.note}` : "")
  );
};

const cuts = (state) =>
  state.cut
    .map((cut, i) => (cut ? ` Sentence ${i + 1} is cut after ${state.tokens[i].length} word pieces.` : ""))
    .join("");

// Typed but not encoded (yet): there is no kernel, it is busy, or it rejected the text.
const unread = (chosen, state) =>
  FIELDS.map((name, i) => {
    const typed = (chosen[name] ?? state.sentences[i] ?? "").trim(),
      shown = state.sentences[i] || "";
    return typed === shown ? "" : ` Still shown as sentence ${i + 1}: “${shown}”`;
  }).join("");
