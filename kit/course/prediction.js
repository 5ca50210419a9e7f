// A question and a guess, and only then what came out. The guess goes to the kernel; without one it stays in the page.

const GONE = "A guess is not kept now, the kernel that asked is gone: run the cell again.";

const made = (tag, settings = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), settings);
  element.append(...children);
  return element;
};

// One radio button for each option, or a line to write into where an answer is more than one of a few.
const fields = (options) => {
  if (!options.length) {
    const line = made("input", { type: "text", maxLength: 200, name: "guess", autocomplete: "off" });
    return [made("label", { className: "kit-predict-line" }, "Your guess: ", line)];
  }
  return options.map(([words]) => {
    const button = made("input", { type: "radio", name: "guess", value: words });
    return made("label", {}, button, ` ${words}`);
  });
};

const verdict = (guess, options) => {
  const chosen = options.find(([words]) => words === guess);
  if (!guess) return "";
  if (!chosen) return `Your guess: ${guess}`;
  return chosen[1] ? `You said: ${guess}. That is what came out.` : `You said: ${guess}. It came out differently.`;
};

const render = ({ model, el }) => {
  const { ask, options, answer } = model.get("state");
  const guessed = made("p", { className: "kit-predict-guess" });
  const found = made("div", { innerHTML: answer }); // made in Python from the lesson's own words
  const shown = made("div", { className: "kit-predict-answer", hidden: true }, guessed, found);
  const commit = made("button", { type: "submit", textContent: "This is my guess", disabled: true });
  const look = made("button", { type: "button", textContent: "Look without a guess" });
  const question = made("legend", {}, made("b", { textContent: "Predict, then look. " }), ask);
  const buttons = made("p", { className: "kit-predict-buttons" }, commit, " ", look);
  const asked = made("fieldset", {}, question, made("div", {}, ...fields(options)), buttons);
  const note = made("p", { className: "kit-predict-note" });
  const told = made("div", {}, shown, note);
  told.setAttribute("aria-live", "polite");
  told.tabIndex = -1; // the button that was pressed is gone: the focus goes to what it has shown
  const form = made("form", { className: "kit-predict" }, asked, told);
  // Else JupyterLab takes the keys, of the form and of each field.
  [form, ...form.querySelectorAll("input, button")].forEach((one) =>
    one.setAttribute("data-lm-suppress-shortcuts", "true"),
  );

  const guess = () => (new FormData(form).get("guess") ?? "").trim();
  const reveal = (said) => {
    guessed.textContent = verdict(said, options);
    guessed.hidden = !said;
    shown.hidden = false;
    asked.querySelectorAll("input").forEach((input) => (input.disabled = true));
    buttons.hidden = true;
  };
  form.addEventListener("input", () => (commit.disabled = !guess()));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const said = guess();
    if (!said) return;
    reveal(said);
    told.focus();
    model.set("guess", said);
    model.save_changes();
  });
  look.addEventListener("click", () => {
    reveal("");
    told.focus();
  });
  let gone = false;
  const say = () => (note.textContent = gone ? GONE : model.get("note") || "");
  model.on("change:note", say);
  say();
  const answered = () => model.get("guess") && reveal(model.get("guess")); // drawn again, or in another view
  model.on("change:guess", answered);
  answered();
  el.append(form);
  const lost = () => {
    gone ||= !model.get("guess"); // one that was made before is in the file
    say();
  };
  return losing(model, el, (name, call) => model.on(name, call), lost);
};

export default { initialize: hearing, render }; // hearing and losing: hearing.js, which stands before this
