// An anchor, a positive and a negative in the plane: where the triplet loss is not zero, and what it pulls.
// state: {reach: [x, y], farthest the points may go; distances [names]}; chosen: margin, distance, <point>_x, <point>_y
// The same in Python: margin_values in kit/boards/margin_widget.py.

const POINTS = ["anchor", "positive", "negative"],
  REGIONS = ["easy", "semi-hard", "hard"],
  BANDS = 14,
  NOTHING = 1e-9;
const STARTS = { anchor: [-1, -0.4], positive: [0.3, 0.7], negative: [0.8, -1] };

const slide = (state, point) =>
  ["x", "y"].map((axis, i) => ({
    kind: "slider",
    name: `${point}_${axis}`,
    label: `${axis} of the ${point}`,
    min: -state.reach[i],
    max: state.reach[i],
    step: 0.1,
    value: STARTS[point][i],
  }));
const controls = (state) => [
  // labels long enough that two controls fill a line
  { kind: "slider", name: "margin", label: "margin", min: 0.05, max: 5, step: 0.05, value: 1 },
  {
    kind: "choice",
    name: "distance",
    label: "distance of two points",
    options: state.distances,
    value: state.distances[0],
  },
  ...POINTS.flatMap((point) => slide(state, point)),
];

const place = (chosen, point) => [chosen[`${point}_x`], chosen[`${point}_y`]];
const minus = (a, b) => a.map((v, i) => v - b[i]);
const times = (a, factor) => a.map((v) => v * factor);

// Distance of two points, and its gradient with respect to each.
const DISTANCES = {
  euclidean(a, c) {
    const away = minus(a, c),
      d = kit.norm(away),
      slope = times(away, 1 / (d || 1));
    return [d, slope, times(slope, -1)];
  },
  squared_euclidean(a, c) {
    const away = minus(a, c);
    return [kit.dot(away, away), times(away, 2), times(away, -2)];
  },
  cosine(a, c) {
    // a point at the origin has no direction: its cosine is 0
    const long = [a, c].map((v) => (kit.norm(v) < 1e-12 ? 1 : kit.norm(v))),
      u = times(a, 1 / long[0]),
      v = times(c, 1 / long[1]);
    const cosine = kit.dot(u, v);
    return [
      1 - cosine,
      times(minus(v, times(u, cosine)), -1 / long[0]),
      times(minus(u, times(v, cosine)), -1 / long[1]),
    ];
  },
};

const compute = (state, chosen) => {
  const [a, p, n] = POINTS.map((point) => place(chosen, point)),
    distance = DISTANCES[chosen.distance];
  const [near, nearA, nearP] = distance(a, p),
    [far, farA, farN] = distance(a, n);
  const room = near - far + chosen.margin,
    active = room > NOTHING,
    on = active ? 1 : 0;
  const forces = [times(minus(farA, nearA), on), times(nearP, -on), times(farN, on)];
  const region = !active ? 0 : far > near + NOTHING ? 1 : 2;
  return {
    positive_distance: near,
    negative_distance: far,
    loss: active ? room : 0,
    region,
    forces,
    strengths: forces.map(kit.norm),
    boundaries: [near, near + chosen.margin],
  };
};

// The plane as a picture: its own frame, because the two axes must have one scale.
const LEFT = 46,
  TOP = 44,
  WIDE = 380,
  EDGE = 1.1;
