// A recorded training on a sphere. The pole is the mean direction of the raw space; how far a sentence stands
// from the pole is its true angle to it, in all dimensions; the direction round the pole is its direction in one
// fixed plane. Between two recorded steps the points glide. The same in Python: sphere_values in
// kit/boards/sphere_widget.py.

const tempo = "frame"; // advance is called before every repaint, with the seconds since the last
const SECONDS = 14; // a whole run

const title = "One training, on a sphere round the mean of the raw space";

// The sphere is as large as its panel lets it be; its letters keep their size.
const sizeOf = () => {
  const width = kit.room.column,
    radius = Math.min(width / 2 - 16, 260),
    legend = width < 400 ? 62 : 40;
  return { width, radius, middle: width / 2, centre: radius + 24, height: Math.ceil(2 * radius + 40 + legend) };
};
const MARKS = { premise: "#f2f2f2", entailed: "#4fd1a5", contradicted: "#ff9a5c", pole: "#ffd166" };

const controls = (state) => {
  const last = state.steps.length - 1;
  return [
    { kind: "button", name: "play", label: "play / pause" },
    { kind: "slider", name: "position", label: "place in the recording", min: 0, max: last, step: 0.05, value: 0 },
    {
      kind: "choice",
      name: "tau",
      label: "τ",
      full: "temperature τ",
      options: state.taus,
      value: state.taus[state.start],
    },
    {
      kind: "choice",
      name: "lam",
      label: "λ",
      full: "weight λ of the contrast",
      options: state.lams,
      value: state.lams[0],
    },
    {
      kind: "slider",
      name: "point",
      label: "sentence",
      min: 0,
      max: state.roles.length,
      step: 1,
      value: 0,
      whole: true,
    },
  ];
};

// λ other than the first was recorded at one τ only: of the runs with that λ the one with the nearest τ.
const runOf = (state, chosen) => {
  const tau = Number(chosen.tau ?? state.taus[state.start]),
    lam = Number(chosen.lam ?? state.lams[0]);
  const away = (run) => 1000 * Math.abs(run.lam - lam) + Math.abs(Math.log(run.tau / tau));
  return state.runs.reduce((best, run) => (away(run) < away(best) - 1e-9 ? run : best));
};

const compute = (state, chosen) => {
  const run = runOf(state, chosen),
    last = state.steps.length - 1;
  const position = Math.min(Math.max(chosen.position ?? 0, 0), last),
    i = Math.min(Math.floor(position), last - 1),
    t = position - i;
  const between = (a, b) => a + t * (b - a);
  const both = (key) => run[key][i].map((a, k) => between(a, run[key][i + 1][k]));
  // The shorter way round.
  const turn = (a, b) => a + t * (((((b - a + 180) % 360) + 360) % 360) - 180);
  const found = Math.floor(position / state.every + 1e-9);
  const point = chosen.point ?? 0;
  return {
    tau: run.tau,
    lam: run.lam,
    step: between(state.steps[i], state.steps[i + 1]),
    theta: both("theta").map((angle) => angle / 10),
    phi: run.phi[i].map((a, k) => turn(a, run.phi[i + 1][k])),
    histogram: both("histogram"),
    raw: run.histogram[0],
    mean_cosine: between(run.mean_cosine[i], run.mean_cosine[i + 1]),
    effective_rank: between(run.effective_rank[i], run.effective_rank[i + 1]),
    sts: between(run.sts[i], run.sts[i + 1]),
    first: [run.mean_cosine[0], run.effective_rank[0], run.sts[0]],
    neighbours: point ? run.neighbours[found][point - 1] : [],
    seen_at: state.steps[found * state.every],
  };
};

// Where an angle from the pole and a direction round it appear: x, y on the picture, depth towards the reader.
const camera = (chosen) => {
  const yaw = ((chosen.yaw ?? 20) * Math.PI) / 180,
    pitch = ((chosen.pitch ?? 52) * Math.PI) / 180;
  const { radius, middle, centre } = sizeOf();
  return (theta, phi) => {
    const a = (theta * Math.PI) / 180,
      b = (phi * Math.PI) / 180 + yaw;
    const x = Math.sin(a) * Math.cos(b),
      y = Math.sin(a) * Math.sin(b),
      z = Math.cos(a);
    return [
      middle + radius * x,
      centre - radius * (z * Math.cos(pitch) - y * Math.sin(pitch)),
      z * Math.sin(pitch) + y * Math.cos(pitch),
    ];
  };
};

