// Recorded maps of sentences: PCA beside UMAP, and what UMAP's settings do to the same vectors.
// state: {sentences [n], action [n] (index), actions [names], frequency [n], pca [n][2], neighbours [m],
//         maps [seeds][m][n][2], kept and gathered [seeds][m], pca_gathered, space [actions][actions], note}
// The same in Python: maps_values in kit/boards/maps_widget.py.

const COLOURINGS = ["word frequency", "action"];

const controls = (state) => {
  const { neighbours, actions, maps } = state,
    last = neighbours.length - 1,
    ends = { from: actions[0], to: actions[3] };
  return [
    toTry({ "A and B nearest": mapWith(state, ends, Math.min), "A and B farthest": mapWith(state, ends, Math.max) }),
    {
      kind: "slider",
      name: "neighbours",
      label: "n_neighbors",
      full: "n_neighbors: neighbours that UMAP looks at",
      min: neighbours[0],
      max: neighbours[last],
      scale: "log",
      steps: last,
      value: neighbours[0],
    },
    {
      kind: "slider",
      name: "seed",
      label: "seed",
      full: "random seed of the UMAP map",
      min: 0,
      max: maps.length - 1,
      step: 1,
      value: 0,
    },
    { kind: "choice", name: "colouring", label: "colour", options: COLOURINGS, value: COLOURINGS[1] },
    { kind: "choice", name: "from", label: "from", options: actions, value: ends.from, half: true },
    { kind: "choice", name: "to", label: "to", options: actions, value: ends.to, half: true },
  ];
};

const mean = (values) => values.reduce((sum, v) => sum + v, 0) / values.length;
const middle = (points) => [0, 1].map((k) => mean(points.map((p) => p[k])));
const centre = (state, points, action) =>
  middle(points.filter((_, i) => state.action[i] === state.actions.indexOf(action)));

// The distance of the centres of two actions, in units of the map's own spread.
const apart = (state, points, ends) => {
  const [a, b] = ends.map((action) => centre(state, points, action));
  return Math.hypot(a[0] - b[0], a[1] - b[1]) / spread(points);
};

// The settings of the map on which two actions lie nearest, or farthest: `which` is Math.min or Math.max.
const mapWith = (state, ends, which) => {
  const all = state.maps.flatMap((row, seed) =>
    row.map((points, m) => ({
      seed,
      neighbours: state.neighbours[m],
      away: apart(state, points, Object.values(ends)),
    })),
  );
  const wanted = which(...all.map(({ away }) => away)),
    { seed, neighbours } = all.find(({ away }) => away === wanted);
  return { seed, neighbours, ...ends };
};

// The unit of distances: how far a point lies from the middle of its map, the root of the mean square.
const spread = (points) => {
  const [x, y] = middle(points);
  return Math.sqrt(mean(points.map((p) => (p[0] - x) ** 2 + (p[1] - y) ** 2)));
};

// R² of the frequency on the two coordinates: the normal equations of two unknowns.
const explained = (points, frequency) => {
  const [x, y] = middle(points),
    m = mean(frequency),
    sum = (f) => points.reduce((total, p, i) => total + f(p[0] - x, p[1] - y, frequency[i] - m), 0);
  const xx = sum((a) => a * a),
    xy = sum((a, b) => a * b),
    yy = sum((a, b) => b * b),
    xf = sum((a, b, f) => a * f),
    yf = sum((a, b, f) => b * f);
  const determinant = xx * yy - xy * xy,
    u = (yy * xf - xy * yf) / determinant,
    v = (xx * yf - xy * xf) / determinant;
  return 1 - sum((a, b, f) => (f - u * a - v * b) ** 2) / sum((a, b, f) => f * f);
};

const place = (state, neighbours) =>
  state.neighbours.reduce(
    (best, n, i) =>
      Math.abs(Math.log(n / neighbours)) < Math.abs(Math.log(state.neighbours[best] / neighbours)) ? i : best,
    0,
  );

