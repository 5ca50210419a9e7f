// What every board shares: how it is laid out, when it is redrawn, what is said of it.
//
// A board is four functions (see kit/boards/board.py): controls(state), compute(state, chosen),
// draw(values, chosen, state) and summary(values, chosen, state). Only `show` touches the page.
// Optional are: title, the board's name; begin(model, redraw, listen), which asks for what is not in the state, hears
// by listen(name, call) what comes of it, and returns what compute gets as its third argument;
// lead(values, chosen, state), what the board shows now, in one sentence above all, in HTML;
// brief(values, chosen, state), the caption under the picture, in HTML;
// motion(values, chosen, state), the numbers that glide to their new values (draw gets them among its values);
// advance(chosen, state, seconds), called by a clock (before every repaint where tempo is "frame");
// drag(name, x, y, chosen, state), called while the reader drags an element with data-drag="name";
// turn(key, chosen), called for a key that is pressed on an element with data-turn (null: it means nothing). The last
// three return changes of `chosen`; x and y are in the coordinates of the element with data-plane in that picture.
// allowed(chosen, state), {name: [values]}, says what sliders can be where that depends on other controls (null: all);
// settle(name, chosen, state) says what else changes of chosen, {name: value}, when the reader has moved that control.
// A board with many marks draws them on a canvas that stands behind its picture's svg: ink(pen, values, chosen, state);
// nearby(x, y, values, chosen, state) says which "control:value" is meant at a place of the data-plane, or null.
// A control with `asleep` needs a kernel and has none whatever the page: what it would move was recorded.
// shares, [3, 2] for one, parts the width between the two columns; folded, {from, name}, puts the panels from that one
// on behind a line to be clicked.
// chosen.seen is set when the board has been in view, chosen.calm where the reader's system asks for less motion,
// chosen.gone when the kernel that answers has ended.

const GAP = 24, // between two panels
  TWO = 640, // the width from which two panels stand side by side
  LATE = 600, // milliseconds without a change before a screen reader is told the headline, and no more
  GONE = "The kernel that made this board is gone: run its cell again.";

