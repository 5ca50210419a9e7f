// The page's own tools: all code shown or folded, the list of lessons, the search.
(() => {
  "use strict";
  const kept = {
    get: () => {
      try {
        return localStorage.getItem("kit-code") === "yes";
      } catch {
        return false; // a page that may keep nothing
      }
    },
    put: (shown) => {
      try {
        localStorage.setItem("kit-code", shown ? "yes" : "no");
      } catch {} // as above
    },
  };

  const allCode = () => {
    const button = document.querySelector(".all-code"),
      sources = [...document.querySelectorAll("details.source")];
    if (!button) return;
    button.parentElement.hidden = !sources.length;
    const show = (shown) => {
      sources.forEach((source) => (source.open = shown));
      button.setAttribute("aria-pressed", String(shown));
      button.textContent = shown ? "Fold all code" : "Show all code";
    };
    if (kept.get()) show(true);
    button.addEventListener("click", () => {
      const shown = button.getAttribute("aria-pressed") !== "true";
      show(shown);
      kept.put(shown);
    });
  };

  // [page, place, lesson, heading, text] of every section, and [typed, [said here …]] of words that the course has
  // others for: a script, as pages that are files load nothing else.
  let index = null;
  const loaded = () =>
    (index ??= new Promise((come, fail) =>
      document.head.append(
        Object.assign(document.createElement("script"), {
          src: "assets/search.js",
          onload: () =>
            come([window.kitSearch, window.kitWords.map(([typed, said]) => [loose(typed), said.map(parts)])]),
          onerror: fail,
        }),
      ),
    ));

  const plain = (text) =>
    text
      .toLowerCase()
      .normalize("NFD")
      .replace(/\p{Mn}/gu, "");

  const parts = (text) => plain(text).split(/\s+/).filter(Boolean);
  const loose = (text) => parts(text.replace(/[-_]/g, " ")).join(" "); // "max_seq_length" is "max seq length"

  // What is typed, part by part, each with all that may stand for it: lists of words, its own first. A part is the
  // longest run of words that the course has others for (the last of them may go on: "normalized"), or one word.
  const meant = (words, others) => {
    if (!words.length) return [];
    for (let n = words.length; n; n -= 1) {
      const typed = loose(words.slice(0, n).join(" ")),
        known = others.filter(([one]) => typed.startsWith(one) && !typed.slice(one.length).includes(" "));
      if (known.length)
        return [[words.slice(0, n), ...known.flatMap(([, said]) => said)], ...meant(words.slice(n), others)];
    }
    return [[words.slice(0, 1)], ...meant(words.slice(1), others)];
  };

  // Sections with every word, or what stands for it, those with a word in the heading first.
  const matches = ([rows, others], asked) => {
    const wanted = meant(parts(asked), others);
    if (!wanted.length) return [];
    const scored = rows.map(([page, place, lesson, heading, text]) => {
      const title = plain(heading),
        body = plain(text),
        has = (word) => title.includes(word) || body.includes(word),
        count = (sum, word) => sum + (title.includes(word) ? 20 : 0) + body.split(word).length - 1;
      const found = wanted.map((ways) =>
        ways
          .filter((words) => words.every(has))
          .map((words) => ({ words, score: words.reduce(count, 0) }))
          .reduce((best, one) => (best && best.score >= one.score ? best : one), null),
      );
      if (!found.every(Boolean)) return null;
      const score = found.reduce((sum, one) => sum + one.score, 0);
      return { page, place, lesson, heading, text, at: Math.max(0, body.indexOf(found[0].words[0]) - 50), score };
    });
    return scored
      .filter(Boolean)
      .sort((a, b) => b.score - a.score)
      .slice(0, 12);
  };

  const search = () => {
    const field = document.querySelector(".search input"),
      found = document.querySelector(".found"),
      all = document.querySelector(".all");
    if (!field) return;
    const say = (rows) => {
      found.replaceChildren(...rows);
      found.hidden = !rows.length;
      all.hidden = Boolean(field.value.trim());
    };
    const line = (text) => Object.assign(document.createElement("li"), { textContent: text });
    const row = ({ page, place, lesson, heading, text, at }) => {
      const item = document.createElement("li"),
        link = document.createElement("a"),
        passage = document.createElement("small");
      link.href = `${page}#${encodeURIComponent(place)}`;
      link.textContent = lesson.includes(heading) ? lesson : `${lesson}: ${heading}`;
      passage.textContent = `${at ? "…" : ""}${text.slice(at, at + 130)}…`;
      item.append(link, passage);
      return item;
    };
    field.addEventListener("input", async () => {
      try {
        const rows = matches(await loaded(), field.value);
        say(field.value.trim() && !rows.length ? [line("Nothing found.")] : rows.map(row));
      } catch {
        say([line("The index of the search could not be loaded; the list of lessons is below.")]);
        all.hidden = false;
      }
    });
    const menu = document.querySelector(".menu");
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && menu.open) {
        menu.open = false;
        menu.querySelector("summary").focus();
      }
    });
    document.addEventListener("click", (event) => {
      if (menu.open && (!menu.contains(event.target) || event.target.closest(".drop a"))) menu.open = false;
    });
  };

  // "0,75" and "1/3" are numbers, too; what is none is NaN.
  const numberOf = (text) => {
    const [above, below = "1", ...more] = text.trim().replace("−", "-").replace(",", ".").split("/");
    return more.length || !above.trim() || !below.trim() ? NaN : Number(above) / Number(below);
  };

  // As kit/course/exercises/checking.py judges a value: the number of what was said to it, or a sentence of its own.
  const judged = ({ right, wrong, tolerance, choices }, given) => {
    const answer = given.map((one, k) => (choices[k].length ? one : numberOf(one))),
      odd = answer.findIndex((one) => one === "" || Number.isNaN(one));
    if (odd >= 0)
      return choices[odd].length ? "Choose one of each." : "Not yet: expected a number, such as 0.25 or 1/4.";
    const same = (one, k, other) =>
      one === null ||
      (choices[k].length ? one === other : Math.abs(one - other) <= tolerance * Math.max(1, Math.abs(one)));
    const fits = (one) => one.every((value, k) => same(value, k, answer[k]));
    const known = [right, ...wrong].findIndex(fits);
    if (known >= 0) return known;
    const good = right.map((one, k) => same(one, k, answer[k])),
      first = good.indexOf(false);
    const what = choices[first].length ? "is not it" : `is too ${answer[first] > right[first] ? "large" : "small"}`;
    return right.length === 1
      ? `Not yet: ${given[0]} ${what}.`
      : `Not yet: ${good.filter(Boolean).length} of ${good.length} values are right; value ${first + 1} ${what}.`;
  };

  const make = (name, properties = {}) => Object.assign(document.createElement(name), properties);
  const fieldOf = (choices, name) => {
    if (!choices.length) return make("input", { type: "text", inputMode: "decimal", size: 9, ariaLabel: name });
    const field = make("select", { ariaLabel: name });
    for (const one of ["", ...choices]) field.append(make("option", { value: one, textContent: one || "…" }));
    return field;
  };

  // Exercises that ask for numbers: a field for each value, and what `check` would say.
  const exercises = () => {
    for (const place of document.querySelectorAll(".asked")) {
      const asked = JSON.parse(place.dataset.asked),
        said = [...place.querySelectorAll(".said")],
        name = (k) => (asked.right.length > 1 ? `value ${k + 1} of ${asked.right.length}` : "your answer");
      const form = make("form"),
        fields = asked.choices.map((choices, k) => fieldOf(choices, name(k))),
        own = make("p");
      own.setAttribute("role", "status");
      form.append(...fields, make("button", { textContent: "check" }));
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        const verdict = judged(
          asked,
          fields.map((field) => field.value),
        );
        said.forEach((one, k) => (one.hidden = k !== verdict));
        own.textContent = typeof verdict === "string" ? verdict : "";
      });
      place.querySelector("p").after(form, own);
      for (const one of said) one.setAttribute("role", "status");
    }
  };

  // What is wider than the page is moved by keyboard, too.
  const scrolled = () => {
    for (const block of document.querySelectorAll("pre, .long, .formula, .table"))
      if (block.scrollWidth > block.clientWidth + 1) block.tabIndex = 0;
  };

  allCode();
  search();
  exercises();
  scrolled();
  window.addEventListener("resize", scrolled);
  document.addEventListener("toggle", scrolled, true); // what was folded had no width; it does not bubble
})();
