// An anchor, a positive and a negative in the plane: where the triplet loss is not zero, and what it pulls.
// state: {reach: [x, y], farthest the points may go; distances [names]}; chosen: margin, distance, <point>_x, <point>_y
// The same in Python: margin_values in kit/boards/margin_widget.py.

const POINTS = ["anchor", "positive", "negative"],
  REGIONS = ["easy", "semi-hard", "hard"],
  NOTHING = 1e-9;
const STARTS = { anchor: [-1, -0.4], positive: [0.3, 0.7], negative: [0.8, -1] };

const PLACES = { "an easy negative": [2.6, -1.6], "a semi-hard one": [0.8, -1], "a hard one": [-0.6, 0.2] };

// All settings of a preset: what it is named for holds at this margin, distance and places alone.
const placed = (state, places) => ({
  margin: 1,
  distance: state.distances[0],
  ...Object.fromEntries(POINTS.flatMap((point) => ["x", "y"].map((axis, i) => [`${point}_${axis}`, places[point][i]]))),
});

const slide = (state, point) =>
  ["x", "y"].map((axis, i) => ({
    kind: "slider",
    name: `${point}_${axis}`,
    more: "move the points by keyboard",
    label: `${axis} of the ${point}`,
    min: -state.reach[i],
    max: state.reach[i],
    step: 0.1,
    value: STARTS[point][i],
  }));
