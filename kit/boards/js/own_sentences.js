// Two sentences of one's own, in two encoders that run in the page (js/bert.js). The same in Python:
// own_sentences_values in kit/boards/own_sentences_widget.py. Until the weights have come the board shows an example
// that Python computed.

const APART = [1, 7, 31]; // a sentence is paired with those so many places on: what random pairs are
const BINS = 60,
  LOWEST = -0.5;
const NEAREST = 5,
  SHOWN = 14;
const COLOURS = [kit.COLOURS.before, kit.COLOURS.after];
const PATIENCE = 15; // seconds until the board says that nothing has come

const title = "Your own two sentences, raw and healed";
const folded = { from: 2, name: "word by word, and the nearest of many sentences" };

const controls = (state) => [
  { kind: "text", name: "first", label: "first sentence", value: state.first },
  { kind: "text", name: "second", label: "second sentence", value: state.second },
];

const unitRows = (numbers, d) =>
  Array.from({ length: numbers.length / d }, (_, row) => kit.unit([...numbers.subarray(row * d, row * d + d)]));

// What the page or the kernel sends: shape, the weights of each encoder, each encoder's vectors of the sentences.
const receive = (buffers, names) => {
  const shape = JSON.parse(new TextDecoder().decode(buffers[0])),
    many = names.length;
  const tokenizer = wordPiece(shape),
    encoders = names.map((_, k) => bert(shape, buffers[1 + k])),
    known = names.map((_, k) => unitRows(fromHalf(buffers[1 + many + k]), shape.width));
  const random = known.map((rows) =>
    APART.flatMap((apart) => rows.map((row, i) => kit.dot(row, rows[(i + apart) % rows.length]))),
  );
  const read = new Map(); // the last texts: one sentence is typed while the other stands
  const encoded = (text) => {
    if (!read.has(text)) {
      const { ids, pieces, cut } = tokenizer(text);
      const spaces = encoders.map((encode) => {
        const { tokens, vector } = encode(ids);
        return { vector: kit.unit([...vector]), tokens: unitRows(tokens, shape.width).slice(1, -1).slice(0, SHOWN) };
      });
      if (read.size > 40) read.clear();
      const inner = pieces.slice(1, -1);
      read.set(text, { pieces: inner.slice(0, SHOWN), unknown: isUnknown(inner), cut, spaces });
    }
    return read.get(text);
  };
  return { encoded, known, random };
};

// Weights are asked for when the reader first types, and by a view that is drawn when that has been: it begins with the
// reader's sentences. `given` is what has come: { ready } or { problem }.
const begin = (model, redraw, listen) => {
  const given = {};
  const say = (problem) => {
    if (given.ready) return;
    given.problem = problem;
    redraw();
  };
  const ask = () => {
    if (given.asked) return;
    given.asked = true;
    model.send({ kit: "buffers" });
    setTimeout(
      () => given.problem ?? say("Nothing has come yet: a kernel that computes sends it afterwards."),
      PATIENCE * 1000,
    );
  };
  listen("change:controls", ask);
  listen("msg:custom", (told, buffers) => {
    if (told.kit !== "buffers") return;
    if (told.error) return say(told.error);
    // Front ends give the bytes as views or as buffers.
    const views = buffers.map((one) => new DataView(one.buffer ?? one, one.byteOffset ?? 0, one.byteLength));
    try {
      given.ready = receive(views, model.get("state").names);
    } catch (problem) {
      return say(`The encoders that came could not be read (${problem.message}).`);
    }
    redraw();
  });
  const [state, typed] = [model.get("state"), model.get("controls")];
  if (["first", "second"].some((name) => (typed[name] ?? state[name]) !== state[name])) ask();
  return given;
};

