"""Lesson 12 as a reader meets it: a billion pairs under sliders, and who binds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.harness import BOARDS, Lab, Reader, try_every_slider

pytestmark = pytest.mark.nightly  # the tour and lesson 04 stand for all in `make test`

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "12_speed_and_scale.ipynb"
BOARD = ".kit-board:has(input[data-label='GPUs'])"
SENTENCE = f"{BOARD} .kit-caption"
SLIDERS = ("GPUs", "pairs a GPU", "tokens a sentence", "share of the peak", "cores a GPU")


def test_what_binds_depends_on_where_one_stands(reader: Reader, lab: Lab) -> None:
    """One GPU: the encoder. Tiny batches on many: the gradients. Vast ones: the matrix. One core: the data."""
    reader.open(lab.copy(LESSON, only=f"{BOARDS}|nobody measured", preset="smoke"))
    reader.run_all()
    assert reader.page.locator("table", has_text="nobody measured this").count() == 1
    try_every_slider(reader, "12_speed_and_scale", dict.fromkeys(SLIDERS, "browser"))
    gpus, pairs, tokens, share, cores = (
        reader.page.locator(f"{BOARD} input[data-label='{label}']") for label in SLIDERS
    )
    gpus.scroll_into_view_if_needed()
    assert reader.page.locator(f"{BOARD} svg").count() == 3

    for slider, presses in ((tokens, 1), (share, 6), (pairs, 5), (gpus, 0)):  # 16 tokens, 0.35, 512 pairs, 1 GPU
        reader.press(slider, "Home")
        reader.press(slider, "ArrowRight", presses)
    reader.press(cores, "End")
    reader.wait_for_words(SENTENCE, "1 GPU, 512 pairs a step", "encoder takes longest", "gather 0 %, reduce 0 %")
    reader.press(gpus, "ArrowRight", 6)
    reader.wait_for_words(SENTENCE, "64 GPUs, 32,768 pairs", "the GPUs only send", "67.1 MB")
    reader.press(pairs, "Home")
    reader.wait_for_words(SENTENCE, "1,024 pairs a step", "the GPUs only send")
    reader.press(pairs, "End")
    reader.wait_for_words(SENTENCE, "524,288 pairs a step", "similarity takes longest")
    whole = reader.page.locator(f"{BOARD} select[data-label='matrix']")
    whole.select_option("whole on each GPU")
    reader.wait_for_words(SENTENCE, "similarity takes longest", "1.1 TB")
    assert "fits in chunks only" in reader.page.locator(BOARD).inner_text()
    assert reader.screenshot("lesson_12").stat().st_size > 10_000

    whole.select_option("a block a GPU")
    reader.page.locator(f"{BOARD} select[data-label='encoder']").select_option("kit-bert-tiny")
    reader.press(gpus, "Home")
    reader.press(cores, "Home")
    reader.wait_for_words(SENTENCE, "1 GPU,", "data takes longest")
    assert reader.errors_shown() == []
