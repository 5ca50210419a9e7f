// Training that the reader steers, on the sphere of globe.js. state.mode "live": the kernel trains and sends frames;
// "recorded": runs made earlier, one for each setting, are played back in the browser.
// The same in Python: live_values in kit/boards/live_widget.py.

const tempo = "frame";
const SECONDS = 10; // a whole recorded run
const FACING = 0.2; // depth of a point on the sphere from which it faces the reader: 0 is the edge, 1 the front
const ALIKE = 2; // points of STS within which runs end alike

const MEASURES = [
  // key, name, digits, and the range of its curve, fixed so that curves do not jump
  ["loss", "loss", 2, 0, 5],
  ["mean_cosine", "mean cosine", 2, 0, 1],
  ["effective_rank", "effective rank", 1, 0, null],
  ["sts", "STS × 100", 1, 0, 100],
  ["alignment", "alignment", 2, 0, 2],
  ["uniformity", "uniformity", 2, -4, 0],
];
const title = (state) => `A training that you steer: ${state.sliders.map((name) => SLIDERS[name].label).join(" and ")}`;
const SLIDERS = {
  tau: tauSlider(0.05, { steps: 12 }),
  lam: { kind: "slider", name: "lam", label: "λ", full: "weight λ of the contrast", min: 0, max: 1, step: 0.1 },
};

const place = (state) => ({
  kind: "slider",
  name: "position",
  label: "place in the run",
  full: "place in the recording",
  min: 0,
  max: state.runs[0].frames.length - 1,
  step: 1, // between two frames the numbers would be those of another picture; only what plays glides
  value: state.runs[0].frames.length - 1, // the end: there a slider of τ or λ moves the points at once
  tell: (v) => `step ${state.runs[0].frames[Math.floor(v)].step}`,
});
const folded = { from: 3, name: "all numbers" };

// Both ends, which are told from the start, and what the recipe has; of what lies between nothing is given away.
const settings = ({ sliders: [name], starts }) => {
  const [low, high] = { tau: ["one winner", "all alike"], lam: ["no contrast", "contrast alone"] }[name],
    { min, max } = SLIDERS[name];
  return { [low]: { [name]: min }, "the recipe’s": { [name]: starts[name] }, [high]: { [name]: max } };
};

const controls = (state) => [
  toTry(settings(state), { kernel: state.mode === "live" }),
  ...state.sliders.map((name) => ({
    ...SLIDERS[name],
    value: state.starts[name],
    through: state.starts[name], // as recorded runs do: who has moved τ can go back to the recipe's
    kernel: state.mode === "live",
  })),
  ...(state.mode === "recorded" ? [place(state)] : []),
  ...["start", "pause", "reset"].map((name) => ({ kind: "button", name, label: name, kernel: state.mode === "live" })),
  ...(state.sources.length > 1
    ? [
        {
          kind: "choice",
          name: "source",
          label: "show",
          full: "live or recorded",
          options: state.sources,
          value: state.mode,
          kernel: true,
        },
      ]
    : []),
  { ...globe.slider(state), value: opening(state) },
];

// The sentence that the board opens with shows what a training is for, in words and on the sphere, at the end of the
// run with the settings of the start: of the premises that face the reader and whose nearest is their entailed text,
// the one that stands closest to it on the sphere. A live training has no end yet: it opens with the first sentence, as
// does a recording without such a premise.
const opening = (state) => {
  if (state.mode === "live") return 1;
  const { theta, phi, neighbours } = nearest(state, state.starts).frames.at(-1),
    places = globe.places({ theta: theta.map((angle) => angle / 10), phi }),
    facing = (k) => globe.camera({})(places[k])[2] > FACING,
    follows = (j, k) => state.premise[j] === state.premise[k] && state.roles[j] === "entailed",
    close = (k) => kit.dot(places[k], places[neighbours[k][0]]);
  const fit = state.roles.flatMap((role, k) =>
    role === "premise" && neighbours && follows(neighbours[k][0], k) && facing(k) ? [k] : [],
  );
  return 1 + (fit.sort((a, b) => close(b) - close(a))[0] ?? 0);
};

