// A recorded training on the sphere of globe.js. Between two recorded steps the points glide. The same in Python:
// sphere_values in kit/boards/sphere_widget.py.

const tempo = "frame"; // advance is called before every repaint, with the seconds since the last
const SECONDS = 14; // a whole run

const title = "One training, on a sphere round the mean of the raw space";

// What can come of a training: each holds of the first and the last numbers of a run.
const OUTCOMES = {
  heals: ({ opens, rank, sts }) => opens && rank > 1 && sts > 1,
  "stays narrow": ({ opens }) => !opens,
  "loses directions": ({ opens, rank }) => opens && rank < globe.LOST,
};
const outcomeOf = ({ mean_cosine, effective_rank, sts }) => ({
  opens: mean_cosine.at(-1) < mean_cosine[0] - 0.1,
  rank: effective_rank.at(-1) / effective_rank[0],
  sts: sts.at(-1) / sts[0],
});

// The end of the first recorded run with each outcome.
const recordedEnds = ({ runs, steps }) =>
  Object.fromEntries(
    Object.entries(OUTCOMES).flatMap(([name, holds]) => {
      const run = runs.find((one) => holds(outcomeOf(one)));
      return run ? [[name, { tau: String(run.tau), lam: String(run.lam), position: steps.length - 1 }]] : [];
    }),
  );

