// Two or three sentences under a pooling: their cosines, and which tokens make them.
// state: {sentences [n], tokens [n][tokens], cut [n], hidden [layers + 1][n][tokens][dim] in thousandths,
//         note: a further remark, or empty}
// The same in Python: explorer_values in kit/boards/explorer_widget.py.

const POOLED = ["mean", "mean_without_cls", "cls", "max", "first_last"];
const FIELDS = ["first", "second", "third"];

const controls = (state) => {
  const last = state.hidden.length - 1;
  return [
    ...FIELDS.map((name, i) => ({
      kind: "text",
      name,
      label: `sentence ${i + 1}`,
      value: state.sentences[i] || "",
      kernel: true,
    })),
    { kind: "choice", name: "pooling", label: "pooling", options: POOLED, value: "mean" },
    { kind: "slider", name: "layer", label: "layer", min: 0, max: last, step: 1, value: last },
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
const shares = [3, 2];

const motion = (values, chosen, state) => ({ contributions: values.contributions, wires: wiresOf(state, chosen) });

// What each pair of tokens, one of either sentence, adds to the cosine: [tokens][tokens], their sum is the cosine.
const wiresOf = (state, { pooling, layer, explained, against }) => {
  const [left, right] = [explained, against].map((number) => parts(pooling, states(state, pooling, layer, number - 1)));
  const lengths = kit.norm(total(left.parts)) * kit.norm(total(right.parts)) || 1;
  return left.parts.map((a) => right.parts.map((b) => kit.dot(a, b) / lengths));
};

const STEP = 30,
  FAINT = 0.2; // of the strongest: what a pair adds below that is not drawn

// Tokens with little meaning of their own: marks of the tokenizer, punctuation, and the commonest function words.
const SMALL_WORDS = new Set("a an the of in on at to for by with and or but it is was are be".split(" "));
const isSmall = (token) => /^\[.+\]$/.test(token) || !/[\p{L}\p{N}]/u.test(token) || SMALL_WORDS.has(token);
const colourOf = (token) => (isSmall(token) ? kit.COLOURS.before : kit.COLOURS.after);

// How much of the cosine the tokens with little meaning carry; null where that is no share of a whole.
const carriedBySmall = ({ contributions }, { explained }, state) => {
  const sum = (values) => values.reduce((a, b) => a + b, 0),
    small = sum(contributions.filter((_, t) => isSmall(state.tokens[explained - 1][t]))),
    share = small / sum(contributions);
  return sum(contributions) > 0 && share > 0 && share < 1.005 ? Math.min(share, 1) : null;
};

// Two columns of tokens, darker the more they add, and between them a wire for every pair: the strongest of each row
// in full, the others faint.
const wiring = (values, { explained, against }, state) => {
  const width = kit.room.first,
    [mine, others] = [explained, against].map((number) => state.tokens[number - 1] ?? []),
    wires = values.wires ?? [],
    strongest = Math.max(1e-9, ...wires.flat().map(Math.abs)),
    carried = carriedBySmall(values, { explained }, state),
    head = kit.heading(
      {
        title:
          carried === null
            ? `Which tokens of sentence ${explained} meet which of sentence ${against}`
            : `In sentence ${explained}, marks and words like “the” carry ${kit.fixed(100 * carried, 0)} %`,
        legend: [
          { name: "words with a meaning", colour: kit.COLOURS.after },
          { name: "with a mark, or a word like “the”", colour: kit.COLOURS.before },
          ...(wires.flat().some((v) => v < -FAINT * strongest)
            ? [{ name: "takes away", colour: kit.COLOURS.negative }]
            : []),
        ],
      },
      width,
    );
  const top = head.height + 16, // under the names of the numbers
    y = (t) => top + STEP * (t + 0.5),
    box = Math.min(104, Math.round(width * 0.24)),
    left = 48 + box,
    right = width - left,
    bend = (left + right) / 2;
  const wire = (row, t) => (v, u) => {
    const share = Math.abs(v) / strongest,
      most = Math.abs(v) === Math.max(...row.map(Math.abs));
    if (share < FAINT && !most) return "";
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
    `<g ${link}>${kit.rect(x, y(t) - 13, box, 26, 'class="kit-token" rx="5"')}` +
    kit.rect(
      x,
      y(t) - 13,
      box,
      26,
      `rx="5" fill="${v < 0 ? kit.COLOURS.negative : colourOf(word)}" ` +
        `fill-opacity="${((0.4 * Math.abs(v)) / most).toFixed(2)}"`,
    ) +
    kit.text(x + box / 2, y(t) + 4, kit.cut(word, box - 4), "middle", kit.SMALL) +
    kit.text(outer, y(t) + 4, kit.fixed(v, 3), x < bend ? "start" : "end", kit.SMALL) +
    "</g>";
  return kit.svg(
    width,
    top + STEP * Math.max(mine.length, others.length) + 4,
    `tokens of sentence ${explained} and of sentence ${against}`,
    head.inside +
      kit.text(0, head.height + 9, "adds to the cosine", "start", kit.SMALL) +
      kit.text(width, head.height + 9, "adds to the cosine", "end", kit.SMALL) +
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
  `<div class="kit-title">The strongest wires</div><ol class="kit-note">${strongestOf(state, chosen, 3)
    .map(([v, a, b]) => `<li><b>${kit.escape(a)}</b> – <b>${kit.escape(b)}</b> ${kit.fixed(v, 3)}</li>`)
    .join("")}</ol>`;

// The sum of all wires, large, and its split between tokens with and without a meaning.
const whole = (values, chosen, state) => {
  const { explained, against } = chosen,
    cosine = values.contributions.reduce((a, b) => a + b, 0),
    carried = carriedBySmall(values, chosen, state),
    small = [...new Set(state.tokens[explained - 1].filter(isSmall))].map((word) => `“${kit.escape(word)}”`);
  const part = (name, share, colour) => ({ name, value: share * cosine, colour }),
    bar = () =>
      kit.split({
        width: kit.room.second,
        tall: 24,
        tell: (v) => `${kit.fixed((100 * v) / cosine, 0)} %`,
        parts: [
          part("words with a meaning", 1 - carried, kit.COLOURS.after),
          part("the rest", carried, kit.COLOURS.before),
        ],
      });
  return (
    `<p class="kit-figure"><b>${kit.fixed(cosine, 3)}</b> ` +
    `cosine of ${explained} and ${against}: the sum of all wires</p>` +
    (carried === null ? "" : `${bar()}<p class="kit-note">The rest in sentence ${explained}: ${small.join(", ")}</p>`)
  );
};

const draw = (values, chosen, state) => {
  const names = state.sentences.map((text, i) => `${i + 1} ${text}`),
    { explained, pooling } = chosen;
  const equal = Math.max(...values.weights) - Math.min(...values.weights) < 1e-9;
  const matrix = kit.heat({
    width: kit.room.second,
    title: "Cosines",
    hue: kit.COLOURS.after,
    rows: names,
    columns: names.map((_, i) => String(i + 1)),
    values: values.cosines,
    left: 170,
    digits: 3,
    marked: Number(explained) - 1,
  });
  const weights = kit.tiles({
    title: pooling === "max" ? "Share of the dimensions that each token wins" : "Weight of each token in the vector",
    tiles: state.tokens[Number(explained) - 1].map((text, t) => ({ text, value: values.weights[t] })),
    min: 0,
    max: Math.max(...values.weights),
    digits: 3,
  });
  return [
    wiring(values, chosen, state) +
      '<p class="kit-note">Weak wires, of either sign, are faint or not drawn, but many can outweigh a strong one.</p>',
    whole(values, chosen, state) +
      pairs(state, chosen) +
      matrix +
      (equal ? '<p class="kit-note">Every token has the same weight in its vector.</p>' : weights),
  ];
};

const brief = (values, chosen, state) => {
  const { explained, against } = chosen,
    sum = values.contributions.reduce((a, b) => a + b, 0),
    carried = carriedBySmall(values, chosen, state),
    [[, left, right]] = strongestOf(state, chosen, 1);
  const of =
    carried === null
      ? ""
      : `; in sentence ${explained} words with a meaning carry ` +
        `${kit.told(kit.fixed(sum * (1 - carried), 3), kit.COLOURS.after)} of it, the ` +
        `rest comes from marks and from words like “the”`;
  return (
    `The cosine of ${explained} and ${against} is ${kit.told(kit.fixed(sum, 3))}${of}. The strongest wire joins ` +
    `“${kit.escape(left)}” and “${kit.escape(right)}”.` +
    kit.escape(cuts(state)) +
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