// The recorded run whose settings lie nearest to the sliders.
const nearest = (state, chosen) => {
  const away = (run) =>
    state.sliders.reduce((sum, name) => {
      const [a, b] = [run[name], chosen[name] ?? state.starts[name]];
      return sum + Math.abs(name === "tau" ? Math.log(a / b) : a - b);
    }, 0);
  return state.runs.reduce((best, run) => (away(run) < away(best) - 1e-9 ? run : best));
};

// A recording has a few settings: its sliders stand at no other.
const allowed = (chosen, { mode, sliders, runs }) =>
  Object.fromEntries(
    sliders.map((name) => [
      name,
      mode === "live" ? null : [...new Set(runs.map((run) => run[name]))].sort((a, b) => a - b),
    ]),
  );

const compute = (state, chosen) => {
  const all = state.mode === "live" ? state.frames : nearest(state, chosen).frames,
    last = all.length - 1,
    position = state.mode === "live" ? last : Math.min(Math.max(chosen.position ?? last, 0), last),
    i = Math.floor(position),
    frames = all.slice(0, i + 1),
    now = all[i],
    told = frames.findLast((frame) => frame.neighbours),
    point = chosen.point ?? 0;
  const view = globe.mixed(now, all[Math.min(i + 1, last)], position - i);
  return {
    ...view,
    away: globe.away(all[0].theta, view.theta),
    step: now.step,
    now: Object.fromEntries(MEASURES.map(([key]) => [key, now[key] ?? null])),
    start: Object.fromEntries(MEASURES.map(([key]) => [key, all[0][key] ?? null])),
    first: [all[0].mean_cosine, all[0].effective_rank, all[0].sts],
    raw: all[0].histogram,
    history: Object.fromEntries(MEASURES.map(([key]) => [key, frames.map((f) => [f.step, f[key] ?? null])])),
    neighbours: point ? told.neighbours[point - 1] : [],
    seen_at: told.step,
  };
};

const spark = (points, low, high) => {
  const seen = points.filter((p) => p[1] !== null),
    last = Math.max(seen.length ? seen[seen.length - 1][0] : 1, 1);
  const top = high ?? Math.max(...seen.map((p) => p[1]), 1);
  const at = ([x, y]) =>
    `${(2 + (106 * x) / last).toFixed(1)},` +
    `${(22 - (20 * (Math.min(Math.max(y, low), top) - low)) / (top - low)).toFixed(1)}`;
  return (
    `<svg width="110" height="24" viewBox="0 0 110 24" aria-hidden="true"><path class="kit-axis" d="M2 2V22H108" ` +
    `fill="none"/>` +
    `<polyline fill="none" stroke="${kit.COLOURS.after}" stroke-width="1.8" points="${seen.map(at).join(" ")}"/></svg>`
  );
};

const measures = (values) => {
  const cell = (value, digits) => (value === null ? "–" : kit.fixed(value, digits));
  const rows = MEASURES.map(
    ([key, name, digits, low, high]) =>
      `<tr><th scope="row">${name}</th><td>${cell(values.start[key], digits)}</td>` +
      `<td>${cell(values.now[key], digits)}</td>` +
      `<td>${values.history[key].length > 1 ? spark(values.history[key], low, high) : ""}</td></tr>`,
  );
  return (
    `<table class="kit-table kit-tight"><thead><tr><th scope="col">step ${values.step}</th><th scope="col">start</th>` +
    `<th scope="col">now</th><th scope="col">so far</th></tr></thead><tbody>${rows.join("")}</tbody></table>`
  );
};

// Glide from one frame to the next; a recorded run glides by its clock.
const motion = (values) => ({ places: globe.places(values) });