const controls = (state) => [
  toTry(
    Object.fromEntries(
      Object.entries(PLACES).map(([name, negative]) => [name, placed(state, { ...STARTS, negative })]),
    ),
    { label: "places to try" },
  ),
  {
    kind: "slider",
    name: "margin",
    label: "margin",
    full: "margin that the loss asks for",
    min: 0.05,
    max: 5,
    step: 0.05,
    value: 1,
  },
  {
    kind: "choice",
    name: "distance",
    label: "distance",
    full: "distance of two points",
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

const title = "Easy, semi-hard, hard: where the negative may be";
const shares = [3, 2];

// The plane as a picture: its own frame, because the two axes must have one scale.
const EDGE = 1.1;
const plane = (state, head, name, inside) => {
  const width = kit.room.first,
    left = 30,
    wide = width - left - 2,
    top = head.height,
    clip = `kit-plane-${width}-${top}`, // that of another board on the page has another height
    [reachX, reachY] = state.reach.map((v) => v * EDGE),
    unit = wide / 2 / reachX,
    tall = 2 * reachY * unit;
  const px = (x) => left + (x + reachX) * unit,
    py = (y) => top + (reachY - y) * unit;
  const round = (reach) => Array.from({ length: 2 * Math.floor(reach) + 1 }, (_, i) => i - Math.floor(reach));
  const ticks =
    round(reachX).map((x) => kit.text(px(x), top + tall + 15, kit.short(x), "middle", kit.SMALL)) +
    round(reachY).map((y) => kit.text(left - 6, py(y) + 4, kit.short(y), "end", kit.SMALL));
  return kit.svg(
    width,
    top + tall + 20,
    name,
    head.inside +
      `<clipPath id="${clip}"><rect x="${left}" y="${top}" width="${wide}" height="${tall}"/></clipPath>` +
      `<g clip-path="url(#${clip})" style="touch-action:none"><g data-plane="" ` +
      `transform="translate(${px(0)} ${py(0)}) scale(${unit} ${-unit})"></g>${inside(px, py, unit)}</g>` +
      `<rect class="kit-axis" x="${left}" y="${top}" width="${wide}" height="${tall}" fill="none"/>` +
      ticks.replaceAll(",<", "<"),
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

const ZONE = 'class="kit-strong" style="pointer-events:none"';

// The zones' names, beside the anchor (“hard” on the left, where no preset has a point), where they are in the
// plane and wide enough for a name: [x, y, name].
const named = ({ boundaries: [inner, outer] }, chosen, px, py, unit) => {
  if (chosen.distance === "cosine") return [];
  const [x, y] = place(chosen, "anchor"),
    [a, b] = [inner, outer].map((v) => (chosen.distance === "euclidean" ? v : Math.sqrt(v)));
  const middles = { hard: 0.55 * a, "semi-hard": (a + b) / 2, easy: b + 26 / unit };
  return Object.entries(middles)
    .filter(([name]) => name !== "semi-hard" || (b - a) * unit > 16)
    .filter(([name, away]) => name !== "easy" || px(x + away) < kit.room.first - 20)
    .map(([name, away]) => {
      const narrow = name === "semi-hard" && (b - a) * unit < 90, // then it stands where the band lies flat
        side = name === "hard" ? Math.max(px(x - away), 56) : Math.min(px(x + away), kit.room.first - 42),
        at = narrow ? [px(x), py(y + away) + 5] : [side, py(y) + 5];
      return [...at, name];
    });
};

const LONGEST = 1.6,
  SHOWN = 0.55, // an arrow is 0.55 of its force, and no longer than 1.6
  SHORTEST = 15; // pixels of one that is seen beside its point

// Where the points' names stand, [x, y, name, anchor]: above, below or beside, where the fewest points, arrows and
// names are, and no edge of the plane cuts them.
const namesBeside = (points, arrows, [top, bottom]) => {
  const taken = arrows.flatMap(([from, tip]) =>
      [0, 0.25, 0.5, 0.75, 1].map((t) => from.map((v, k) => v + t * (tip[k] - v))),
    ),
    boxes = [];
  return points.map((name, i) => {
    const [x, y] = arrows[i][0],
      wide = 7.6 * name.length,
      sides = [
        [x, y - 14, "middle", x - wide / 2],
        [x, y + 23, "middle", x - wide / 2],
        [x + 14, y + 5, "start", x + 14],
        [x - 14, y + 5, "end", x - 14 - wide],
      ];
    const crowd = ([, line, , left]) =>
      taken.filter(([tx, ty]) => tx > left - 8 && tx < left + wide + 8 && ty > line - 18 && ty < line + 10).length +
      3 * boxes.filter(([l, b, w]) => left < l + w && l < left + wide && Math.abs(line - b) < 16).length +
      (left < 34 || left + wide > kit.room.first - 4 || line < top + 13 || line > bottom - 5 ? 5 : 0);
    const best = sides.reduce((a, b) => (crowd(b) < crowd(a) ? b : a));
    boxes.push([best[3], best[1], wide]);
    return [best[0], best[1], name, best[2]];
  });
};

// The points with their forces and names; of the zones' names those on which no point's name stands.
const marks = (values, chosen, zones, px, py, high) => {
  const colours = { anchor: kit.COLOURS.after, positive: kit.COLOURS.positive, negative: kit.COLOURS.negative };
  const from = POINTS.map((point) => place(chosen, point));
  const arrows = POINTS.map((point, i) => {
    const strength = values.strengths[i],
      factor = Math.min(SHOWN, LONGEST / (strength || 1));
    const tip = from[i].map((v, k) => v + factor * values.forces[i][k]);
    const ends = [from[i], tip].map(([x, y]) => [px(x), py(y)]);
    return { ends, long: kit.norm(minus(...ends)) };
  });
  const names = namesBeside(
    POINTS,
    arrows.map(({ ends }) => ends),
    [high, -high].map(py),
  );
  const letters = 3.8, // pixels of half a letter
    middle = ([x, , name, side]) => x + { start: 1, middle: 0, end: -1 }[side] * letters * name.length,
    free = ([x, y, zone]) =>
      names.every(
        (one) => Math.abs(y - one[1]) >= 16 || Math.abs(x - middle(one)) >= letters * (zone.length + one[2].length),
      ),
    said = zones.filter(free).map((zone) => kit.text(...zone, "middle", ZONE));
  const dots = POINTS.map((point, i) => {
    const [x, y] = [px(from[i][0]), py(from[i][1])];
    return (
      `<g data-drag="${point}" style="cursor:grab"><title>${point}: drag me</title>` +
      `<circle cx="${x}" cy="${y}" r="22" fill="transparent"/>` +
      `<circle cx="${x}" cy="${y}" r="8.5" fill="${colours[point]}" stroke="#fff" stroke-width="2"/>` +
      kit.text(...names[i], 'class="kit-halo kit-strong"') +
      "</g>"
    );
  });
  const shown = arrows.map(({ ends, long }, i) => (long < SHORTEST ? "" : kit.arrow(...ends, colours[POINTS[i]], 3.5)));
  return said.join("") + shown.join("") + dots.join("");
};

const SAID = {
  easy: "Easy: beyond the margin, it costs nothing",
  "semi-hard": "Semi-hard: beyond the positive, within the margin",
  hard: "Hard: no farther than the positive",
};
const TINTS = { easy: "neutral", "semi-hard": "before", hard: "negative" };
const motion = ({ boundaries, loss, positive_distance, negative_distance, forces, strengths }) => ({
  boundaries,
  loss,
  positive_distance,
  negative_distance,
  forces,
  strengths,
});

const draw = (values, chosen, state) => {
  const { neutral, negative, before } = kit.COLOURS;
  const legend =
    chosen.distance === "cosine" // there the zones are wedges, without names in them
      ? REGIONS.map((name) => ({ name, colour: kit.COLOURS[TINTS[name]], shape: "box" }))
      : [];
  const rings = [
    [values.boundaries[1], before],
    [values.boundaries[0], negative],
  ];
  const regions = (px, py, unit) =>
    rings
      .map(([value, colour]) => {
        const look = `fill="${colour}" fill-opacity="0.16" stroke="${colour}" stroke-width="1.5"`;
        return within(chosen, value, px, py, unit, look);
      })
      .join("");
  const ground = `<rect x="0" y="0" width="${kit.room.first}" height="2000" fill="${neutral}" fill-opacity="0.14"/>`;
  const highest = values.boundaries[1],
    end = 1.15 * Math.max(highest, values.negative_distance);
  const piece = (name, ...points) => ({ name, colour: kit.COLOURS[TINTS[name]], points });
  const head = kit.heading({ title: `${SAID[REGIONS[values.region]]}; drag the points`, legend }, kit.room.first);
  return [
    plane(
      state,
      head,
      "where the negative may be",
      (px, py, unit) =>
        ground +
        regions(px, py, unit) +
        marks(values, chosen, named(values, chosen, px, py, unit), px, py, EDGE * state.reach[1]),
    ),
    kit.lines({
      width: kit.room.second,
      title: "The hinge: what that costs",
      x: "distance of the negative",
      y: "loss",
      xmin: 0,
      xmax: end,
      ymin: 0,
      ymax: highest,
      height: kit.room.columns < 2 ? 240 : 400,
      marker: values.negative_distance,
      legend: [],
      over: (px, py) =>
        [
          ["hard", values.boundaries[0] / 2],
          ["semi-hard", (values.boundaries[0] + highest) / 2],
          ["easy", (highest + end) / 2],
        ]
          .filter(([name, at], k, all) => px(at) - px(k ? all[k - 1][1] : 0) > 34)
          .map(([name, at]) => {
            const look = `class="kit-small kit-halo kit-strong" style="fill:${kit.ink(kit.COLOURS[TINTS[name]])}"`;
            if (name === "easy") return kit.text(px(end), py(0) - 7, name, "end", look);
            const late = px(at) + 8 + 8 * name.length > px(end); // it would be cut: it ends there
            return late
              ? kit.text(px(end), Math.min(py(highest - at) - 4, py(0) - 24), name, "end", look)
              : kit.text(px(at) + 8, py(highest - at) - 4, name, "start", look);
          })
          .join(""),
      series: [
        piece("hard", [0, highest], [values.boundaries[0], chosen.margin]),
        piece("semi-hard", [values.boundaries[0], chosen.margin], [highest, 0]),
        piece("easy", [highest, 0], [end, 0]),
      ],
    }),
  ];
};

const MEANT = {
  easy: "beyond the margin, and costs nothing",
  "semi-hard": "farther than the positive, and still within the margin",
  hard: "no farther than the positive",
};
// A loss above zero is not printed as zero.
const costs = (loss) => (loss && !kit.printed(loss, 3) ? kit.short(loss) : kit.fixed(loss, 3));

const lead = ({ region }) => {
  const name = REGIONS[region];
  return `This negative is ${kit.told(name, kit.COLOURS[TINTS[name]])}: ${MEANT[name]}`;
};

const brief = (values, chosen) => {
  const region = REGIONS[values.region],
    { positive, negative } = kit.COLOURS;
  return (
    `The positive is at ${kit.told(kit.fixed(values.positive_distance, 3), positive)}, the negative at ` +
    `${kit.told(kit.fixed(values.negative_distance, 3), negative)}: ${kit.told(region, kit.COLOURS[TINTS[region]])}. ` +
    `With margin ${kit.fixed(chosen.margin)} the loss is ${kit.told(costs(values.loss))}.`
  );
};

const summary = (values, chosen) => {
  const [a, p, n] = values.strengths.map((v) => kit.fixed(v));
  return (
    `Margin ${kit.fixed(chosen.margin)}, ${chosen.distance.replace("_", " ").replace("euclid", "Euclid")} ` +
    `distance: the positive is at ${kit.fixed(values.positive_distance, 3)}, ` +
    `the negative at ${kit.fixed(values.negative_distance, 3)}, which is ${REGIONS[values.region]}; the loss is ` +
    `${costs(values.loss)}, ` +
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
