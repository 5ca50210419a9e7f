"""Predict, then look, by keyboard: in JupyterLab a guess reaches the progress file, on a page it stays in the page."""

from __future__ import annotations

import json
import time
from pathlib import Path

import build_site
import pytest
from nbformat import write
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from notebook_page import WIDGET

from kit.course.predictions import folded, standalone
from tests.browser.harness import WAIT_MS, Lab, Reader
from tests.browser.test_harness import notebook

ASK = """\
import os
os.environ["KIT_OUT"] = {folder!r}
from kit.course import finding
finding(True, "It **rose**.", "It fell.", ask="Does it rise?", options={{"it rises": True, "it falls": False}})"""
ANSWER = ".kit-predict-answer"


def test_a_guess_in_jupyterlab_is_kept_on_this_machine(reader: Reader, lab: Lab, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    reader.open(lab.copy(notebook(tmp_path, ASK.format(folder=str(kept)))))
    reader.run_all()
    page = reader.page
    page.locator(".kit-predict").wait_for()
    assert not page.locator(ANSWER).is_visible()
    commit = page.get_by_role("button", name="This is my guess")
    assert commit.is_disabled()
    page.get_by_label("it rises").focus()
    page.keyboard.press("ArrowDown")
    assert page.get_by_label("it falls").is_checked() and commit.is_enabled()
    page.keyboard.press("Enter")
    page.locator(ANSWER).wait_for()
    assert page.locator(ANSWER).inner_text().split("\n\n") == [
        "You said: it falls. It came out differently.",
        "It rose.",
    ]
    told = told_to(page, kept / "progress.json")["Does it rise?"]
    assert (told["guess"], told["came"]) == ("it falls", False)
    assert reader.screenshot("prediction").stat().st_size > 10_000 and reader.errors_shown() == []


def told_to(page, file: Path) -> dict:
    """The predictions in the progress file, as soon as there is one: the kernel hears of a guess after the page."""
    until = time.monotonic() + WAIT_MS / 1000
    while not file.exists() or not (told := json.loads(file.read_text("utf-8")).get("predictions")):
        assert time.monotonic() < until, f"no guess arrives in {file}"
        page.wait_for_timeout(50)
    return told


def question(ask: str, *options: list) -> object:
    """The output that a question leaves in an executed notebook."""
    state = {"ask": ask, "options": list(options), "answer": "<p>It <strong>rose</strong>.</p>"}
    data = {WIDGET: {}, "text/html": folded(ask, "It **rose**.")}
    return new_code_cell("asked", outputs=[new_output("display_data", data, metadata={"kit_board": standalone(state)})])


@pytest.fixture
def site(tmp_path: Path) -> Path:
    cells = [
        new_markdown_cell("# 04 Asked\n\n> *Why?*"),
        question("Does it rise?", ["it rises", True], ["it falls", False]),
        question("How far?"),
    ]
    for folder in ("notebooks", "executed"):
        (tmp_path / folder).mkdir()
        write(new_notebook(cells=cells), tmp_path / folder / "04_asked.ipynb")
    with pytest.raises(SystemExit) as end:
        build_site.main(["--executed", str(tmp_path / "executed")], tmp_path)
    assert not end.value.code
    return tmp_path / "build" / "site" / "04_asked.html"


def test_a_page_without_a_kernel_asks_as_well(site: Path, chromium) -> None:
    page, problems = chromium.new_page(), []
    page.set_default_timeout(WAIT_MS)
    page.on("console", lambda message: message.type == "error" and problems.append(message.text))
    page.goto(site.as_uri())
    first, second = (page.locator(".kit-predict").nth(i) for i in (0, 1))
    second.wait_for()
    first.get_by_label("it rises").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert first.locator(ANSWER).inner_text().startswith("You said: it rises. That is what came out.")
    focused = "one => one.contains(document.activeElement)"
    assert first.locator("[aria-live]").evaluate(focused), "the button that was pressed is gone"
    assert not second.locator(ANSWER).is_visible()
    second.get_by_label("Your guess").fill("<b>half</b>")
    page.keyboard.press("Enter")
    assert second.locator(ANSWER).inner_text().startswith("Your guess: <b>half</b>"), "words, never HTML"
    page.reload()
    second.wait_for()
    page.get_by_role("button", name="Look without a guess").first.click()
    assert first.locator(ANSWER).inner_text() == "It rose." and problems == []
    assert first.locator("[aria-live]").evaluate(focused)
    page.close()


# The question in so many views of one model, whose events the test fires: tell(name).
SHOW = """async ({esm, state, views = 1, guess = "", disconnected = false}) => {
    const kept = {state, guess, note: ""}, heard = [];
    window.tell = (name) => heard.filter((one) => one.name === name).forEach((one) => one.call());
    const model = {
        get: (name) => kept[name],
        set(name, value) {
            kept[name] = value;
            window.tell(`change:${name}`);
        },
        save_changes() {},
        on: (name, call) => heard.push({name, call}),
    };
    const module = await import(URL.createObjectURL(new Blob([esm], {type: "text/javascript"})));
    document.body.classList.toggle("jupyter-widgets-disconnected", disconnected);
    for (let view = 0; view < views; view++) module.default.render({model, el: document.body});
}"""
RISES = standalone({"ask": "Does it rise?", "options": [], "answer": "<p>It rose.</p>"})


def test_what_is_guessed_in_one_view_is_shown_in_the_other(chromium) -> None:
    page = chromium.new_page()
    page.evaluate(SHOW, RISES | {"views": 2})
    page.get_by_label("Your guess").first.fill("perhaps")
    page.keyboard.press("Enter")
    assert [one.is_visible() for one in page.locator(ANSWER).all()] == [True, True]
    assert page.locator(".kit-predict-guess").all_inner_texts() == ["Your guess: perhaps"] * 2
    assert page.get_by_role("button").count() == 0
    page.close()


@pytest.mark.parametrize("view", [{"disconnected": True}, {"disconnected": False}], ids=["opened later", "open"])
@pytest.mark.parametrize("guess", ["", "perhaps"], ids=["unanswered", "answered"])
def test_without_its_kernel_a_question_says_that_no_guess_is_kept(view: dict, guess: str, chromium) -> None:
    """Not where the guess was made before: that is in the file."""
    page = chromium.new_page()
    page.evaluate(SHOW, RISES | view | {"guess": guess})
    note = page.locator(".kit-predict-note")
    if not view["disconnected"]:
        assert note.inner_text() == ""
        page.evaluate("tell('comm_live_update')")
    assert ("is not kept now" in note.inner_text()) == (guess == "")
    if not guess:
        page.get_by_label("Your guess").fill("perhaps")
        page.keyboard.press("Enter")
        page.evaluate("tell('change:note')")
        assert page.locator(ANSWER).is_visible() and "run the cell again" in note.inner_text()
    page.close()


def test_without_scripts_the_answer_is_folded_and_on_paper_it_is_there(site: Path, chromium) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(site.as_uri())
    assert page.locator("details.kit-prediction p").first.is_visible() is False
    page.locator("details.kit-prediction summary").first.click()
    assert page.locator("details.kit-prediction p").first.is_visible()
    context.close()

    page = chromium.new_page()
    page.goto(site.as_uri())
    page.locator(".kit-predict").nth(1).wait_for()
    page.emulate_media(media="print")
    assert [one.is_visible() for one in page.locator(ANSWER).all()] == [True, True]
    page.close()