const compute = (state, chosen, given) => {
  const texts = [chosen.first ?? state.first, chosen.second ?? state.second];
  const blank = texts.some((text) => !text.trim());
  if (!given?.ready) {
    const same = texts[0] === state.first && texts[1] === state.second;
    const [problem, others] = chosen.gone
      ? ["", "The pictures are of the example, not of your sentences."]
      : [given?.problem, "The two encoders are being loaded (up to 9 MB) …"];
    return { ...state.example, waiting: problem || (same ? "" : others), blank };
  }
  const { encoded, known, random } = given.ready;
  const [first, second] = texts.map(encoded);
  const spaces = state.names.map((name, k) => {
    const [a, b] = [first.spaces[k], second.spaces[k]],
      cosine = kit.dot(a.vector, b.vector);
    const histogram = new Array(BINS).fill(0);
    for (const value of random[k].filter((cosine) => cosine >= LOWEST))
      histogram[Math.min(BINS - 1, Math.floor(((value - LOWEST) / (1 - LOWEST)) * BINS))] += 100 / random[k].length;
    const nearest = known[k]
      .map((row, index) => ({ index, cosine: kit.dot(row, a.vector) }))
      .sort((x, y) => y.cosine - x.cosine || x.index - y.index)
      .slice(0, NEAREST);
    return [
      name,
      {
        cosine,
        offered: state.try.map((text) => kit.dot(a.vector, encoded(text).spaces[k].vector)),
        below: (100 * random[k].filter((value) => value < cosine).length) / random[k].length,
        histogram,
        agree: a.tokens.map((one) => b.tokens.map((other) => kit.dot(one, other))),
        nearest,
      },
    ];
  });
  return {
    pieces: [first.pieces, second.pieces],
    cut: [first.cut, second.cut],
    unknown: [first.unknown, second.unknown],
    spaces: Object.fromEntries(spaces),
    texts,
    waiting: "",
    blank,
  };
};

// Cut after one decimal, not rounded: 99.97 % are not all.
const partOf = (percent, state) => {
  const drawn = `${(APART.length * state.sentences.length).toLocaleString("en")} random pairs drawn`;
  return percent === 100 ? `all ${drawn}` : `${(Math.floor(10 * percent) / 10).toFixed(1)} % of the ${drawn}`;
};

// This pair, and the first sentence with each of those offered, from the smallest cosine to the largest.
const pairsOf = (values, space, state) =>
  [
    { text: values.texts?.[1] ?? state.second, cosine: space.cosine, typed: true },
    ...state.try.map((text, k) => ({ text, cosine: space.offered[k], typed: false })),
  ]
    .filter(({ text, typed }, i, all) => typed || text !== all[0].text)
    .sort((a, b) => a.cosine - b.cosine);

// A sentence that is offered has one colour in both spaces, so that one sees who comes first in each.
const OFFERED = [kit.COLOURS.negative, kit.COLOURS.positive, kit.COLOURS.neutral];

// The cosines of random pairs as hills, and where the pairs stand; both spaces have one axis.
const HILL = 100,
  LINE = 17;
