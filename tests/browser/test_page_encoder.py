"""The encoder that runs in the page: the same tokens and vectors as in Python, whatever is typed."""

from __future__ import annotations

import random
from base64 import b64encode
from pathlib import Path

import pytest
import torch
from nbformat import write
from nbformat.v4 import new_code_cell, new_notebook
from site_parts import Scripts, board_html

from kit.boards import own_sentences_board
from kit.boards.board import SOURCES
from kit.boards.own_sentences_widget import recorded_pair
from kit.boards.page_encoder import page_buffers
from kit.figures.page_policy import policy
from tests.browser.harness import WAIT_MS, Lab, Reader

ODD = [
    *("", " ", ".", "café naïve ñ Ångström", "<img src=x onerror='window.ran = 1'>", "[SEP] hello [MASK] [sep] [CLS]"),
    *(
        "🙂 hi 👩‍👩‍👧 👍🏽",
        "שלום עולם, world",
        "مرحبا بالعالم",
        "你好,世界 hello",
        "コンピュータ한국어ไทย",
        "a" * 10_000,
    ),
    *(
        "word " * 2_000,
        "İstanbul ǅ ß ﬁ Ω ΟΔΥΣΣΕΥΣ",
        "e\u0301\u0327a \u0301",
        "x" * 100 + " " + "x" * 101,
        "H₂O x² ½ №5 ™",
    ),
    *("\x00a\x07b\u200bc\td\ne\x85f\u2028g", "don't stop—now… “quoted” 3.5% §4", "\u202eright to left\u202c"),
    *("H₂O x² ½ №5 ™", "a\u00a0b\u3000c", "\U0010ffff\ufffd!"),
]
RANGES = [(0x20, 0x7F), (0x20, 0x250), (0x20, 0x2000), (0x300, 0x1000), (0, 0x10000), (0, 0x30000), (0x1F000, 0x1FAFF)]

LOAD = """async ([text, buffers]) => {
    const {wordPiece, bert} = await import(URL.createObjectURL(new Blob([text], {type: "text/javascript"})));
    const views = buffers.map((one) => new DataView(Uint8Array.from(atob(one), (c) => c.charCodeAt(0)).buffer));
    const shape = JSON.parse(new TextDecoder().decode(views[0]));
    window.tokens = wordPiece(shape);
    window.encoders = [bert(shape, views[1]), bert(shape, views[2])];
}"""
ENCODE = """([texts, k]) => texts.map((text) => {
    const {ids} = window.tokens(text);
    return {ids, vector: [...window.encoders[k](ids).vector]};
})"""
MILLISECONDS = """(text) => {
    const start = performance.now();
    for (let i = 0; i < 20; i++) window.encoders[0](window.tokens(text).ids);
    return (performance.now() - start) / 20;
}"""


def odd_sentences() -> list[str]:
    """A thousand: those above, and characters drawn from ever wider ranges."""
    dice = random.Random(0)

    def drawn() -> str:
        points = (dice.randrange(*dice.choice(RANGES)) for _ in range(dice.randrange(1, 16)))
        return "".join(chr(p) for p in points if not 0xD800 <= p < 0xE000)

    return [*ODD, *(drawn() for _ in range(1000 - len(ODD)))]


def ids_of(texts: list[str], encoder) -> list[list[int]]:
    """Token ids as `Encoder.tokenize` gives them; it would refuse a blank text."""
    backend, sep = encoder.tokenizer.backend_tokenizer, encoder.tokenizer.sep_token_id
    backend.no_truncation()
    rows = [backend.encode(text).ids for text in texts]
    return [row if len(row) <= 128 else [*row[:127], sep] for row in rows]


@pytest.mark.parametrize("k", [0, pytest.param(1, marks=pytest.mark.nightly)], ids=["raw", "trained"])
def test_a_thousand_odd_sentences_have_the_same_tokens_and_vectors(chromium, k: int) -> None:
    script = (SOURCES / "bert.js").read_text("utf-8") + "\nexport { wordPiece, bert };"
    page = chromium.new_page()
    page.evaluate(LOAD, [script, [b64encode(one).decode() for one in page_buffers(recorded_pair(), ["a", "b"])]])
    compare(page, k, odd_sentences())
    compare(page, 1 - k, odd_sentences()[::20])
    print(f"{page.evaluate(MILLISECONDS, 'Two men in red shirts play football on a beach.'):.1f} ms a sentence")
    page.close()


def compare(page, k: int, texts: list[str]) -> None:
    """The page's k-th encoder and Python's: token ids, and vectors to 1e-4."""
    encoder = list(recorded_pair().values())[k]
    ids, found = ids_of(texts, encoder), page.evaluate(ENCODE, [texts, k])
    assert [one["ids"] for one in found] == ids
    with torch.inference_mode():
        expected = encoder.embed(ids, microbatch_tokens=4096)
    apart = (torch.tensor([one["vector"] for one in found]) - expected).abs().amax(1)
    worst = int(apart.argmax())
    assert apart[worst] < 1e-4, (k, worst, texts[worst][:80], len(ids[worst]), int((apart > 1e-4).sum()))