const compute = (state, chosen) => {
  const at = place(state, chosen.neighbours),
    ends = [chosen.from, chosen.to],
    [i, j] = ends.map((name) => state.actions.indexOf(name));
  const curves = state.maps.map((row) => row.map((points) => apart(state, points, ends))),
    every = curves.flat();
  return {
    neighbours: state.neighbours[at],
    distance: curves[chosen.seed][at],
    curves,
    least: Math.min(...every),
    most: Math.max(...every),
    pca: apart(state, state.pca, ends),
    space: state.space[i][j],
    kept: state.kept[chosen.seed][at],
    gathered: [state.gathered[chosen.seed][at], state.pca_gathered],
    explained: [explained(state.maps[chosen.seed][at], state.frequency), explained(state.pca, state.frequency)],
  };
};

const title = "Maps of sentences, and how they lie";
const lead = ({ distance, least, most }, { from, to }) =>
  from === to
    ? "Choose two groups: how far apart a map puts them depends on its setting"
    : `This map puts the two ${kit.told(kit.fixed(distance), kit.COLOURS.after)} apart; UMAP can make it ` +
      `${kit.told(kit.fixed(least))} or ${kit.told(kit.fixed(most))}`;

// A group has no distance from itself: the menu that the reader has moved stays, the other takes another group.
const settle = (name, chosen, { actions }) => {
  const other = { from: "to", to: "from" }[name];
  if (!other || chosen.from !== chosen.to) return {};
  return { [other]: actions.find((action) => action !== chosen[name]) };
};

const motion = ({ neighbours, distance }, { seed }, state) => ({
  umap: lying(state.maps[seed][place(state, neighbours)]),
  distance,
});

const HEAD = 26;
const SPECK = 2; // radius of what is not looked at

// How wide and high a map is, in units of its own spread.
const extent = (points) => {
  const unit = spread(points) || 1;
  return [0, 1].map((k) => {
    const values = points.map((p) => p[k]);
    return (Math.max(...values) - Math.min(...values)) / unit;
  });
};
// The axes of a map mean nothing, and the panels are wider than high: a map that is higher than wide is turned.
const lying = (points) => {
  const [wide, high] = extent(points);
  return high > wide ? points.map(([x, y]) => [y, -x]) : points;
};
const extents = new WeakMap(); // of a state, the largest width and height of all its maps
const largest = (state) => {
  if (!extents.has(state)) {
    const every = [state.pca, ...state.maps.flat()].map((points) => extent(lying(points)));
    extents.set(
      state,
      [0, 1].map((k) => Math.max(...every.map((one) => one[k]))),
    );
  }
  return extents.get(state);
};

// The axes of a map mean nothing: draw dots, and the two centres with a line between them; `ends` come last. Every map
// has the same unit, its spread, so that a longer line is a larger distance from map to map as well.
const drawMap = (wide, title, points, { hues, titles, shown, reach }, ends) => {
  const lines = kit.wrapped(title, wide - 4, kit.BOLD),
    head = HEAD + kit.LINE * (lines.length - 1),
    tall = Math.round(Math.min(kit.room.column * 0.9, 370)) + head - HEAD,
    [xs, ys] = [0, 1].map((k) => points.map((p) => p[k]));
  const mid = (v) => (Math.min(...v) + Math.max(...v)) / 2,
    room = Math.min((kit.room.second - 36) / reach[0], (tall - head - 36) / reach[1]),
    scale = room / (spread(points) || 1); // the same scale on both axes
  const at = ([x, y]) =>
    [wide / 2 + (x - mid(xs)) * scale, (tall + head) / 2 - (y - mid(ys)) * scale].map((v) => Number(v.toFixed(1)));
  const circle = ([x, y], more) => `<circle cx="${x}" cy="${y}" ${more}`;
  const named = (i) => `><title>${kit.escape(titles[i])}</title></circle>`;
  const dot = (i) =>
    `<g data-link="${i}">` + circle(at(points[i]), `r="${shown[i] ? 4 : SPECK}" fill="${hues[i]}"${named(i)}`) + "</g>";
  const order = points.map((_, i) => i).sort((i, j) => shown[i] - shown[j]);
  const letter = ([x, y], name) =>
    circle([x, y], 'r="11" fill="#fff" stroke="#111" stroke-width="2"/>') +
    kit.text(x, y + 4.5, name, "middle", 'style="fill:#111;font-weight:700"');
  const [a, b] = ends.map(at),
    line = `<path d="M${a}L${b}" stroke="currentColor" stroke-width="2.5"/>`,
    size = spread(points) * scale,
    unit =
      `<path class="kit-rule" d="M12 ${tall - 12}v-8m0 4h${kit.round(size)}m0 -4v8"/>` +
      kit.text(12 + size + 7, tall - 11, "1", "start", 'class="kit-small kit-halo"');
  return kit.svg(
    wide,
    tall,
    title,
    kit.paragraph(0, 14, lines, "start", kit.TITLE) +
      kit.rect(0.5, head, wide - 1, tall - head - 1, 'class="kit-grid" fill="none" rx="4"') +
      `${order.map(dot).join("")}${unit}${line}${letter(a, "A")}${letter(b, "B")}`,
  );
};