const plane = (state, title, note, inside) => {
  const [reachX, reachY] = state.reach.map((v) => v * EDGE),
    unit = WIDE / 2 / reachX,
    tall = 2 * reachY * unit;
  const px = (x) => LEFT + (x + reachX) * unit,
    py = (y) => TOP + (reachY - y) * unit;
  const round = (reach) => Array.from({ length: 2 * Math.floor(reach) + 1 }, (_, i) => i - Math.floor(reach));
  const words = (x, y, text, more = "") => `<text x="${x}" y="${y}" text-anchor="middle" ${more}>${text}</text>`;
  const ticks =
    round(reachX)
      .map((x) => words(px(x), TOP + tall + 15, kit.short(x), 'class="kit-small"'))
      .join("") +
    round(reachY)
      .map((y) => words(LEFT - 14, py(y) + 4, kit.short(y), 'class="kit-small"'))
      .join("");
  const middle = TOP + tall / 2;
  return (
    `<svg viewBox="0 0 440 ${TOP + tall + 38}" role="img" aria-label="${kit.escape(title)}">` +
    words(LEFT + WIDE / 2, 15, kit.escape(title), 'class="kit-title"') +
    note +
    `<svg x="${LEFT}" y="${TOP}" width="${WIDE}" height="${tall}" viewBox="${LEFT} ${TOP} ${WIDE} ${tall}" ` +
    `style="width:${WIDE}px;height:${tall}px;touch-action:none">` +
    `<g data-plane="" transform="translate(${px(0)} ${py(0)}) scale(${unit} ${-unit})">` +
    `</g>${inside(px, py, unit)}</svg>` +
    `<rect class="kit-axis" x="${LEFT}" y="${TOP}" width="${WIDE}" height="${tall}" fill="none"/>` +
    ticks +
    words(LEFT + WIDE / 2, TOP + tall + 33, "first dimension") +
    words(12, middle, "second dimension", `transform="rotate(-90 12 ${middle})"`) +
    "</svg>"
  );
};

// All places nearer to the anchor than `value`: a disc, or for the cosine a wedge from the origin.
const within = (chosen, value, px, py, unit, look) => {
  const [x, y] = place(chosen, "anchor");
  if (chosen.distance !== "cosine") {
    const radius = chosen.distance === "euclidean" ? value : Math.sqrt(value);
    return `<circle cx="${px(x)}" cy="${py(y)}" r="${(radius * unit).toFixed(2)}" ${look}/>`;
  }
  const nowhere = kit.norm([x, y]) < 1e-12,
    half = nowhere ? (value >= 1 ? Math.PI : 0) : Math.acos(Math.max(1 - value, -1));
  const towards = Math.atan2(y, x),
    rim = Array.from({ length: 49 }, (_, i) => towards + (half * (i - 24)) / 24);
  const ends = rim.map((angle) => `${px(20 * Math.cos(angle)).toFixed(1)},${py(20 * Math.sin(angle)).toFixed(1)}`);
  return `<polygon points="${half < Math.PI ? `${px(0)},${py(0)} ` : ""}${ends.join(" ")}" ${look}/>`;
};

const arrow = (from, to, px, py, colour) => {
  const [x1, y1, x2, y2] = [px(from[0]), py(from[1]), px(to[0]), py(to[1])],
    long = Math.hypot(x2 - x1, y2 - y1);
  if (long < 2) return "";
  const [ux, uy] = [(x2 - x1) / long, (y2 - y1) / long],
    h = Math.min(10, long),
    [bx, by] = [x2 - ux * h, y2 - uy * h];
  return (
    `<line x1="${x1}" y1="${y1}" x2="${bx}" y2="${by}" stroke="${colour}" stroke-width="3.5"/>` +
    `<path d="M${x2} ${y2}L${bx - (uy * h) / 1.7} ${by + (ux * h) / 1.7}L${bx + (uy * h) / 1.7} ` +
    `${by - (ux * h) / 1.7}Z" fill="${colour}"/>`
  );
};

const LONGEST = 1.6,
  SHOWN = 0.55; // an arrow is 0.55 of its force, and no longer than 1.6
const marks = (values, chosen, px, py) => {
  const colours = { anchor: kit.COLOURS.after, positive: kit.COLOURS.positive, negative: kit.COLOURS.negative };
  const from = POINTS.map((point) => place(chosen, point));
  const arrows = POINTS.map((point, i) => {
    const strength = values.strengths[i],
      factor = Math.min(SHOWN, LONGEST / (strength || 1));
    return arrow(
      from[i],
      from[i].map((v, k) => v + factor * values.forces[i][k]),
      px,
      py,
      colours[point],
    );
  });
  const dots = POINTS.map((point, i) => {
    const [x, y] = [px(from[i][0]), py(from[i][1])],
      beside = values.forces[i][1] > 0 ? 21 : -12; // on the side without the arrow
    return (
      `<g data-drag="${point}" style="cursor:grab"><title>${point}: drag me</title>` +
      `<circle cx="${x}" cy="${y}" r="16" fill="transparent"/>` +
      `<circle cx="${x}" cy="${y}" r="7.5" fill="${colours[point]}" stroke="#fff" stroke-width="2"/>` +
      `<text x="${x}" y="${y + beside}" text-anchor="middle" ` +
      `style="paint-order:stroke;fill:#111;stroke:#fff;stroke-width:3px" class="kit-small">${point}</text></g>`
    );
  });
  return arrows.join("") + dots.join("");
};

