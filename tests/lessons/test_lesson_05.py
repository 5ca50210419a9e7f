"""Lesson 05 says in words what masks do and what the sweep of batch sizes compared: each such sentence, checked."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from types import SimpleNamespace

from scipy.stats import t, ttest_ind_from_stats

from kit.boards import masks_board, masks_values
from kit.encoder import load_encoder
from kit.lesson import measured
from kit.training import recipe

ROOT = Path(__file__).resolve().parents[2]
STORIES = (
    ("A man waters his roses.", "A man is outside.", "The man is asleep on the sofa."),
    ("A man sells balloons at the fair.", "A man is outside.", "The man is alone in a lift."),
    ("Two girls build a sandcastle.", "The girls build something.", "The girls are in the kitchen."),
    ("A dog runs after a red ball.", "An animal is running.", "The dog sleeps in its basket."),
)


def test_masking_a_twin_lowers_the_loss() -> None:
    """In every loss of the board; with the twin it stays at log 2 or more at any τ, and without it need not."""
    texts = [text for column in zip(*STORIES) for text in column]
    board = masks_board(load_encoder(pooling="first_last").encode(texts), texts, 4, 1, 1)
    for loss in ("MNRL", "MNRL, hard negatives", "NT-Xent"):
        for tau in (0.01, 0.05, 1.0):
            at = {
                twins: masks_values(board.state, {"loss": loss, "anchor": 1, "tau": tau, "twins": twins})
                for twins in ("a negative", "masked")
            }
            pushed, masked = at["a negative"]["losses"][0], at["masked"]["losses"][0]
            assert pushed > masked and pushed >= math.log(2), (loss, tau)
            assert at["a negative"]["push"][5] > 0 == at["masked"]["push"][5]


def test_batches_of_the_sweep_see_the_same_sentences() -> None:
    """Six sizes of batch, as many epochs and sentences each, so the larger has fewer steps; one learning rate.

    More anchors meet another of their premise, the larger the batch.
    """
    results = measured("multiples")
    points = results["sweeps"]["batch"]["points"]
    assert {point["settings"]["batch_order"] for point in points.values()} == {"random"}
    alike = [count["same_anchor"] / count["anchors"] for count in results["duplicates"]["simcse"]]
    assert len(alike) == 6 and alike == sorted(set(alike))
    assert len(points) == 6
    for key in ("epochs", "lr"):
        assert len({point["settings"][key] for point in points.values()}) == 1, key
    assert len({point["sentences"] for point in points.values()}) == 1
    steps = [point["steps"] for point in points.values()]
    assert steps == sorted(steps, reverse=True)


def test_doublings_of_the_batch_are_shown_to_help_until_64_and_none_after_it() -> None:
    """By Welch's t: 32 above 16 and 64 above 32 with p below 0.05, and no later size above the one before."""
    points = measured("multiples")["sweeps"]["batch"]["points"]

    def shown(large: str, small: str) -> bool:
        two = [points[label]["average"]["all"] for label in (large, small)]
        given = [point[key] for point in two for key in ("mean", "sd", "n")]
        return two[0]["mean"] > two[1]["mean"] and ttest_ind_from_stats(*given, equal_var=False).pvalue < 0.05

    assert shown("32", "16") and shown("64", "32")
    assert not any(shown(large, small) for small, large in (("64", "128"), ("128", "256"), ("256", "512")))


def test_the_rate_of_the_sweep_was_chosen_for_batches_of_128() -> None:
    chosen = recipe("simcse", "laptop")
    rates = {point["settings"]["lr"] for point in measured("multiples")["sweeps"]["batch"]["points"].values()}
    assert chosen.batch_size == 128 and rates == {chosen.lr, measured("choices")["best"]["simcse"]["lr"]}


def test_rates_were_searched_for_both() -> None:
    """SupMPN's is the best of three, SimCSE's of five, and the compared runs have it."""
    tried = {
        name: {t["lr"] for t in measured("choices")["tried"] if t["recipe"] == name} for name in ("supmpn", "simcse")
    }
    assert (len(tried["supmpn"]), len(tried["simcse"])) == (3, 5)
    fill = measured("multiples")["sweeps"]["fill"]["points"]["copy"]["settings"]["lr"]
    assert fill == measured("choices")["best"]["supmpn"]["lr"] == recipe("supmpn", "laptop").lr


def test_what_lesson_11_says_with_five_seeds() -> None:
    """S4: deletion beats copies from the smaller encoder; S2: SupMPN does not beat SimCSE; S7: 256 beside 64."""
    for name in ("claims", "claims_kit-bert-mini"):
        assert len(measured(name)["claims"]["S4"]["seeds"]) == 5
    small, large = (
        {(claim, part["name"]): part for claim in ("S4", "S7") for part in measured(name)["claims"][claim]["parts"]}
        for name in ("claims", "claims_kit-bert-mini")
    )
    (deletion,) = (key for key in small if "deletion" in key[1])
    (batches,) = (key for key in small if key[1].endswith("256 − 64"))
    assert deletion[1].startswith("copies") and small[deletion]["high"] < 0
    assert large[deletion]["low"] < 0 < large[deletion]["high"] and large[deletion]["verdict"] == "undecided"
    assert small[batches]["low"] > 0 and large[batches]["high"] < 0, (
        "better from the smaller one, worse from the larger"
    )