// A circle of equal angle to the pole; what is behind the sphere is fainter.
const circle = (at, theta) => {
  const ring = Array.from({ length: 73 }, (_, k) => at(theta, 5 * k));
  const half = (front) => {
    let path = "",
      open = false;
    for (const [x, y, depth] of ring) {
      const here = depth >= 0 === front;
      path += here ? `${open ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}` : "";
      open = here;
    }
    return path ? `<path d="${path}" fill="none" stroke="#9fb4d8" stroke-opacity="${front ? 0.42 : 0.14}"/>` : "";
  };
  const [x, y] = ring.reduce((best, p) => (p[2] > best[2] ? p : best));
  return half(true) + half(false) + label(x, y + 13, `${theta}°`, "#9fb4d8");
};

const label = (x, y, words, colour, anchor = "middle") =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" style="fill:${colour}">` +
  `${kit.escape(words)}</text>`;

const thread = (a, b, colour, opacity) =>
  `<path d="M${a[0].toFixed(1)} ${a[1].toFixed(1)}L${b[0].toFixed(1)} ${b[1].toFixed(1)}" stroke="${colour}" ` +
  `stroke-opacity="${opacity}"/>`;

const ball = (values, chosen, state) => {
  const at = camera(chosen),
    places = values.theta.map((theta, k) => at(theta, values.phi[k]));
  const marked = (chosen.point ?? 0) - 1,
    triple = marked < 0 ? -1 : marked - (marked % 3);
  const threads = [];
  for (let k = 0; k < places.length; k += 3) {
    const near = k === triple ? 0.95 : marked < 0 ? 0.4 : 0.16;
    threads.push(thread(places[k], places[k + 1], MARKS.entailed, near));
    if (k === triple) threads.push(thread(places[k], places[k + 2], MARKS.contradicted, 0.9));
  }
  const order = places.map((_, k) => k).sort((a, b) => places[a][2] - places[b][2]);
  const dots = order.map((k) => {
    const [x, y, depth] = places[k].map((v) => Number(v.toFixed(2))),
      colour = MARKS[state.roles[k]];
    const mine = k >= triple && k < triple + 3 && triple >= 0,
      size = (mine ? 6 : 4.2) * (0.8 + 0.2 * depth),
      opacity = mine ? 1 : Math.max(0.25, 0.62 + 0.38 * depth);
    const shape =
      state.roles[k] === "contradicted"
        ? `<path d="M${x - size} ${y - size}l${2 * size} ${2 * size}m0 ${-2 * size}l${-2 * size} ${2 * size}" ` +
          `stroke="${colour}" stroke-width="2"/>`
        : state.roles[k] === "premise"
          ? `<circle cx="${x}" cy="${y}" r="${size}" fill="#0b1020" stroke="${colour}" stroke-width="1.8"/>`
          : `<circle cx="${x}" cy="${y}" r="${size}" fill="${colour}"/>`;
    const ring =
      k === marked ? `<circle cx="${x}" cy="${y}" r="${size + 5}" fill="none" stroke="#fff" stroke-width="2"/>` : "";
    return (
      `<g opacity="${opacity.toFixed(2)}" data-pick="point:${k + 1}" data-hover="point:${k + 1}">` +
      `<circle cx="${x}" cy="${y}" r="9" fill="#fff" fill-opacity="0"/>${shape}${ring}</g>`
    );
  });
  const [px, py, front] = at(0, 0),
    { width, height, radius, middle, centre } = sizeOf();
  const pole =
    `<g opacity="${front >= 0 ? 1 : 0.6}"><path d="M${px - 6} ${py}h12m-6 -6v12" stroke="${MARKS.pole}" ` +
    `stroke-width="2"/>${label(px, py - 11, "mean of the raw space", MARKS.pole)}</g>`;
  return kit.svg(
    width,
    height,
    "sentences on a sphere round the mean of the raw space",
    `<defs><radialGradient id="kit-night" cx="42%" cy="36%" r="75%"><stop offset="0" ` +
      `stop-color="#27407a"/><stop offset="0.55" stop-color="#131c3c"/><stop offset="1" stop-color="#0b1020"/>` +
      `</radialGradient></defs><rect width="${width}" height="${height}" rx="10" fill="#0b1020"/>` +
      `<circle data-plane data-drag="turn" cx="${middle}" cy="${centre}" r="${radius}" fill="url(#kit-night)" ` +
      `style="cursor:grab;touch-action:none"/><g style="pointer-events:none">` +
      `${[30, 60, 90].map((theta) => circle(at, theta)).join("")}${pole}${threads.join("")}</g>${dots.join("")}` +
      legend(width, height),
    'class="kit-sphere"',
  );
};