def page_with(board, folder: Path) -> Path:
    """A page of the site with one board, and the style sheet and script of all of them."""
    import notebook_page

    scripts = Scripts(folder / "assets")
    scripts.folder.mkdir()
    for name, text in zip(("site.css", "page.js"), notebook_page.inline_assets().values()):
        (scripts.folder / name).write_text(text, "utf-8")
    article = {"title": "One's own", "html": board_html(board.standalone(), "It stands still.", scripts)}
    page = notebook_page.render("page.html.j2", article=article, policy=policy(boards=True, files=True))
    (folder / "page.html").write_text(page, "utf-8")
    return folder / "page.html"


def test_typed_sentences_are_encoded_in_a_page_that_is_a_file(chromium, tmp_path: Path) -> None:
    """Nothing is loaded before somebody types, nothing typed is executed, and weights that are gone leave the rest."""
    page_file = page_with(own_sentences_board(sentences=[f"A boat sails {n} miles." for n in range(40)]), tmp_path)
    [weights] = (tmp_path / "assets").glob("buffers-*.js")
    context = chromium.new_context(offline=True)
    page, asked, errors = context.new_page(), [], []
    page.on("request", lambda request: asked.append(request.url.rsplit("/")[-1]))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.set_default_timeout(WAIT_MS)
    page.goto(page_file.as_uri())
    page.locator(".kit-behind > summary").click()
    page.locator(".kit-agree").first.wait_for()
    assert weights.name not in asked
    for text in (ODD[4], *ODD[5:13], "", "Two dogs."):
        page.get_by_label("second sentence").fill(text)
    page.wait_for_function("() => document.querySelector('.kit-agree').innerText.includes('dogs')")
    before = page.locator(".kit-board .kit-caption").text_content()
    # What is pressed by keyboard keeps the focus, though its panel is made anew.
    for pressed in (page.get_by_role("button", name="Kids have fun"), page.locator(".kit-nearest li button").nth(1)):
        pressed.press("Enter")
        caption = page.locator(".kit-board .kit-caption")
        page.wait_for_function("before => document.querySelector('.kit-caption').textContent !== before", arg=before)
        before = caption.text_content()
        assert pressed.evaluate("(button) => button === document.activeElement")
    # Texts that are [UNK] alone have the cosine 1.00, whatever they mean.
    page.get_by_label("first sentence").fill("我喜欢猫？")
    page.locator(".kit-headline", has_text="Most words of the first sentence are unknown to these encoders").wait_for()
    page.locator(".kit-brief", has_text="cosines tell nothing of what is meant").wait_for()
    # Ten thousand characters: quoted shortly, and it is said how much of them is read.
    page.get_by_label("first sentence").fill("word " * 2_000)
    limit = f"Only the first {recorded_pair()['raw'].max_length} word pieces"
    page.locator(".kit-brief", has_text=limit).wait_for()
    assert len(page.locator(".kit-brief").inner_text()) < 500
    page.wait_for_function("() => document.querySelector('.kit-board > [role=status]').textContent.length > 20")
    assert len(page.locator(".kit-board > [role=status]").inner_text()) <= 120
    assert page.locator(".kit-stage").bounding_box()["height"] < 1500
    assert page.get_by_label("second sentence").input_value().startswith("A boat sails")
    assert asked.count(weights.name) == 1 and page.evaluate("() => typeof window.ran") == "undefined"

    weights.unlink()
    page.goto(page_file.as_uri())
    page.get_by_label("first sentence").fill("It rains.")
    page.get_by_text("could not be loaded").first.wait_for()
    assert page.locator(".kit-agree").count() == 2 and errors == []
    context.close()


def test_in_jupyterlab_the_kernel_sends_the_encoders(reader: Reader, lab: Lab, tmp_path: Path) -> None:
    """Once somebody types; from then on the page computes."""
    cell = """from kit.boards import own_sentences_board
own_sentences_board(sentences=[f"A boat sails {n} miles." for n in range(40)])"""
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    write(new_notebook(cells=[new_code_cell(cell)], metadata=kernel), tmp_path / "own_sentences.ipynb")
    reader.open(lab.copy(tmp_path / "own_sentences.ipynb"))
    reader.run_all()
    reader.page.get_by_label("second sentence").fill("Two dogs.")
    reader.page.locator(".kit-behind > summary").click()
    reader.page.locator(".kit-agree", has_text="dogs").first.wait_for()
    assert "being loaded" not in reader.page.locator(".kit-board").inner_text()