// The recorded runs by the first slider, the others as they stand, from the worst to the best. How both ends of the
// slider come out is told from the start, so that there is something to compare with; of what lies between and has not
// been looked at only where it is: how it ends is for the reader to find.
const trials = (chosen, state) => {
  const [name, ...others] = state.mode === "live" ? [] : state.sliders,
    symbol = name && SLIDERS[name].label;
  if (!name) return { symbol, tried: [], open: [] };
  const now = nearest(state, chosen),
    runs = state.runs
      .filter((run) => others.every((other) => run[other] === now[other]))
      .map((run) => ({ at: run[name], sts: run.frames[run.frames.length - 1].sts, now: run === now, run }));
  const edges = [Math.min, Math.max].map((most) => most(...runs.map(({ at }) => at))),
    seen = ({ at, run }) => run === now || edges.includes(at) || (chosen.tried ?? []).includes(state.runs.indexOf(run));
  return {
    name,
    symbol,
    tried: runs.filter(seen).sort((a, b) => a.sts - b.sts),
    open: runs.filter((run) => !seen(run)),
  };
};

const remember = (chosen, state) => {
  const now = state.mode === "live" ? -1 : state.runs.indexOf(nearest(state, chosen));
  if (now >= 0 && !chosen.tried?.includes(now)) chosen.tried = [...(chosen.tried ?? []), now];
};

// Runs so far apart that one may be called the best, another the worst.
const apart = (tried) => tried.length > 1 && tried[tried.length - 1].sts - tried[0].sts >= ALIKE;

// Whether the curve of all runs goes through words of one line: also where it is not uncovered yet, so that words stay
// in their place.
const crossed = (px, py, all, { left, right, y }) =>
  all.slice(1).some((run, k) => {
    const [[x0, y0], [x1, y1]] = [all[k], run].map(({ at, sts }) => [px(at), py(sts)]),
      ends = [Math.max(left, x0), Math.min(right, x1)],
      heights = ends.map((x) => y0 + ((x - x0) / (x1 - x0)) * (y1 - y0));
    return ends[0] <= ends[1] && Math.min(...heights) < y + 6 && Math.max(...heights) > y - 16;
  });

// Where each run ends that was looked at, beside where all of them began.
const ends = (values, chosen, state) => {
  const { name, symbol, tried, open } = trials(chosen, state),
    [, , raw] = values.first,
    all = [...tried, ...open].sort((a, b) => a.at - b.at),
    { min, max, scale } = SLIDERS[name],
    [from, to] = scale === "log" ? [min / 1.6, max * 1.6] : [min - 0.06, max + 0.06],
    { after, neutral } = kit.COLOURS;
  // Only neighbours are joined: nothing is said of a run between that nobody has looked at.
  const joined = all
    .slice(1)
    .map((run, k) => [all[k], run])
    .filter((pair) => pair.every((one) => tried.includes(one)));
  const low = 10 * Math.floor((Math.min(...all.map(({ sts }) => sts), raw) - 4) / 10),
    place = (run) =>
      !apart(tried) ? "" : run === tried[0] ? " worst" : run === tried[tried.length - 1] ? " best" : "",
    edge = (run) => (run === all[0] ? "start" : run === all[all.length - 1] ? "end" : "middle"),
    aside = { start: -8, middle: 0, end: 8 },
    dot = (px, py) => (run) =>
      kit.SHAPES[run.now ? "dot" : "ring"](kit.round(px(run.at)), kit.round(py(run.sts)), after);
  // The words of a run stand above its dot, or below it where others stand already.
  const words = (px, py, taken) => (run) => {
    const said = kit.fixed(run.sts, 1) + place(run),
      [x, long, end] = [px(run.at) + aside[edge(run)], 7 * said.length, edge(run)],
      left = x - { start: 0, middle: long / 2, end: long }[end],
      free = (y) => taken.every((one) => left > one.right || left + long < one.left || Math.abs(y - one.y) > 14),
      y = [-10, 20, -26, 36].map((away) => py(run.sts) + away).find(free) ?? py(run.sts) - 10;
    taken.push({ left, right: left + long, y });
    return kit.text(x, y, said, end, 'class="kit-small kit-halo"');
  };
  return kit.lines({
    width: kit.room.second,
    height: 340,
    title: `How the runs end${open.length ? `; move ${symbol} to uncover a “?”` : ""}`,
    y: "STS at the end",
    x: name === "lam" ? `${symbol}: weight of the contrast` : symbol,
    logx: scale === "log",
    xmin: from,
    xmax: to,
    ymin: low,
    ymax: 100,
    right: 20,
    legend: [],
    series: [
      ...joined.map((pair) => ({ points: pair.map(({ at, sts }) => [at, sts]), colour: after })),
      { points: [from, to].map((at) => [at, raw]), colour: neutral, dash: "5 4" },
    ],
    over: (px, py) => {
      const level = `raw ${kit.fixed(raw, 1)}`, // as the tile beside calls it
        [long, y] = [7 * level.length, py(raw) - 6],
        places = [
          { end: "end", x: px(to), left: px(to) - long, right: px(to), y },
          { end: "start", x: px(from) + 6, left: px(from) + 6, right: px(from) + 6 + long, y },
        ],
        place = places.find((one) => !crossed(px, py, all, one)) ?? places[0],
        taken = [place];
      return (
        kit.text(place.x, y, level, place.end, 'class="kit-small kit-halo"') +
        open.map(({ at }) => kit.text(px(at), py(low) - 6, "?")).join("") +
        tried.map(dot(px, py)).join("") +
        all
          .filter((run) => tried.includes(run))
          .map(words(px, py, taken))
          .join("")
      );
    },
  });
};