const scale = (values, name, k, state) => {
  const { width } = kit.room,
    space = values.spaces[name],
    colour = COLOURS[k],
    wide = width - 20,
    x = (value) => ((Math.max(value, LOWEST) - LOWEST) / (1 - LOWEST)) * wide + 10,
    top = Math.max(...space.histogram),
    pairs = pairsOf(values, space, state);
  const nearest = pairs[pairs.length - 1].text,
    narrow = kit.room.columns === 1, // the words stand in lines of their own, nearest first
    title = narrow
      ? kit.wrapped(`${name}, nearest first; hills: random pairs`, width - 4, kit.BOLD)
      : [kit.cut(`${name}: nearest is “${nearest}”; hills: random pairs`, 0.85 * width)],
    head = 6 + kit.LINE * title.length,
    foot = head + LINE * pairs.length + HILL + 6;
  const bars = space.histogram
    .map((part, i) => {
      const height = (HILL * part) / top;
      return part
        ? kit.rect(
            10 + (wide * i) / BINS,
            foot - height,
            wide / BINS - 1,
            height,
            `fill="${colour}" fill-opacity="0.35"`,
          )
        : "";
    })
    .join("");
  // The hills are faint beside the marks; their ridge is not.
  const ridge = space.histogram.map((part, i) => {
    const [from, y] = [10 + (wide * i) / BINS, foot - (HILL * part) / top];
    return `${i ? "L" : "M"}${kit.round(from)} ${kit.round(y)}h${kit.round(wide / BINS)}`;
  });
  // The leftmost has the lowest line of words, so that no mark crosses the words of another.
  const hue = (text) => OFFERED[state.try.indexOf(text)] ?? kit.COLOURS.contrast;
  const marks = pairs.map(({ text, cosine, typed }, i) => {
    const [at, y] = [x(cosine), head + LINE * (pairs.length - i)],
      right = !narrow && at < 0.3 * width, // of a mark so far to the left its words stand on the other side
      free = narrow ? width : right ? width - at : at,
      said = kit.cut(`${kit.fixed(cosine)} ${kit.apart(text)}`, (free - 8) * 0.85); // bold is wider
    if (narrow)
      return (
        `<path d="M${kit.round(at)} ${head + LINE * pairs.length + 8}V${foot}" stroke="${hue(text)}" ` +
        `stroke-width="${typed ? 5 : 3}"/>` +
        kit.tinted(0, head + LINE * (pairs.length - i) - 4, [[said, hue(text)]], "start")
      );
    return (
      `<path d="M${kit.round(at)} ${y - 10}V${foot}" stroke="${hue(text)}" ` +
      `stroke-width="${typed ? 4 : 2.4}"/>` +
      kit.tinted(
        at + (right ? 7 : -7),
        y,
        [[said, hue(text)]],
        right ? "start" : "end",
        typed ? 'class="kit-halo"' : 'class="kit-small kit-halo"',
      )
    );
  });
  const ticks = (narrow ? [LOWEST, 0, 0.5, 1] : [LOWEST, -0.25, 0, 0.25, 0.5, 0.75, 1])
    .map((v) => kit.text(x(v), foot + 16, kit.short(v), v === LOWEST ? "start" : v === 1 ? "end" : "middle", kit.SMALL))
    .join("");
  return kit.svg(
    width,
    foot + 38,
    `${name}: cosine ${kit.fixed(space.cosine)}, more than ${partOf(space.below, state)} have`,
    kit.paragraph(0, 14, title, "start", kit.TITLE) +
      `${bars}<path d="${ridge.join("")}" fill="none" stroke="${colour}"/>` +
      `<path class="kit-axis" d="M10 ${foot}H${width - 10}"/>${ticks}${marks.join("")}` +
      kit.text(width / 2, foot + 32, "cosine", "middle", kit.SMALL),
  );
};

// Each piece of the first sentence, joined to its nearest in the second: the wider the line, the nearer.
const PIECE = 21;
const agreement = (name, pieces, agree, colour) => {
  const width = kit.room.column,
    longer = pieces.some((all) => all.length === SHOWN), // there may be more of them
    head = kit.heading(
      { title: `${name}: each ${longer ? `of the first ${SHOWN} pieces` : "word"} and its nearest` },
      width,
    ),
    [left, right] = [0.32 * width, 0.62 * width],
    high = head.height + PIECE * Math.max(...pieces.map((all) => all.length), 1) + 6,
    y = (i) => head.height + PIECE * i + 14;
  const lines = agree.map((row, i) => {
    const best = row.indexOf(Math.max(...row));
    if (best < 0) return "";
    const bend = (right - left) / 2,
      from = [left + 6, y(i) - 4],
      to = [right - 6, y(best) - 4];
    return (
      `<g><title>${kit.escape(`${pieces[0][i]} and ${pieces[1][best]}: ${kit.fixed(row[best])}`)}</title>` +
      `<path d="M${from.map(kit.round)}C${kit.round(from[0] + bend)} ${kit.round(from[1])} ` +
      `${kit.round(to[0] - bend)} ${kit.round(to[1])} ${to.map(kit.round)}" fill="none" stroke="${colour}" ` +
      `stroke-width="${kit.fixed(0.8 + 9 * Math.max(0, row[best]) ** 2, 1)}"/></g>`
    );
  });
  const words = (all, at, anchor) =>
    all.map((piece, i) => kit.text(at, y(i), kit.cut(piece, left - 8), anchor, kit.SMALL)).join("");
  return (
    '<div class="kit-agree">' +
    kit.svg(
      width,
      high,
      `${name}: which words agree`,
      head.inside + lines.join("") + words(pieces[0], left, "end") + words(pieces[1], right, "start"),
    ) +
    "</div>"
  );
};

