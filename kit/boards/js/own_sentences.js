// Two sentences of one's own, in two encoders that run in the page (js/bert.js). The same in Python:
// own_sentences_values in kit/boards/own_sentences_widget.py. Until the weights have come the board shows an example
// that Python computed.

const APART = [1, 7, 31]; // a sentence is paired with those so many places on: what random pairs are
const BINS = 48,
  LOWEST = -0.2;
const NEAREST = 5,
  SHOWN = 14;
const COLOURS = [kit.COLOURS.before, kit.COLOURS.after];
const PATIENCE = 15; // seconds until the board says that nothing has come

const title = "Your own two sentences, raw and healed";

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
      const { ids, pieces } = tokenizer(text);
      const spaces = encoders.map((encode) => {
        const { tokens, vector } = encode(ids);
        return { vector: kit.unit([...vector]), tokens: unitRows(tokens, shape.width).slice(1, -1).slice(0, SHOWN) };
      });
      if (read.size > 8) read.clear();
      read.set(text, { pieces: pieces.slice(1, -1).slice(0, SHOWN), spaces });
    }
    return read.get(text);
  };
  return { encoded, known, random };
};

// Weights are asked for when the reader first types. `given` is what has come: { ready } or { problem }.
const begin = (model, redraw) => {
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
    redraw();
  };
  model.on("change:controls", ask);
  model.on("msg:custom", (told, buffers) => {
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
  return given;
};

const compute = (state, chosen, given) => {
  const texts = [chosen.first ?? state.first, chosen.second ?? state.second];
  const blank = texts.some((text) => !text.trim());
  if (!given?.ready) {
    const same = texts[0] === state.first && texts[1] === state.second;
    const loading = given?.asked ? "The two encoders are being loaded (8 MB) …" : "";
    return { ...state.example, waiting: given?.problem ?? (same ? "" : loading), blank };
  }
  const { encoded, known, random } = given.ready;
  const [first, second] = texts.map(encoded);
  const spaces = state.names.map((name, k) => {
    const [a, b] = [first.spaces[k], second.spaces[k]],
      cosine = kit.dot(a.vector, b.vector);
    const histogram = new Array(BINS).fill(0);
    for (const value of random[k])
      histogram[Math.min(BINS - 1, Math.floor(((value - LOWEST) / (1 - LOWEST)) * BINS))] += 100 / random[k].length;
    const nearest = known[k]
      .map((row, index) => ({ index, cosine: kit.dot(row, a.vector) }))
      .sort((x, y) => y.cosine - x.cosine || x.index - y.index)
      .slice(0, NEAREST);
    return [
      name,
      {
        cosine,
        below: (100 * random[k].filter((value) => value < cosine).length) / random[k].length,
        histogram,
        agree: a.tokens.map((one) => b.tokens.map((other) => kit.dot(one, other))),
        nearest,
      },
    ];
  });
  return { pieces: [first.pieces, second.pieces], spaces: Object.fromEntries(spaces), texts, waiting: "", blank };
};

// The cosines of random pairs as hills, and where this pair stands.
const scale = (name, space, colour) => {
  const width = kit.room.column,
    wide = width - 20,
    x = (value) => ((value - LOWEST) / (1 - LOWEST)) * wide + 10,
    top = Math.max(...space.histogram);
  const bars = space.histogram
    .map((share, i) => {
      const height = (54 * share) / top;
      return share
        ? kit.rect(10 + (wide * i) / BINS, 88 - height, wide / BINS - 1, height, `fill="${colour}" fill-opacity="0.35"`)
        : "";
    })
    .join("");
  const at = x(Math.max(space.cosine, LOWEST)),
    anchor = space.cosine > 0.8 ? "end" : "middle";
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((v) => kit.text(x(v), 106, kit.short(v), "middle", kit.SMALL)).join("");
  const said = `${name}: cosine ${kit.fixed(space.cosine)}, more than ${Math.round(space.below)} % of random pairs`;
  return (
    kit.svg(
      width,
      112,
      said,
      `${bars}<path class="kit-axis" d="M10 88H${width - 10}"/>${ticks}` +
        `<path d="M${kit.round(at)} 24V88" stroke="${colour}" stroke-width="3"/>` +
        kit.text(at + (anchor === "end" ? 8 : 0), 16, `${name} ${kit.fixed(space.cosine)}`, anchor, kit.TITLE),
    ) + `<p class="kit-note">more than <b>${Math.round(space.below)} %</b> of random pairs</p>`
  );
};

// Pieces of the first sentence down, of the second across; the ring is the nearest in its row.
const agreement = (name, pieces, agree) => {
  const size = kit.round(Math.max(1.7, Math.min(2.5, (kit.room.column - 100) / (13 * pieces[1].length))));
  const head = pieces[1].map((piece) => `<th scope="col"><span>${kit.escape(piece)}</span></th>`).join("");
  const rows = agree.map((row, i) => {
    const best = row.indexOf(Math.max(...row));
    const cells = row.map((value, j) => {
      const { fill } = kit.cividis(value);
      const title = `${pieces[0][i]} and ${pieces[1][j]}: ${kit.fixed(value)}`;
      return (
        `<td title="${kit.escape(title)}" style="background:${fill}">` +
        (j === best ? `<i style="border-color:${value > 0.46 ? "#000" : "#fff"}"></i>` : "") +
        "</td>"
      );
    });
    return `<tr><th scope="row">${kit.escape(pieces[0][i])}</th>${cells.join("")}</tr>`;
  });
  return (
    `<div class="kit-agree" style="--kit-cell: ${size}em"><table>` +
    `<caption>${kit.escape(name)}: which words agree</caption>` +
    `<thead><tr><td></td>${head}</tr></thead><tbody>${rows.join("")}</tbody></table></div>`
  );
};

const neighbours = (name, space, state) => {
  const items = space.nearest.map(({ index, cosine }) => {
    const text = state.sentences[index];
    const pick = text.includes(":") ? "" : ` data-pick="second:${kit.escape(text)}"`;
    return `<li${pick}><b>${kit.fixed(cosine)}</b> ${kit.escape(text)}</li>`;
  });
  const many = state.sentences.length.toLocaleString("en");
  return (
    `<div class="kit-nearest"><p class="kit-title">${kit.escape(name)}: nearest to the first of ${many}</p>` +
    `<ol>${items.join("")}</ol></div>`
  );
};

const draw = (values, chosen, state) => {
  const told = values.waiting || (values.blank ? "Type a sentence into both fields." : "");
  const dim = told ? ' style="opacity:0.4"' : "";
  const offers = state.try.map(
    (text) =>
      `<button type="button" class="kit-button" data-pick="second:${kit.escape(text)}">${kit.escape(text)}</button>`,
  );
  const notice = told ? `<p class="kit-note" role="status">${kit.escape(told)}</p>` : "";
  return [
    kit.wide(`<p class="kit-try">second sentence: ${offers.join(" ")}</p>${notice}`),
    ...state.names.map((name, k) => {
      const space = values.spaces[name];
      const parts = [
        scale(name, space, COLOURS[k]),
        agreement(name, values.pieces, space.agree),
        neighbours(name, space, state),
      ];
      return `<div class="kit-own"${dim}>${parts.join("")}</div>`;
    }),
  ];
};

// That share of the random pairs; cut after one decimal, not rounded: 99.97 % are not all.
const partOf = (percent) => (percent === 100 ? "all" : `${(Math.floor(10 * percent) / 10).toFixed(1)} % of the`);

const brief = (values, chosen, state) => {
  const said = state.names.map((name, k) => {
    const { cosine, below } = values.spaces[name];
    const number = kit.told(kit.fixed(cosine), COLOURS[k]);
    return `${kit.escape(name)} ${number}, above ${partOf(below)} random pairs`;
  });
  const told = values.waiting || (values.blank ? "Type a sentence into both fields." : "");
  return `${kit.escape(told) || `Cosine: ${said.join("; ")}.`} ${kit.escape(state.note)}`;
};

const summary = (values, chosen, state) => {
  const said = state.names.map((name) => {
    const { cosine, below } = values.spaces[name];
    return `${name}: cosine ${kit.fixed(cosine)}, higher than ${partOf(below)} random pairs have`;
  });
  const told = values.waiting || (values.blank ? "Type a sentence into both fields." : `${said.join("; ")}.`);
  return `${told} ${state.note}`;
};