const draw = (values, chosen, state) => {
  remember(chosen, state);
  const recorded = state.mode !== "live",
    narrow = kit.room.columns < 2,
    runs = recorded ? ends(values, chosen, state) : "",
    beside = recorded
      ? globe.figures({ ...values, ...values.now }, state) + (narrow ? "" : runs)
      : globe.cosines(values, state);
  return [
    ...globe.pair(globe.ball(chosen, "before training"), beside),
    kit.wide(`${narrow ? runs : ""}<div class="kit-reading">${globe.reading(values, chosen, state)}</div>`),
    measures(values) + (recorded ? globe.spread(values, state, 190) : ""),
  ];
};
const { nearby, drag, turn } = globe;

// The recording begins with the raw space, and so does a live history.
const ink = (pen, values, chosen, state) => {
  const { theta, phi } = (state.mode === "live" ? state.frames : nearest(state, chosen).frames)[0];
  if (values.step) globe.ghosts(pen, globe.places({ theta: theta.map((angle) => angle / 10), phi }), chosen);
  globe.ink(pen, values, chosen, state);
};

// What the numbers mean: whether the cloud opened or lost directions, and whether cosines agree more with the scores.
const verdict = ({ start, now, away }) => {
  const [before, here] = [start.sts, now.sts].map((sts) => kit.printed(sts, 1)),
    agreed = here === before ? "as much" : here > before ? "more" : "less",
    closer = now.mean_cosine - start.mean_cosine,
    alike = closer > 0.1 ? "narrower than" : "about as narrow as",
    left = globe.moved(away, start.mean_cosine, now.mean_cosine), // and no wider, whatever the rings look like
    narrow = left ? `the cone left the raw mean, ${alike} before` : `the cone is ${alike} it was`,
    cloud = closer > -0.1 ? narrow : "the cone has opened",
    lost = now.effective_rank < 0.6 * start.effective_rank ? ", few directions are left" : "";
  return `${cloud}${lost}, and its cosines agree ${agreed} with the scores`;
};