const show = (board, model, el) => {
  let listed = board.controls(model.get("state"));
  const chosen = { ...model.get("controls"), ...starting(listed) }; // and what this view remembers beside them
  let refused = ""; // what code has set and the board cannot show
  const take = (given) => {
    refused = "";
    for (const control of listed.filter(({ name }) => name in given)) {
      try {
        chosen[control.name] = admitted(control, given[control.name], listed);
      } catch (problem) {
        refused = problem.message;
      }
    }
  };
  take(model.get("controls"));
  const inputs = {},
    nodes = {};
  const named = typeof board.title === "function" ? board.title(model.get("state")) : board.title;
  const root = element("div", "kit-board", { "data-theme": model.get("theme") || "auto", role: "group" });
  root.setAttribute("aria-label", named ?? "board");
  root.toggleAttribute("data-still", model.get("kernel") === false);
  const stage = element("div", "kit-stage", { role: "group", "aria-label": "pictures" }),
    pictures = element("div", "kit-panels"),
    behind = element("details", "kit-behind"),
    folded = element("div", "kit-folded"),
    headline = element("p", "kit-headline"),
    brief = element("p", "kit-brief"),
    words = element("details", "kit-words"),
    caption = element("p", "kit-caption", { id: `kit-${Math.random().toString(36).slice(2)}` }),
    status = element("p", "kit-unseen", { role: "status" });
  stage.setAttribute("aria-describedby", caption.id); // what is true in the pictures now, beside their names
  words.append(element("summary", "", {}, "in words"));
  stage.append(pictures);
  if (board.folded) {
    behind.append(element("summary", "", {}, board.folded.name), folded);
    stage.append(behind);
  }

  // Only present when there is an error: readers and tests look for this class.
  const complain = (problem) => {
    const text = chosen.gone ? GONE : problem || "",
      told = root.querySelector(".kit-error");
    if ((told?.textContent ?? "") === text) return; // put there anew, it would be read out again
    told?.remove();
    if (text) stage.before(element("p", "kit-error", { role: "alert" }, text));
  };

  let wide = 0, // asked for when it may be another, not before every repaint: the answer takes a layout of the page
    spacing = 0;
  const measure = () => {
    wide = pictures.clientWidth;
    spacing = spacingOf(pictures);
  };

  // Another view of the board, of another width, may have drawn last.
  const furnish = () => {
    if (!wide) measure();
    Object.assign(kit.room, roomOf(wide, board.shares), { spacing });
  };

  const paint = (values) => {
    furnish();
    for (const place of [pictures, folded]) place.style.gridTemplateColumns = kit.room.template;
    const panels = board.draw(values, chosen, model.get("state")),
      shown = board.folded?.from ?? panels.length;
    put(pictures, panels.slice(0, shown));
    put(folded, panels.slice(shown));
    if (spacing) keepInside(stage);
    if (board.ink) board.ink(penOf(pictures.querySelector("canvas")), values, chosen, model.get("state"));
    painted = values;
    relink();
  };
  let painted = null;
  const relink = linking(stage);
  const glide = glider(
    paint,
    traveller(() => [...pictures.children, ...(behind.open ? folded.children : [])]),
  );

  // What the model calls until the view is gone.
  const heard = [];
  const listen = (name, call) => {
    heard.push([name, call]);
    model.on(name, call);
  };

  // After an error the last good picture stays. `given` is what a board asks for beside its state, once it has come.
  const given = board.begin?.(model, () => redraw(), listen);
  const redraw = (at_once = true) => {
    const state = model.get("state");
    for (const input of Object.values(inputs)) input.mark?.(chosen); // as pressed
    try {
      const values = board.compute(state, chosen, given);
      glide.to(values, board.motion?.(values, chosen, state), at_once || chosen.calm);
      tellOf(values, state);
      complain(refused || model.get("error"));
    } catch (problem) {
      if (problem instanceof TypeError || problem instanceof ReferenceError) console.error(problem);
      complain(problem.message);
    }
  };

  let speaking = null;
  const tellOf = (values, state) => {
    const said = kit.quotesApart(board.summary(values, chosen, state));
    if (caption.textContent !== said) caption.textContent = said;
    const claim = kit.quotesApart(board.lead?.(values, chosen, state) ?? ""),
      short = board.brief ? kit.quotesApart(board.brief(values, chosen, state)) : kit.escape(said);
    if (headline.kitDrawn === claim && brief.kitDrawn === short) return;
    const first = brief.kitDrawn === undefined;
    headline.innerHTML = headline.kitDrawn = claim;
    brief.innerHTML = brief.kitDrawn = short;
    clearTimeout(speaking);
    if (first) return; // a page full of boards does not speak all at once
    speaking = setTimeout(() => {
      const said = headline.textContent || withoutNotes(brief);
      if (status.textContent !== said) status.textContent = said;
    }, LATE);
  };

  // Send changes to Python, at most once in `wait` milliseconds: the controls, not what this view remembers.
  let telling = null;
  const tell = (wait) => {
    clearTimeout(telling);
    telling = setTimeout(() => {
      telling = null;
      const own = Object.fromEntries(Object.keys(starting(listed)).map((name) => [name, chosen[name]]));
      model.set("controls", { ...model.get("controls"), ...own });
      model.save_changes();
    }, wait);
  };

  // A slider that stood elsewhere goes to the next value below.
  const confine = () => {
    for (const [name, values] of Object.entries(board.allowed?.(chosen, model.get("state")) ?? {})) {
      if (values && !values.includes(chosen[name]))
        chosen[name] = values.findLast((v) => v <= chosen[name]) ?? values[0];
      inputs[name].limit(values);
      inputs[name].put(chosen[name]);
    }
  };

  const change = (control, value) => {
    refused = "";
    if (control.kind === "presets") {
      Object.assign(chosen, value);
      for (const [name, v] of Object.entries(value)) inputs[name]?.put(v);
    } else chosen[control.name] = value;
    if (control.kind === "button") chosen.pressed = control.name;
    for (const [name, v] of Object.entries(board.settle?.(control.name, chosen, model.get("state")) ?? {})) {
      chosen[name] = v;
      inputs[name]?.put(v); // what plays has no control of its own
    }
    confine();
    redraw(false);
    tell({ text: 300, button: 0, presets: 0 }[control.kind] ?? (control.kernel ? 0 : 100));
  };

  // What the reader can turn, made anew where another state has other controls.
  let placed = null,
    fit = null;
  const equip = () => {
    const focused = Object.keys(nodes).find((name) => nodes[name].contains(document.activeElement));
    for (const name of Object.keys(inputs)) delete inputs[name];
    const sleeping = listed.filter(
      (one) => one.kernel && one.kind !== "hidden" && (one.asleep || model.get("kernel") === false),
    );
    for (const control of listed) {
      const asleep = sleeping.includes(control);
      inputs[control.name] = WIDGETS[control.kind](control, chosen[control.name], (value) => change(control, value));
      if (asleep) inputs[control.name].sleep();
      nodes[control.name] = inputs[control.name].node;
    }
    confine();
    const before = placed;
    placed = arranged(listed, nodes, sleeping);
    if (!before) return;
    before.panel.replaceWith(placed.panel);
    fit.dress();
    if (before.sleeping) before.sleeping.replaceWith(placed.sleeping);
    else brief.after(placed.sleeping);
    const again = nodes[focused];
    (again?.matches("button") ? again : again?.querySelector("input, select, button"))?.focus();
  };
  equip();
  // The controls stay beside what they move; the caption stands below, so that its length moves no picture.
  if (board.lead) root.append(headline);
  root.append(placed.panel, stage, brief, placed.sleeping, words, caption, status);
  el.replaceChildren(root);

  // A click on something drawn with data-pick="name:value" sets that control; pointing at data-hover does, too.
  const pick = (told) => {
    const [name, value] = told?.split(":") ?? [];
    const control = board.controls(model.get("state")).find((c) => c.name === name);
    if (!control) return;
    const picked = control.kind === "slider" ? Number(value) : value;
    if (chosen[name] === picked) return;
    inputs[name].put(picked);
    change(control, picked);
  };
  stage.addEventListener("click", (event) => pick(meantBy(event, "[data-pick]")?.dataset.pick));
  stage.addEventListener("pointerover", (event) => pick(event.target.closest("[data-hover]")?.dataset.hover));
  if (board.nearby)
    pointing(pictures, (x, y) => {
      furnish();
      const meant = board.nearby(x, y, painted, chosen, model.get("state"));
      pick(meant);
      return meant;
    });

  // Python, or another view of the same board, has changed a control; it is told where the board stands elsewhere.
  const follow = () => {
    const given = model.get("controls"),
      others = () => listed.filter(({ name }) => name in given && chosen[name] !== given[name]),
      changed = others();
    if (telling !== null || !changed.length) return;
    take(given);
    for (const { name } of changed) inputs[name].put(chosen[name]);
    confine();
    redraw();
    if (others().length) tell(0);
  };
  const kinds = (all) => JSON.stringify(all.map(({ name, kernel }) => [name, kernel]));
  const arrived = () => {
    const others = board.controls(model.get("state"));
    if (kinds(others) === kinds(listed)) confine();
    else {
      listed = others;
      for (const [name, value] of Object.entries(starting(listed))) chosen[name] ??= value;
      equip();
    }
    redraw(false);
  };
  listen("change:state", arrived);
  listen("change:error", () => complain(refused || model.get("error")));
  listen("change:controls", follow);
  const lost = () => {
    const unsent = given && !given.ready, // then no control moves anything
      needing = listed.filter((one) => one.kernel || unsent);
    if (chosen.gone || !needing.length) return;
    chosen.gone = true;
    for (const { name } of needing) inputs[name].sleep(GONE);
    redraw();
  };
  const alter = (changes, at_once) => {
    Object.assign(chosen, changes);
    for (const [changed, value] of Object.entries(changes)) inputs[changed]?.put(value);
    redraw(at_once);
  };
  const move = (seconds) => {
    const changes = board.advance(chosen, model.get("state"), seconds);
    if (changes) alter(changes, board.tempo === "frame");
  };
  const stop = board.advance ? (board.tempo === "frame" ? everyFrame(move) : everyTick(move)) : () => {};
  const watch = new IntersectionObserver(
    (seen) => {
      if (seen.some((one) => one.intersectionRatio > 0.4)) chosen.seen = true;
    },
    { threshold: [0.5] },
  );
  watch.observe(pictures);
  chosen.calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (board.drag)
    dragging(pictures, (name, x, y) => {
      alter(board.drag(name, x, y, chosen, model.get("state")));
      tell(100);
    });
  if (board.turn)
    pictures.addEventListener("keydown", (event) => {
      const turned = event.target.matches("[data-turn]") && !chord(event),
        changes = turned && board.turn(event.key, chosen);
      if (!changes) return;
      event.preventDefault(); // the page does not scroll
      alter(changes);
    });
  redraw();
  const forget = losing(model, el, listen, lost);
  // A picture that is touched itself is never covered by controls that stay in view.
  fit = fitting(
    root,
    pictures,
    !board.drag,
    () => pictures.clientWidth === wide && spacingOf(pictures) === spacing,
    () => {
      measure();
      glide.again();
    },
  );
  return () => {
    // the view is gone: stop every timer
    stop();
    glide.stop();
    fit.stop();
    forget();
    watch.disconnect();
    clearTimeout(telling);
    clearTimeout(speaking);
    for (const [name, call] of heard) model.off(name, call);
  };
};

