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

  // [page, place, lesson, heading, text] of every section: a script, as pages that are files load nothing else.
  let index = null;
  const loaded = () =>
    (index ??= new Promise((come, fail) =>
      document.head.append(
        Object.assign(document.createElement("script"), {
          src: "assets/search.js",
          onload: () => come(window.kitSearch),
          onerror: fail,
        }),
      ),
    ));

  const plain = (text) =>
    text
      .toLowerCase()
      .normalize("NFD")
      .replace(/\p{Mn}/gu, "");

  // Sections with every word, those with a word in the heading first.
  const matches = (rows, asked) => {
    const words = plain(asked).split(/\s+/).filter(Boolean);
    if (!words.length) return [];
    const scored = rows.map(([page, place, lesson, heading, text]) => {
      const title = plain(heading),
        body = plain(text);
      if (!words.every((word) => title.includes(word) || body.includes(word))) return null;
      const score = words.reduce((sum, word) => sum + (title.includes(word) ? 20 : 0) + body.split(word).length - 1, 0);
      return { page, place, lesson, heading, text, at: Math.max(0, body.indexOf(words[0]) - 50), score };
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

  allCode();
  search();
})();