// The question that all recorded runs answer together, and the answer of those that were looked at.
const question = (chosen, state) => {
  const { symbol, tried, open } = trials(chosen, state),
    [worst, best] = [tried[0], tried[tried.length - 1]],
    now = nearest(state, chosen),
    at = state.sliders
      .slice(1)
      .map((name) => ` at ${SLIDERS[name].label} ${kit.short(now[name])}`)
      .join(""),
    asked = open.length ? `Which ${symbol} ends best${at}? So far ` : `Of all runs${at} best: `;
  return apart(tried)
    ? `${asked}${symbol} ${kit.short(best.at)} (STS ${kit.fixed(best.sts, 1)}), ` +
        `and ${symbol} ${kit.short(worst.at)} worst (${kit.fixed(worst.sts, 1)})`
    : `Which ${symbol} ends best${at}? ${open.length ? "So far all" : "All"} end alike`;
};

// The setting and what came of it; at the end of a recorded run what all runs are there for.
const lead = (values, chosen, state) => {
  if (state.mode !== "live" && values.history.sts.length === nearest(state, chosen).frames.length)
    return question(chosen, state);
  const now = state.mode === "live" ? state.next : nearest(state, chosen),
    at = state.sliders.map((name) => `${SLIDERS[name].label} ${kit.short(now[name])}`).join(", ");
  return (
    `With ${at} ` +
    (values.step ? verdict(values) : "all sentences stand round one direction: the training has not begun")
  );
};

const brief = (values, chosen, state) => {
  const live = state.mode === "live",
    doing = !live ? "Recorded" : chosen.gone ? "Ended" : state.running ? "Training" : "Ready";
  if (!values.step) return `${doing}: step 0 of the training. ${kit.escape(state.note)}`;
  const sts = `STS ${kit.fixed(values.start.sts, 1)} → ${kit.told(kit.fixed(values.now.sts, 1))}`,
    said = `${verdict(values)}, ${sts}`;
  return `${doing}, step ${kit.told(values.step)}: ${said}. <small>${kit.escape(state.note)}</small>`;
};

const summary = (values, chosen, state) => {
  const live = state.mode === "live",
    { start, now } = values;
  const used = state.sliders.map(
    (name) => `${name === "tau" ? "τ" : "λ"} ${kit.short((live ? state.next : nearest(state, chosen))[name])}`,
  );
  const training = `Training, ${kit.fixed(state.rate, 1)} frames a second`,
    doing = !live ? "Recorded" : chosen.gone ? "Ended" : state.running ? training : "Ready";
  const measured = !values.step
    ? `Before the first step the mean cosine is ${kit.fixed(now.mean_cosine)}, the effective rank ` +
      `${kit.fixed(now.effective_rank, 1)}, STS ${kit.fixed(now.sts, 1)}.`
    : `After ${values.step} steps the mean cosine went from ${kit.fixed(start.mean_cosine)} to ` +
      `${kit.fixed(now.mean_cosine)}, the effective rank from ${kit.fixed(start.effective_rank, 1)} to ` +
      `${kit.fixed(now.effective_rank, 1)}, STS from ${kit.fixed(start.sts, 1)} to ${kit.fixed(now.sts, 1)}.`;
  return `${doing}: ${used.join(", ")}${live ? " from the next step on" : ""}. ${measured} ${state.note}`;
};

// Who takes the recording to a place by hand wants to look at that place.
const settle = (name) => (name === "position" ? { playing: false, pressed: "" } : {});

// Play a recorded run from where it stands; at its end, from the beginning.
const advance = (chosen, state, seconds) => {
  if (state.mode === "live" || !chosen.pressed) return null;
  const last = nearest(state, chosen).frames.length - 1,
    position = chosen.position ?? last;
  if (chosen.pressed === "reset") return { pressed: "", playing: false, position: 0 };
  if (chosen.pressed === "pause") return { pressed: "", playing: false, position: Math.round(position) };
  if (!chosen.playing) return { playing: true, position: position >= last ? 0 : position };
  const next = Math.min(position + (seconds * last) / SECONDS, last);
  return {
    position: next,
    playing: next < last,
    pressed: next < last ? "start" : "",
    yaw: (chosen.yaw ?? 20) + 5 * seconds,
  };
};