const controls = (state) => {
  const last = state.steps.length - 1;
  return [
    toTry(recordedEnds(state), { label: "recorded runs" }),
    { kind: "button", name: "play", label: "play", ends: "pause", lasts: ({ playing }) => playing },
    {
      kind: "slider",
      name: "position",
      label: "place in the run",
      full: "place in the recording, whose first steps lie closer",
      min: 0,
      max: last,
      step: 0.05,
      value: 0,
      tell: (v) => `step ${Math.round(globe.between(state.steps, v))}`,
    },
    globe.slider(state),
    {
      kind: "choice",
      name: "tau",
      label: "τ",
      full: "temperature τ",
      half: true,
      options: state.taus,
      value: state.taus[state.start],
    },
    {
      kind: "choice",
      name: "lam",
      label: "λ",
      full: "weight λ of the contrast",
      half: true,
      options: state.lams,
      value: state.lams[0],
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

// Not every τ was recorded with every λ: the menu that the reader has moved stays, the other goes where there is a run.
// Who takes the recording to a place by hand wants to look at that place.
const settle = (name, chosen, state) => {
  const away = (run) => Math.abs(Math.log(run.tau / Number(chosen.tau))) + Math.abs(run.lam - Number(chosen.lam)),
    nearest = (runs) => runs.reduce((best, run) => (away(run) < away(best) - 1e-9 ? run : best));
  if (name === "lam") return { tau: String(nearest(state.runs.filter((run) => run.lam === Number(chosen.lam))).tau) };
  if (name === "tau") return { lam: String(nearest(state.runs.filter((run) => run.tau === Number(chosen.tau))).lam) };
  return name === "position" ? { playing: false, played: true } : {};
};

// A recorded step of a run: angles and directions in tenths of and in degrees, shares, and three neighbours a point,
// all whole numbers, 16 bits each in one text; and three numbers. The same in Python: unpacked in
// kit/boards/globe_views.py.
const texts = new WeakMap();
const viewOf = (run, k, { roles, bins }) => {
  if (!texts.has(run)) {
    const bytes = Uint8Array.from(atob(run.views), (letter) => letter.charCodeAt(0));
    texts.set(run, new Int16Array(bytes.buffer));
  }
  const n = roles.length,
    [first, row] = [2 * n + bins.length - 1, 5 * n + bins.length - 1],
    part = (from, to) => Array.from(texts.get(run).subarray(k * row + from, k * row + to));
  return {
    theta: part(0, n),
    phi: part(n, 2 * n),
    histogram: part(2 * n, first),
    neighbours: (point) => part(first + 3 * (point - 1), first + 3 * point),
    mean_cosine: run.mean_cosine[k],
    effective_rank: run.effective_rank[k],
    sts: run.sts[k],
  };
};

const compute = (state, chosen) => {
  const run = runOf(state, chosen),
    last = state.steps.length - 1,
    position = Math.min(Math.max(chosen.position ?? 0, 0), last),
    i = Math.min(Math.floor(position), last - 1),
    t = position - i,
    point = chosen.point ?? 0;
  const at = (k) => viewOf(run, k, state),
    raw = at(0);
  const step = state.steps[i] + t * (state.steps[i + 1] - state.steps[i]);
  const view = globe.mixed(at(i), at(i + 1), t);
  return {
    ...view,
    tau: run.tau,
    lam: run.lam,
    step,
    raw: raw.histogram,
    first: [raw.mean_cosine, raw.effective_rank, raw.sts],
    away: globe.away(raw.theta, view.theta),
    neighbours: point ? at(Math.round(position)).neighbours(point) : [], // of the recorded step that is nearest
    seen_at: state.steps[Math.round(position)],
  };
};

const motion = (values) => ({ places: globe.places(values) });

const draw = (values, chosen, state) => [
  ...globe.pair(globe.ball(chosen), globe.cosines(values, state)),
  kit.wide(`<div class="kit-reading">${globe.reading(values, chosen, state)}</div>`),
];
const { ink, nearby, drag, turn } = globe;

// The cone beside the one before training, where it has not opened: by the mean cosines as they are printed.
const widthOf = (cosine, now) => {
  const [before, here] = [cosine, now].map((value) => kit.printed(value, 2));
  return here > before ? "narrower than" : here === before ? "as narrow as" : "hardly wider than";
};

// Of sentences that have left the raw mean together: what the rings, which count from that mean, cannot show.
const closeness = (cosine, now) => (kit.printed(now, 2) > kit.printed(cosine, 2) ? "closer" : "as close");

// What has become of the cone; it changes where that does, not with every step that is played.
const lead = ({ step, away, mean_cosine: now, effective_rank: used, sts: agreed, first: [cosine, rank, sts] }) => {
  if (step < 0.5) return "Before training all sentences crowd round one direction";
  const how = kit.fixed(agreed, 1) === kit.fixed(sts, 1) ? "as it was" : agreed > sts ? "higher" : "lower";
  if (globe.moved(away, cosine, now))
    return `All left the raw mean together, ${closeness(cosine, now)} to each other; agreement is ${how}`;
  if (now >= cosine - 0.1) return `The cone is ${widthOf(cosine, now)} before, and agreement with the scores is ${how}`;
  return used < globe.LOST * rank
    ? `The cone has opened, but ${kit.told("directions are lost", kit.COLOURS.negative)}; agreement is ${how}`
    : `Training has opened the cone, and agreement with the scores is ${how}`;
};

const brief = (values, { playing }, state) => {
  const { after } = kit.COLOURS,
    [cosine, rank, sts] = values.first,
    note = `<small>${kit.escape(state.note)}</small>`;
  if (playing) return `Playing the training at τ ${values.tau}. ${note}`;
  const last = state.steps[state.steps.length - 1];
  if (values.step < 0.5)
    return (
      `Before training all sentences crowd round one direction: two random ones have a cosine of ` +
      `${kit.told(kit.fixed(cosine), after)}. Play the ${last} steps. ${note}`
    );
  const from = (a, b, digits) => `${kit.fixed(a, digits)} → ${kit.told(kit.fixed(b, digits), after)}`;
  const { mean_cosine: now, effective_rank: used, sts: agreed, away } = values;
  const as = (a, b, level, above, below) => (kit.fixed(a, 1) === kit.fixed(b, 1) ? level : b > a ? above : below);
  const cone = globe.moved(away, cosine, now)
    ? `the sentences left the raw mean together (${kit.fixed(away[0], 0)}° → ${kit.fixed(away[1], 0)}° on average), ` +
      `${closeness(cosine, now)} to each other ${kit.printed(now, 2) > kit.printed(cosine, 2) ? "than" : "as"} before`
    : `the cone ${now < cosine - 0.1 ? "has opened" : `is ${widthOf(cosine, now)} before`}`;
  return (
    `Step ${Math.round(values.step)} of ${last} at τ ${values.tau}: ${cone} ` +
    `(mean cosine ${from(cosine, now, 2)}), ` +
    `${as(rank, used, "as many", "more", "fewer")} directions are in use (${from(rank, used, 1)}), and ` +
    `its cosines agree ${as(sts, agreed, "as much", "more", "less")} with the scores ` +
    `(${kit.escape(state.task)} ${from(sts, agreed, 1)}). ${note}`
  );
};

const summary = (values, chosen, state) => {
  if (chosen.playing) return `Playing the training at τ ${values.tau}, λ ${values.lam}. ${state.note}`;
  const [cosine, rank, sts] = values.first,
    degrees = values.away.map((angle) => `${kit.fixed(angle, 0)}°`),
    last = state.steps[state.steps.length - 1],
    where = `τ ${values.tau}, λ ${values.lam}, step ${Math.round(values.step)} of ${last}`;
  if (values.step < 0.5)
    return (
      `${where}, before any training: the mean cosine is ${kit.fixed(cosine)}, the mean angle to the raw mean ` +
      `${degrees[0]}, the effective rank ${kit.fixed(rank, 1)}, ${state.task} ${kit.fixed(sts, 1)}. ${state.note}`
    );
  return (
    `${where}: the mean cosine went from ${kit.fixed(cosine)} to ${kit.fixed(values.mean_cosine)}, the mean ` +
    `angle to the raw mean from ${degrees[0]} to ${degrees[1]}, the effective rank from ${kit.fixed(rank, 1)} to ` +
    `${kit.fixed(values.effective_rank, 1)}, ${state.task} from ` +
    `${kit.fixed(sts, 1)} to ${kit.fixed(values.sts, 1)}. ${state.note}`
  );
};

// Play: once by itself when first seen where it begins, unless less motion is asked for; then as the button says.
const advance = (chosen, state, seconds) => {
  const last = state.steps.length - 1,
    position = chosen.position ?? 0;
  if (chosen.pressed === "play")
    return { pressed: "", playing: !chosen.playing, played: true, position: position >= last ? 0 : position };
  const untouched = !chosen.played && !chosen.play && !position;
  if (untouched && chosen.seen && !chosen.calm) return { played: true, playing: true };
  if (!chosen.playing) return null;
  const next = Math.min(position + (seconds * last) / SECONDS, last);
  return { position: next, playing: next < last, yaw: (chosen.yaw ?? 20) + 5 * seconds };
};