// What the colours are, and A and B among them.
const legend = (state, colouring, colourOf, [from, to]) => {
  const swatch = (colour, name) => `<span><span style="color:${colour}">●</span> ${kit.escape(name)}</span>`;
  const shades = [
    [0, "rare words"],
    [0.5, "between"],
    [1, "common words"],
  ].map(([share, name]) => swatch(kit.cividis(share).fill, name));
  const groups = [
    swatch(colourOf(from), `${from}, A its middle`),
    ...(from === to ? [] : [swatch(colourOf(to), `${to}, B its middle`)]),
    `<span><span style="color:${kit.COLOURS.neutral}">●</span> the others</span>`,
  ];
  const words =
    colouring === COLOURINGS[1] ? groups : [...shades, `<span>A, B: the middles of ${from} and ${to}</span>`];
  return `<p class="kit-row">${words.join("")}</p>`;
};

// Where all recorded maps put the distance, this map among them, and where the space itself has it.
const strip = (values) => {
  const { width } = kit.room,
    { after, neutral, before } = kit.COLOURS,
    every = values.curves.flat(),
    marked = [values.least, values.most, values.space, values.pca],
    begin = Math.max(0, Math.min(...marked) - 0.15), // not at 0: what a setting changes is to be seen
    end = Math.max(...marked) + 0.15,
    x = (v) => 10 + ((v - begin) / (end - begin)) * (width - 20),
    head = kit.heading({ title: "How far is it from A to B? Every UMAP map has its own answer" }, width),
    y = head.height + 56,
    notes = kit.wrapped(
      "Grey: all UMAP maps. 1, the bar in each map: how far its sentences lie from its middle.",
      width - 20,
    );
  const dots = every.map(
    (v) => `<circle cx="${kit.round(x(v))}" cy="${y}" r="4" fill="${neutral}" fill-opacity="0.35"/>`,
  );
  // What is no UMAP map stands under the axis, each on its line, so that no mark runs through the other's words.
  const marks = [
    [values.space, `the space itself ${kit.fixed(values.space)}`, before],
    [values.pca, `PCA ${kit.fixed(values.pca)}`, neutral],
  ].sort(([a], [b]) => a - b);
  const [last, words] = marks[1],
    turned = x(last) + 6 + 7 * words.length > width;
  const tick = ([v, words, colour], i) => {
    const line = turned ? i : 1 - i;
    return (
      `<path d="M${kit.round(x(v))} ${y - 10}V${y + 28 + 16 * line}" stroke="${colour}" stroke-width="2.5"/>` +
      kit.tinted(
        x(v) + (turned ? -6 : 6),
        y + 34 + 16 * line,
        [[words, colour]],
        turned ? "end" : "start",
        'class="kit-small kit-halo"',
      )
    );
  };
  // Every tick has its number; one that a mark's line would run through stands beside that line.
  const scale = kit.ticks(begin, end, 6).map((v) => {
    const words = kit.short(v),
      room = 4 + 4 * words.length,
      crossing = marks.map(([at]) => x(v) - x(at)).find((away) => Math.abs(away) < room),
      aside = crossing === undefined ? 0 : Math.sign(crossing || 1) * room - crossing;
    return (
      `<path class="kit-axis" d="M${kit.round(x(v))} ${y}v5"/>` +
      kit.text(x(v) + aside, y + 17, words, "middle", 'class="kit-small kit-halo"')
    );
  });
  const [from, to] = [x(values.least), x(values.most)].map(kit.round),
    range =
      `<path class="kit-rule" d="M${from} ${y - 34}v-8m0 4H${to}m0 -4v8"/>` +
      kit.text(from - 6, y - 34, kit.fixed(values.least), "end", kit.SMALL) +
      kit.text(to + 6, y - 34, kit.fixed(values.most), "start", kit.SMALL);
  return kit.svg(
    width,
    head.height + 114 + 16 * notes.length,
    "the distance of A and B on all maps",
    `${head.inside}<path class="kit-axis" d="M10 ${y}H${width - 10}"/>` +
      dots.join("") +
      marks.map(tick).join("") +
      range +
      scale.join("") +
      `<circle cx="${kit.round(x(values.distance))}" cy="${y}" r="8" fill="${after}"/>` +
      kit.tinted(
        Math.min(Math.max(x(values.distance), 50), width - 60),
        y - 16,
        [[`this map ${kit.fixed(values.distance)}`, after]],
        "middle",
      ) +
      notes.map((line, i) => kit.text(10, y + 68 + 16 * i, line, "start", kit.SMALL)).join(""),
  );
};