const neighbours = (name, space, state) => {
  const items = space.nearest.map(({ index, cosine }, rank) => {
    const text = state.sentences[index],
      said = `<b>${kit.fixed(cosine)}</b> <bdi>${kit.escape(text)}</bdi>`,
      meant = `data-pick="second:${kit.escape(text)}" data-keep="near ${rank}"`;
    if (text.includes(":")) return `<li>${said}</li>`;
    return `<li><button type="button" ${meant}>${said}</button></li>`;
  });
  const many = state.sentences.length.toLocaleString("en");
  return (
    `<div class="kit-nearest"><p class="kit-title">${kit.escape(name)}: nearest to the first of ${many}</p>` +
    `<ol>${items.join("")}</ol></div>`
  );
};

const draw = (values, chosen, state) => {
  const told = values.waiting || (values.blank ? "Type a sentence into both fields." : "");
  const dim = told ? " kit-earlier" : "";
  const offers = state.try.map(
    (text, k) =>
      `<button type="button" class="kit-button" data-pick="second:${kit.escape(text)}" data-keep="try ${k}">` +
      `${kit.escape(text)}</button>`,
  );
  const notice = told ? `<p class="kit-note" role="status">${kit.escape(told)}</p>` : "";
  return [
    kit.wide(`<p class="kit-try">try: ${offers.join(" ")}</p>${notice}`),
    kit.wide(
      `<div class="${dim.trim()}">${state.names.map((name, k) => scale(values, name, k, state)).join("")}</div>`,
    ),
    ...state.names.map((name, k) => {
      const space = values.spaces[name];
      const parts = [agreement(name, values.pieces, space.agree, COLOURS[k]), neighbours(name, space, state)];
      return `<div class="kit-own${dim}">${parts.join("")}</div>`;
    }),
  ];
};

const READERS = "these encoders";

// Which of the second sentences stands nearest to the first, in either space.
const lead = (values, chosen, state) => {
  if (values.waiting || values.blank) return "Which sentence is nearest to yours?";
  if (values.unknown.includes(true)) return strange(values.unknown, READERS);
  const [raw, healed] = state.names.map((name) => pairsOf(values, values.spaces[name], state).at(-1).text),
    [first, last] = state.names.map((name, k) => kit.told(kit.escape(name), COLOURS[k]));
  return raw === healed
    ? `${first} and ${last} have the same sentence nearest to yours`
    : `${first} and ${last} have different sentences nearest to yours`;
};

// An encoder reads so many word pieces and no more; who types a page should know.
const unread = (values, { longest }) =>
  unknownWords(values.unknown, READERS) +
  (values.cut.includes(true) ? ` Only the first ${longest} word pieces of a sentence are read.` : "");

const brief = (values, chosen, state) => {
  const told = values.waiting || (values.blank ? "Type a sentence into both fields." : ""),
    note = `<small>${kit.escape(state.note)}</small>`;
  if (told) return `${kit.escape(told)} ${note}`;
  const nearest = state.names.map((name) => pairsOf(values, values.spaces[name], state).at(-1)),
    said = (k) =>
      `${kit.escape(state.names[k])} puts ${kit.escape(kit.quote(nearest[k].text))} nearest ` +
      `(${kit.told(kit.fixed(nearest[k].cosine), COLOURS[k])})`;
  return (
    `To ${kit.escape(kit.quote(values.texts?.[0] ?? state.first))} ${said(0)}, ${said(1)}.` +
    `${unread(values, state)} ${note}`
  );
};

const summary = (values, chosen, state) => {
  const said = state.names.map((name) => {
    const { cosine, below } = values.spaces[name];
    return `${name}: cosine ${kit.fixed(cosine)}, higher than ${partOf(below, state)} have`;
  });
  const told =
    values.waiting ||
    (values.blank ? "Type a sentence into both fields." : `${said.join("; ")}.${unread(values, state)}`);
  return `${told} ${state.note}`;
};