const draw = (values, chosen, state) => {
  const { neutral, negative, before } = kit.COLOURS,
    tint = { easy: neutral, "semi-hard": before, hard: negative };
  const legend = REGIONS.map(
    (name, i) =>
      `<rect x="${LEFT + 8 + 128 * i}" y="25" width="12" height="12" fill="${tint[name]}" fill-opacity="0.5"/>` +
      `<text x="${LEFT + 26 + 128 * i}" y="35" class="kit-small">${name}</text>`,
  ).join("");
  const regions = (px, py, unit) =>
    [
      [values.boundaries[1], before],
      [values.boundaries[0], negative],
    ]
      .map(([value, colour]) =>
        within(
          chosen,
          value,
          px,
          py,
          unit,
          `fill="${colour}" fill-opacity="0.42" stroke="${colour}" stroke-width="1.5"`,
        ),
      )
      .join("");
  const highest = values.boundaries[1],
    surface = (px, py, unit) =>
      `<rect x="0" y="0" width="440" height="440" fill="${kit.cividis(0).fill}"/>` +
      Array.from({ length: BANDS }, (_, i) =>
        within(chosen, highest * (1 - i / BANDS), px, py, unit, `fill="${kit.cividis((i + 1) / BANDS).fill}"`),
      ).join("");
  const scale =
    `<text x="${LEFT + WIDE / 2}" y="35" text-anchor="middle" class="kit-small">` +
    `dark: 0, bright: ${kit.short(highest)} (margin + distance of the positive)</text>`;
  const grey = `<rect x="0" y="0" width="440" height="440" fill="${neutral}" fill-opacity="0.16"/>`;
  const end = 1.15 * Math.max(highest, values.negative_distance);
  return [
    plane(
      state,
      "where the negative may be",
      legend,
      (px, py, unit) => grey + regions(px, py, unit) + marks(values, chosen, px, py),
    ),
    plane(
      state,
      "loss, for every place of the negative",
      scale,
      (px, py, unit) => surface(px, py, unit) + marks(values, chosen, px, py),
    ),
    '<div style="max-width:440px">' +
      kit.lines({
        title: "the hinge",
        x: "distance of the negative",
        y: "loss",
        xmin: 0,
        xmax: end,
        ymin: 0,
        ymax: highest,
        height: 320,
        marker: values.negative_distance,
        series: [
          {
            name: "hard",
            colour: negative,
            points: [
              [0, highest],
              [values.boundaries[0], chosen.margin],
            ],
          },
          {
            name: "semi-hard",
            colour: before,
            points: [
              [values.boundaries[0], chosen.margin],
              [highest, 0],
            ],
          },
          {
            name: "easy",
            colour: neutral,
            points: [
              [highest, 0],
              [end, 0],
            ],
          },
        ],
      }) +
      "</div>",
  ];
};

const summary = (values, chosen) => {
  const [a, p, n] = values.strengths.map((v) => kit.fixed(v));
  return (
    `Margin ${kit.fixed(chosen.margin)}, ${chosen.distance.replace("_", " ").replace("euclid", "Euclid")} ` +
    `distance: the positive is at ${kit.fixed(values.positive_distance, 3)}, ` +
    `the negative at ${kit.fixed(values.negative_distance, 3)}, which is ${REGIONS[values.region]}; the loss is ` +
    `${kit.fixed(values.loss, 3)}, ` +
    `and it moves the anchor with force ${a}, the positive with ${p}, the negative with ${n}.`
  );
};

const drag = (name, x, y, chosen, state) =>
  Object.fromEntries(
    [x, y].map((value, i) => {
      const reach = state.reach[i],
        kept = Math.min(Math.max(value, -reach), reach);
      return [`${name}_${"xy"[i]}`, Number((Math.round(kept * 10) / 10).toFixed(1))];
    }),
  );