// What a screen reader is told where there is no headline: the caption without its small print.
const withoutNotes = (brief) => {
  const copy = brief.cloneNode(true);
  for (const note of copy.querySelectorAll("small")) note.remove();
  return copy.textContent.trim();
};

// What a board may draw on: in `width` pixels one column, or two beside each other.
const roomOf = (clientWidth, shares) => {
  const width = Math.floor(clientWidth) || 440,
    columns = width >= TWO ? 2 : 1,
    room = width - GAP * (columns - 1);
  const [first, second] = (shares ?? [1, 1]).map((share, _, all) =>
    columns === 1 ? width : Math.floor((room * share) / (all[0] + all[1])),
  );
  const template = columns === 1 ? "minmax(0, 1fr)" : `${first}px ${second}px`;
  return { width, columns, column: Math.min(first, second), first, second, template };
};

// Unchanged panels do not flicker.
const put = (place, panels) => {
  while (place.children.length > panels.length) place.lastChild.remove();
  panels.forEach((html, i) => {
    const panel = place.children[i] || place.appendChild(element("div", "kit-panel"));
    if (panel.kitDrawn === html) return;
    const held = panel.querySelector(":focus")?.dataset.keep;
    panel.innerHTML = panel.kitDrawn = html;
    if (held) panel.querySelector(`[data-keep="${held}"]`)?.focus(); // who works by keyboard stays where they were
  });
};