const legend = (width, height) => {
  const parts = [
    [
      "a sentence",
      MARKS.premise,
      (x, y) => `<circle cx="${x}" cy="${y}" r="4.5" fill="none" stroke="${MARKS.premise}" ` + `stroke-width="1.8"/>`,
    ],
    ["follows from it", MARKS.entailed, (x, y) => `<circle cx="${x}" cy="${y}" r="4.5" fill="${MARKS.entailed}"/>`],
    [
      "contradicts it",
      MARKS.contradicted,
      (x, y) => `<path d="M${x - 4} ${y - 4}l8 8m0 -8l-8 8" ` + `stroke="${MARKS.contradicted}" stroke-width="2"/>`,
    ],
  ];
  let x = 16,
    y = height - (width < 400 ? 38 : 18);
  return parts
    .map(([words, colour, mark]) => {
      const long = 18 + 7 * words.length;
      if (x + long > width) [x, y] = [16, y + 20];
      const drawn = mark(x, y) + label(x + 10, y + 4, words, colour, "start");
      x += long + 18;
      return drawn;
    })
    .join("");
};

// The cosines of random pairs: now as an area, raw as a dashed outline; above them three numbers.
const cosines = (values, state) => {
  const { bins } = state,
    { width: whole, height } = sizeOf(),
    left = 10,
    width = whole - 20,
    base = height - 44,
    tall = base - 160;
  const top = Math.max(...values.raw, ...values.histogram),
    { after, before } = kit.COLOURS;
  const px = (c) => left + ((c - bins[0]) / (bins[bins.length - 1] - bins[0])) * width;
  const outline = (heights) =>
    heights
      .map((h, k) => `${px((bins[k] + bins[k + 1]) / 2).toFixed(1)},${(base - (tall * h) / top).toFixed(1)}`)
      .join(" ");
  const big = (k, name, number, first, digits) => {
    const x = (whole * (1 + 2 * k)) / 6;
    return (
      kit.text(x, 24, name) +
      kit.text(x, 66, kit.fixed(number, digits), "middle", 'class="kit-big"') +
      kit.text(x, 90, `raw ${kit.fixed(first, digits)}`, "middle", kit.SMALL)
    );
  };
  const [cosine, rank, sts] = values.first;
  return kit.svg(
    whole,
    height,
    "cosines of random pairs of sentences",
    big(0, "mean cosine", values.mean_cosine, cosine, 2) +
      big(1, "effective rank", values.effective_rank, rank, 1) +
      big(2, state.task, values.sts, sts, 1) +
      kit.text(0, 134, "cosines of random pairs (dashed: raw)", "start", kit.TITLE) +
      `<polygon points="${left},${base} ${outline(values.histogram)} ${left + width},${base}" fill="${after}" ` +
      `fill-opacity="0.75"/><polyline points="${outline(values.raw)}" fill="none" stroke="${before}" ` +
      `stroke-dasharray="5 4" stroke-width="2"/><path class="kit-axis" d="M${left} ${base}H${left + width}"/>` +
      [-0.5, 0, 0.5, 1]
        .map((c) => {
          const end = c === 1 ? "end" : c === -0.5 ? "start" : "middle";
          return kit.text(px(c), base + 18, kit.fixed(c, 1), end, kit.SMALL);
        })
        .join("") +
      kit.text(whole / 2, base + 38, "cosine", "middle", kit.SMALL),
  );
};