def found_by(*more: str) -> tuple[dict, bool, str, dict]:
    """What the cells on idle pairs and `more` name, and the finding: whether it holds, its sentence, its options."""
    cells = json.loads((ROOT / "notebooks" / "05_relations.ipynb").read_text("utf-8"))["cells"]
    code = {cell["id"]: "".join(cell["source"]) for cell in cells}
    told, names = [], {"kit": SimpleNamespace(lesson=SimpleNamespace(measured=measured)), "t": t}
    names["finding"] = lambda holds, sentence, otherwise, **asked: told.append((holds, sentence, asked["options"]))
    for name in ("gain", "idle_pairs_card", "idle_pairs_scores", "idle_pairs_better", "idle_pairs_words", *more):
        exec(code[name], names)
    [found] = told
    return names, *found


def test_what_idle_pairs_add_is_compared_seed_with_seed() -> None:
    """From kit-bert-tiny paired differences leave it open, which Welch's interval does not; kit-bert-mini shows it."""
    names, _, sentence, options = found_by("idle_pairs_said")
    assert "from kit-bert-tiny +0.56 ± 1.04, not shown (by Welch's t ± 0.48, shown); " in sentence
    assert "from kit-bert-mini +0.84 ± 0.11, shown." in sentence
    assert "from kit-bert-tiny: +1.10 ± 0.19." in sentence
    assert sentence.count("Welch") == 1, "told where it says otherwise, and only there"
    assert [name for name, holds in options.items() if holds] == ["not shown"]
    for encoder in names["worth"]:
        for recipe_name in names["ways"].values():
            assert [run["seed"] for run in names["trained"](encoder, recipe_name)] == [0, 1, 2], "zip pairs by seed"


def test_a_dictionary_in_place_of_half_of_the_nli_costs_points() -> None:
    names, holds, _, options = found_by("dictionary_scores", "dictionary_said")
    assert holds and [name for name, is_so in options.items() if is_so] == ["it falls"]
    assert [run["seed"] for run in names["trained"]("kit-bert-mini", "simcse_definitions")] == [0, 1, 2]


def test_what_minimal_pairs_raise_is_said_as_far_as_it_is_shown() -> None:
    """SICK-R from the smaller encoder, not more than the average from either, and not the average from the smaller."""
    names, holds, sentence, options = found_by("dictionary_scores", "minimal_scores", "minimal_said")
    assert (
        "the mean of SICK-R is about one point higher from either encoder" in sentence
        and "shown from kit-bert-tiny only." in sentence
    )
    assert "more than the average is shown from neither (+1.23 ± 1.37, +0.87 ± 1.46)." in sentence
    assert holds and [name for name, is_so in options.items() if is_so] == ["SICK-R; of the average it is not shown"]
    for encoder in names["worth"]:
        for name in ("simcse_borrowed", "simcse_minimal"):
            assert [run["seed"] for run in names["trained"](encoder, name)] == [0, 1, 2], "zip pairs by seed"


def test_the_negatives_made_for_the_captions_add_to_their_rewordings() -> None:
    names, holds, sentence, options = found_by("dictionary_scores", "minimal_scores", "minimal_negatives")
    assert holds and [name for name, is_so in options.items() if is_so] == ["shown to be higher"]
    assert "SICK-R +1.61 ± 1.91, not shown (by Welch's t ± 1.10, shown); average +0.55 ± 0.27, shown." in sentence
    assert "with borrowed negatives -0.53 ± 0.68, not shown (by Welch's t ± 0.41, shown)" in sentence
    assert [run["seed"] for run in names["trained"]("kit-bert-tiny", "simcse_reworded")] == [0, 1, 2]


def test_minimal_pairs_are_one_in_sixteen() -> None:
    """As many steps, and their number in the file is a sixteenth of the pairs of an epoch."""
    for file in ("encoders", "encoders-kit-bert-mini"):
        runs = {run["recipe"]: run for run in measured(file)["finetuned"] if run["start"].startswith("kit-bert")}
        close, borrowed = runs["simcse_minimal"], runs["simcse_borrowed"]
        assert close["steps"] == borrowed["steps"]
        pairs = close["sentences"] / 3 / close["settings"]["epochs"]
        [made] = re.findall(r"Of these ([0-9,]+) triplets", " ".join(close["data"]))
        assert round(pairs / int(made.replace(",", ""))) == 16


def test_a_dictionary_takes_the_place_of_half_of_the_nli() -> None:
    """As many steps, so more than half of the pairs are definitions, and each pair of NLI is read less than once."""
    for file in ("encoders", "encoders-kit-bert-mini"):
        runs = {run["recipe"]: run for run in measured(file)["finetuned"] if run["start"].startswith("kit-bert")}
        if "simcse_definitions" in runs:
            defined, borrowed = runs["simcse_definitions"], runs["simcse_borrowed"]
            assert defined["steps"] == borrowed["steps"]
            assert defined["settings"]["epochs"] < 1 and borrowed["settings"]["epochs"] == 2
            pairs = defined["sentences"] / 3 / defined["settings"]["epochs"]
            found = re.search(r"WordNet 3.0: ([0-9,]+) meanings", " ".join(defined["data"]))
            assert 85_000 < int(found[1].replace(",", "")) < 90_000 and int(found[1].replace(",", "")) > pairs / 2