// Pixels that the reader's own style puts after each letter; a blank's share is spread over a word of six letters.
const spacingOf = (node) => {
  const { letterSpacing, wordSpacing } = getComputedStyle(node);
  return (parseFloat(letterSpacing) || 0) + (parseFloat(wordSpacing) || 0) / 6; // "normal" is none
};

// Words that the reader's spacing would cut at an edge move away from it; a line too long is as wide as its picture.
const keepInside = (stage) => {
  for (const words of stage.querySelectorAll("svg text")) {
    const edge = words.closest("svg").getBoundingClientRect();
    if (words.getBoundingClientRect().width > edge.width) words.setAttribute("textLength", edge.width);
    const box = words.getBoundingClientRect(),
      over = Math.max(0, box.right - edge.right) || Math.min(0, box.left - edge.left);
    if (over) words.setAttribute("dx", -over);
  }
};

// Draw again when the board has another width or spacing than it was drawn for (it may have got it before this begins);
// take light or dark colours, whichever the page's text asks for.
const fitting = (root, pictures, holds, fits, again) => {
  const dress = () => {
    const held =
      holds &&
      pictures.clientWidth < TWO &&
      root.querySelector(".kit-controls").offsetHeight < 0.3 * window.innerHeight;
    root.toggleAttribute("data-held", held); // on a phone the controls stay in view while their pictures pass
    const numbers = getComputedStyle(root)
      .color.match(/[\d.]+/g)
      ?.map(Number) ?? [0, 0, 0];
    root.toggleAttribute("data-dark", numbers[0] + numbers[1] + numbers[2] > 384);
  };
  // A fold that is opened may make the controls too tall to stay in view; they are not lost from under the reader. Its
  // size may be seen before its toggle is heard.
  const unfolded = () => {
    const before = root.hasAttribute("data-held");
    dress();
    if (before && !root.hasAttribute("data-held") && pictures.clientWidth < TWO)
      root.querySelector(":scope > .kit-controls > .kit-more[open]")?.scrollIntoView({ block: "nearest" });
  };
  const sized = new ResizeObserver(() => {
    unfolded();
    if (!pictures.clientWidth || fits()) return;
    requestAnimationFrame(again); // a redraw changes the height, which this observer must not see in its own turn
  });
  const dressed = new MutationObserver(dress),
    dark = matchMedia("(prefers-color-scheme: dark)");
  for (const node of [root, pictures]) sized.observe(node); // another spacing is seen where its sentences grow
  for (const node of [document.documentElement, document.body]) dressed.observe(node, { attributes: true });
  dark.addEventListener("change", dress);
  root.addEventListener("toggle", unfolded, true); // it does not bubble
  dress();
  const stop = () => {
    sized.disconnect();
    dressed.disconnect();
    dark.removeEventListener("change", dress);
  };
  return { dress, stop };
};