// The chosen sentence, its partners and its nearest neighbours now.
const reading = (values, chosen, state) => {
  const k = (chosen.point ?? 0) - 1;
  if (k < 0) return `<p class="kit-note">Point at a sentence, or move its slider, to read it and its neighbours.</p>`;
  const nameless = (j) => `${state.roles[j]} of triple ${1 + (j - (j % 3)) / 3}`;
  const told = (j) => kit.escape(state.sentences ? state.sentences[j] : nameless(j));
  const same = (j) => j - (j % 3) === k - (k % 3);
  const item = (j) => `<li>${told(j)}${same(j) ? ` <em>(${state.roles[j]}, of the same triple)</em>` : ""}</li>`;
  return (
    `<p class="kit-note"><strong>${told(k)}</strong> stands ${kit.fixed(values.theta[k], 0)}° from the mean of the ` +
    `raw space. Its nearest of ${state.roles.length} at step ${values.seen_at}:</p>` +
    `<ol class="kit-note">${values.neighbours.map(item).join("")}</ol>`
  );
};

const draw = (values, chosen, state) => [
  ball(values, chosen, state),
  cosines(values, state),
  kit.wide(`<div class="kit-reading">${reading(values, chosen, state)}</div>`),
];

const brief = (values, { playing }, state) => {
  const { after } = kit.COLOURS,
    [cosine, rank, sts] = values.first;
  if (playing) return `Playing the training at τ ${values.tau}. ${kit.escape(state.note)}`;
  return (
    `Step ${Math.round(values.step)} of ${state.steps[state.steps.length - 1]} at τ ${values.tau}: mean cosine ` +
    `${kit.fixed(cosine)} → ${kit.told(kit.fixed(values.mean_cosine), after)}, effective rank ` +
    `${kit.fixed(rank, 1)} → ${kit.told(kit.fixed(values.effective_rank, 1), after)}, ` +
    `${kit.escape(state.task)} ${kit.fixed(sts, 1)} → ` +
    `${kit.told(kit.fixed(values.sts, 1), after)}. ${kit.escape(state.note)}`
  );
};

const summary = (values, chosen, state) => {
  if (chosen.playing) return `Playing the training at τ ${values.tau}, λ ${values.lam}. ${state.note}`;
  const [cosine, rank, sts] = values.first;
  return (
    `τ ${values.tau}, λ ${values.lam}, step ${Math.round(values.step)} of ${state.steps[state.steps.length - 1]}: ` +
    `the mean cosine went from ${kit.fixed(cosine)} to ${kit.fixed(values.mean_cosine)}, the effective rank from ` +
    `${kit.fixed(rank, 1)} to ${kit.fixed(values.effective_rank, 1)}, ${state.task} from ${kit.fixed(sts, 1)} to ` +
    `${kit.fixed(values.sts, 1)}. ${state.note}`
  );
};

// Play: once by itself when first seen, unless less motion is asked for; then as the button says.
const advance = (chosen, state, seconds) => {
  const last = state.steps.length - 1,
    position = chosen.position ?? 0;
  if (chosen.pressed === "play")
    return { pressed: "", playing: !chosen.playing, played: true, position: position >= last ? 0 : position };
  if (!chosen.played && chosen.seen && !chosen.calm) return { played: true, playing: true };
  if (!chosen.playing) return null;
  const next = Math.min(position + (seconds * last) / SECONDS, last);
  return { position: next, playing: next < last, yaw: (chosen.yaw ?? 20) + 5 * seconds };
};

// Turn the sphere under the pointer; a pause between two calls is a new grip.
const grip = { at: 0, x: 0, y: 0 };
const drag = (name, x, y, chosen) => {
  const now = performance.now(),
    held = now - grip.at < 250;
  const [dx, dy] = held ? [x - grip.x, y - grip.y] : [0, 0];
  Object.assign(grip, { at: now, x, y });
  return {
    yaw: (chosen.yaw ?? 20) - dx / 3,
    pitch: Math.min(90, Math.max(-90, (chosen.pitch ?? 52) + dy / 3)),
  };
};