const shares = [1, 1];
const draw = (values, { seed, colouring, from, to }, state) => {
  const ranks = [...state.frequency].sort((a, b) => a - b),
    { positive, classify, neutral } = kit.COLOURS;
  const shade = (i) => kit.cividis(ranks.indexOf(state.frequency[i]) / (ranks.length - 1)).fill;
  const colourOf = (action) => (action === from ? positive : action === to ? classify : neutral),
    byAction = colouring === COLOURINGS[1];
  const look = {
    hues: state.action.map((action, i) => (byAction ? colourOf(state.actions[action]) : shade(i))),
    shown: state.action.map((action) => Number(!byAction || [from, to].includes(state.actions[action]))),
    titles: state.sentences,
    reach: largest(state),
  };
  const map = (wide, title, points) => {
    const ends = [from, to].map((name) => centre(state, points, name));
    return drawMap(wide, title, points, look, ends);
  };
  const umap = values.umap ?? lying(state.maps[seed][place(state, values.neighbours)]);
  return [
    kit.wide(strip(values) + legend(state, colouring, colourOf, [from, to])),
    map(
      kit.room.first,
      `UMAP, ${values.neighbours} neighbours, seed ${seed}: ${kit.fixed(values.distance)} apart`,
      umap,
    ),
    map(kit.room.second, `PCA, two strongest directions: ${kit.fixed(values.pca)} apart`, lying(state.pca)),
  ];
};

const brief = (values, { from, to }) => {
  const { after, before } = kit.COLOURS,
    percent = (share) => `${kit.fixed(100 * share, 0)} %`;
  return (
    `From ${kit.escape(from)} to ${kit.escape(to)} it is ${kit.told(kit.fixed(values.distance), after)} on this map, ` +
    `${kit.fixed(values.least)} to ${kit.fixed(values.most)} on all UMAP maps and ` +
    `${kit.told(kit.fixed(values.space), before)} in the space` +
    (from === to
      ? ". "
      : `: the setting makes up to ${kit.told(kit.fixed(values.most / (values.least || 1), 1))} times the distance. `) +
    `This map keeps ` +
    `${percent(values.kept)} of the nearest neighbours.`
  );
};

const summary = (values, { seed, from, to }, state) => {
  const percent = (share) => `${kit.fixed(100 * share, 0)}%`,
    { gathered, explained } = values;
  return (
    `UMAP with ${values.neighbours} neighbours, seed ${seed}: the centres of “${from}” (A) and “${to}” (B) are ` +
    `${kit.fixed(values.distance)} map sizes apart; over all ${state.maps.length * state.neighbours.length} ` +
    `maps it is ` +
    `${kit.fixed(values.least)} to ${kit.fixed(values.most)}, in the space itself ${kit.fixed(values.space)}. ` +
    `This map keeps ` +
    `${percent(values.kept)} of the nearest neighbours; ${percent(gathered[0])} of the neighbours on the map ` +
    `tell of the same action ` +
    `(PCA ${percent(gathered[1])}), and its axes explain ${percent(explained[0])} of the word frequency (PCA ` +
    `${percent(explained[1])}). ` +
    state.note
  );
};
