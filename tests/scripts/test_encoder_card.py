"""The encoders' cards say what the files say, and say so where a figure is missing."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path

import card_measured
import card_tables
import encoder_card
import pytest
import results_encoders
from card_stages import whole

from kit.errors import KitError
from kit.pretraining.plot import describe, write_plot

NAME = "kit-bert-tiny"
KNOWN = [
    {
        "file": "fiction",
        "source": "Standard Ebooks",
        "attribution": "volunteers",
        "licence": "public domain",
        "documents": 12,
    },
    {
        "file": "books",
        "source": "Open Physics",
        "attribution": "A. Teacher",
        "licence": "CC BY 4.0 (revision of 2025-01-02)",
        "documents": 34,
        "notice": "Copyright of the teacher.",
    },
    {"file": "books", "source": "Open Physics 2", "attribution": "B. Teacher", "licence": "CC BY 4.0", "documents": 56},
    {"file": "unused", "source": "Unused", "attribution": "nobody", "licence": "none", "documents": 1},
]
RUN = {
    "model": NAME,
    "vocabulary": "abc123",
    "commit": "0ddba11",
    "date": "2031-02-03",
    "plan": {
        "size": {"layers": 2, "hidden": 128},
        "steps": 34567,
        "batch_tokens": 4096,
        "lr": 0.0023,
        "warmup": 0.07,
        "weight_decay": 0.013,
        "seed": 17,
        "counted_start": True,
    },
    "speed": {
        "tokens": 141_000_000,
        "seconds": 7380.0,
        "tokens_per_second": 19105,
        "hardware": "An Abacus",
        "share_of_matrix_throughput": 0.234,
    },
    "sources": {
        "Standard Ebooks: A. Writer, A Book": 600_000,
        "Open Physics": 250_000,
        "Open Physics (image descriptions)": 50_000,
        "Open Physics 2": 90_000,
        "Stray": 10_000,
    },
    "history": [
        {"step": 10, "tokens": 70_000_000, "heldout_loss": 6.1, "pseudo_perplexity": 445.9},
        {"step": 20, "tokens": 141_000_000, "heldout_loss": 4.3, "pseudo_perplexity": 73.7},
    ],
}


def sts(base: float) -> dict:
    return {
        "average": {"all": base, "mean": base + 1, "wmean": base + 2},
        "tasks": {
            task: {"all": base + i / 10, "mean": base, "wmean": base} for i, task in enumerate(("STS12", "STS-B"))
        },
    }


def tuned(start: str, recipe: str, seed: int | None, base: float) -> dict:
    return {
        "start": start,
        "recipe": recipe,
        "seed": seed,
        "sts": sts(base),
        "seconds": 9.0,
        "sentences": 5,
        "hardware": f"A Loom of {recipe}",
        "geometry": {"mean_cosine": base / 100},
    }


def space(cosine: float) -> dict:
    return {"mean_cosine": cosine, "share_above": cosine / 2, "effective_rank": 100 * cosine}


ENCODERS = {
    "models": {
        NAME: {
            "heldout": {
                "Open Physics": {"loss": 4.0, "accuracy": 30.0, "masked": 100, "pseudo_perplexity": 54.6},
                "Open Physics 2": {"loss": 5.0, "accuracy": 20.0, "masked": 300, "pseudo_perplexity": 148.4},
                "Elsewhere": {"loss": 6.0, "accuracy": 10.0, "masked": 50, "pseudo_perplexity": 403.4},
                "all": {"loss": 4.889, "accuracy": 21.11, "masked": 450, "pseudo_perplexity": 132.8},
            },
            "parameters": 1_456_789,
            "file_mb": 3.077,
            "geometry": {
                "sentences": 1999,
                "frequency_correlation": -0.37,
                "per_layer": [{"layer": 0, **space(0.123)}, {"layer": 1, **space(0.456)}],
                "without_top_directions": {"removed": 3, **space(0.078)},
            },
            "raw_sts": {"cls": sts(31.11), "mean": sts(44.44), "first_last": sts(47.77)},
            "whitened_sts": {**sts(52.22), "dim": 99},
        }
    },
    "finetuned": [
        *(tuned(NAME, "scl", seed, 66.0 + seed) | {"data": ["snli (train).", "Captions."]} for seed in range(3)),
        *(tuned("random", "scl", seed, 60.0 + seed) for seed in range(3)),
        tuned("glove", "none", None, 55.5),
    ],
    "hardware": "An Abacus",
    "versions": {"torch": "9.9"},
    "commit": "c0ffee",
}
OVERLAP = {
    "n": 8,
    "at_least_words": 8,
    "normalised": "lower case",
    "corpus": {"files": ["a.parquet"], "words": 12345},
    "all": {"sentences": 4321, "whole": 7, "whole_share": 0.16, "grams": 999, "grams_share": 0.555},
    "tasks": {"STS12": {"sentences": 1234, "whole": 3, "whole_share": 0.2, "grams": 99, "grams_share": 0.777}},
}


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    models, results = tmp_path / "models", tmp_path / "results"
    (models / NAME).mkdir(parents=True)
    results.mkdir()
    config = {
        "num_hidden_layers": 2,
        "hidden_size": 128,
        "num_attention_heads": 2,
        "vocab_size": 8192,
        "max_position_embeddings": 512,
    }
    (models / NAME / "config.json").write_text(json.dumps(config))
    (models / "sources.json").write_text(json.dumps(KNOWN))
    return models, results


def rendered(folders: tuple[Path, Path], run: dict | None, encoders: dict | None, overlap: dict | None) -> list[str]:
    """The model card and the page of provenance."""
    models, results = folders
    for path, content in (
        (models / NAME / "training.json", run),
        (results / "encoders.json", encoders),
        (results / "overlap.json", overlap),
    ):
        if content is not None:
            path.write_text(json.dumps(content))
    cards = encoder_card.render(models, results)
    assert list(cards) == [models / NAME / "README.md", models / "README.md"]
    return list(cards.values())


def row(text: str, first: str) -> list[str]:
    """The cells of the table row that begins with `first`."""
    found = [line for line in text.splitlines() if line.startswith(f"| {first} |")]
    assert len(found) == 1, (first, found)
    return [cell.strip() for cell in found[0].strip("|").split("|")][1:]


def test_every_figure_is_where_it_belongs(folders: tuple[Path, Path]) -> None:
    card, _ = rendered(folders, RUN, ENCODERS, OVERLAP)
    assert "not measured" not in card.lower() and "not recorded" not in card.replace("| not recorded | 1.00 % |", "")
    assert row(card, "word pieces in the vocabulary") == ["8,192"]
    assert row(card, "parameters of the encoder") == ["1,456,789"]
    assert row(card, "Text") == ["1,000,000 word pieces, [SEP] included"]
    assert row(card, "Passes over the text") == ["about 141.0"]
    assert row(card, "Tokens seen")[0].startswith("141,000,000 ")
    assert row(card, "Steps") == ["34,567 of 4,096 tokens"]
    assert "0.0023" in row(card, "Optimiser")[0] and "7 % of the steps" in row(card, "Optimiser")[0]
    assert (row(card, "Seed"), row(card, "Hours"), row(card, "Hardware")) == (["17"], ["2.05"], ["An Abacus"])
    assert row(card, "Speed") == ["19,105 tokens/s, 23.4 % of the measured matrix throughput"]
    assert (row(card, "Commit"), row(card, "Date"), row(card, "Vocabulary")) == (
        ["0ddba11"],
        ["2031-02-03"],
        ["abc123"],
    )
    assert row(card, "CC BY 4.0") == ["39.00 %"], "the textbook's revision is not a licence of its own"
    assert row(card, "books") == ["400", "4.750", "115.6", "22.5"], "sources of one file, each piece alike"
    assert row(card, "Elsewhere (not trained on)") == ["50", "6.000", "403.4", "10.0"]
    assert "| **all** | 450 | 4.889 | 132.8 | 21.1 |" in card
    assert "| **all** | 4,321 | 7 | 0.56 |" in card
    assert row(card, "embeddings") == ["0.123", "6.2 %", "12.3"]
    assert row(card, "layer 1 without its top 3 directions") == ["0.078", "3.9 %", "7.8"]
    assert "nearness with word frequency: -0.37." in card
    assert row(card, "first-last") == ["47.77", "47.87", "47.77", "48.77", "49.77"]
    assert row(card, "mean, whitened to 99")[0] == "52.22"
    assert f"| scl | {NAME} | 0, 1, 2 | 67.00 ± 1.00 | 68.00 ± 1.00 | 69.00 ± 1.00 | 0.660, 0.670, 0.680 |" in card
    assert "| scl | random weights | 0, 1, 2 | 61.00 ± 1.00 |" in card
    assert "| – | averaged GloVe | – | 55.50 | 56.50 | 57.50 |" in card
    assert "in points of the average (all): scl: +6.00." in card
    assert "- scl: snli (train). Captions." in card
    assert row(card, "STS12") == ["1,234", "3", "0.78"]
    assert f"![{describe(RUN['history'])}](heldout.svg)" in card
    assert "Measured on: A Loom of none and A Loom of scl and An Abacus; commit c0ffee; versions torch 9.9." in card


def test_provenance_lists_every_source_with_its_share(folders: tuple[Path, Path]) -> None:
    _, page = rendered(folders, RUN, None, None)
    assert row(page, "Standard Ebooks") == ["volunteers", "public domain", "12", "600,000", "60.00 %"]
    assert row(page, "Open Physics")[3:] == ["300,000", "30.00 %"], "with its image descriptions"
    assert row(page, "Open Physics 2")[3:] == ["90,000", "9.00 %"], "the longer name is another book"
    assert row(page, "Stray") == ["not recorded", "not recorded", "not measured", "10,000", "1.00 %"]
    assert "| Unused |" not in page
    assert "Books from Standard Ebooks: A. Writer, A Book." in page
    assert "Open Physics: Copyright of the teacher." in page
    assert "Tokens seen: 141,000,000; hardware: An Abacus; hours: 2.05; seed: 17; commit: 0ddba11." in page
    assert "CC BY-SA 4.0, because part of the text is share-alike" in page


def test_what_is_missing_is_said(folders: tuple[Path, Path]) -> None:
    card, page = rendered(folders, None, None, None)
    for heading in (
        "Held-out text",
        "The raw space",
        "STS without fine-tuning",
        "STS after fine-tuning",
        "Evaluation sentences in the text",
    ):
        assert f"## {heading}\n\nNot measured." in card
    assert row(card, "Hours") == row(card, "Hardware") == row(card, "parameters of the encoder") == ["not measured"]
    assert "Sources: not recorded." in page


def test_one_missing_part_leaves_the_others(folders: tuple[Path, Path]) -> None:
    for part in ("heldout", "geometry", "raw_sts", "whitened_sts", "parameters", "file_mb"):
        some = copy.deepcopy(ENCODERS)
        del some["models"][NAME][part]
        card, _ = rendered(folders, RUN, some, OVERLAP)
        assert "not measured" in card.lower(), part
        assert "67.00 ± 1.00" in card, part


def test_no_random_control_means_no_worth() -> None:
    card = card_measured.finetuned(NAME, {"finetuned": [tuned(NAME, "scl", 0, 66.0)]})
    assert "for as many steps, in points of the average (all): not measured. Machine: A Loom of scl." in card


def test_figures_of_another_encoder_stay_out() -> None:
    mixed = {"finetuned": [*ENCODERS["finetuned"], tuned("kit-bert-mini", "scl", 0, 99.99)]}
    assert "99.99" not in card_measured.finetuned(NAME, mixed)


def test_missing_and_small_figures() -> None:
    assert card_tables.of({"a": {"b": 0.0}}, "a", "b", form=".1f") == "0.0", "zero is a measurement"
    assert card_tables.of({"a": None}, "a", "b") == card_tables.of(None, "a") == "not measured"
    assert card_tables.share(1, 3) == "33.33 %"


def test_known_sources_are_whole() -> None:
    """The shipped facts: every entry told, no name twice, nothing whose licence is unconfirmed."""
    known = encoder_card.read(encoder_card.MODELS / "sources.json")
    assert len({entry["source"] for entry in known}) == len(known) > 50
    for entry in known:
        assert all(entry[key] for key in ("file", "source", "attribution", "licence", "documents")), entry
    assert not [entry for entry in known if re.search("unconfirmed|flickr", json.dumps(entry), re.IGNORECASE)]


def test_the_committed_cards_are_the_rendered_ones(tmp_path: Path) -> None:
    if not (encoder_card.RESULTS / "encoders.json").exists():
        pytest.skip("NOT MEASURED YET: data/results/encoders.json is not there; run scripts/results_encoders.py")
    for path, text in encoder_card.render(encoder_card.MODELS, encoder_card.RESULTS).items():
        assert path.read_text("utf-8") == text, f"{path.name}: run scripts/encoder_card.py"
    for training in encoder_card.MODELS.glob("*/training.json"):
        run = whole(json.loads(training.read_text("utf-8")))
        drawn = write_plot(run["history"], tmp_path / "heldout.svg")
        assert training.with_name("heldout.svg").read_text("utf-8") == drawn.read_text("utf-8")


def test_a_grown_run_names_its_start_its_schedule_and_what_was_tried(folders: tuple[Path, Path]) -> None:
    plan = {**RUN["plan"], "schedule": "stable", "start": "data/models/kit-bert-mite@0123", "masked": 0.15}
    tried = {"plan": {**plan, "start": None, "lr": 0.01}, "history": RUN["history"][:1]}
    other = {"plan": plan, "history": [{"step": 1, "tokens": 999_000, "heldout_loss": 7.77}]}
    run = {**RUN, "plan": plan, "trials": {"plain": tried, "short": other}}
    card, _ = rendered(folders, run, ENCODERS, OVERLAP)
    assert row(card, "Start") == [
        "grown from kit-bert-mite: every unit twice, the layers repeated (bert2BERT, Chen et al. 2022)"
    ]
    assert "grown from kit-bert-mite and pretrained on" in card
    assert "constant, and a linear fall over the last fifth" in row(card, "Optimiser")[0]
    differs, *figures = row(card, "plain")
    assert "lr: 0.01 for 0.0023" in differs and "start: embeddings from counts" in differs
    assert figures == ["70.0", "6.100", "6.100"] and row(card, "short") == ["nothing", "1.0", "7.770", "not measured"]


def test_a_run_that_went_on_from_its_own_weights_is_told_with_what_came_before(folders: tuple[Path, Path]) -> None:
    plan = {**RUN["plan"], "start": "data/models/kit-bert-mite@0123", "steps": 111, "lr": 0.0077}
    speed = {**RUN["speed"], "tokens": 9_000_000, "seconds": 3600.0, "hardware": "A Slide Rule"}
    history = [{"step": 111, "tokens": 9_000_000, "heldout_loss": 4.1, "pseudo_perplexity": 60.3}]
    tried = {"short": {"plan": plan, "history": [{"step": 1, "tokens": 999_000, "heldout_loss": 7.77}]}}
    later = {**RUN, "plan": plan, "speed": speed, "history": history, "commit": "c0ffee", "note": "alone"}
    card, _ = rendered(folders, later | {"before": RUN | {"note": "beside others", "trials": tried}}, ENCODERS, OVERLAP)
    assert row(card, "Tokens seen")[0].startswith("150,000,000 (") and row(card, "Hours") == ["3.05"]
    assert row(card, "Steps") == ["34,567 of 4,096 tokens, then 111 of 4,096 tokens"]
    assert row(card, "Hardware") == ["An Abacus, then A Slide Rule"]
    assert row(card, "Start") == ["embeddings from counts (factorised pointwise mutual information)"]
    assert "peak learning rate 0.0023, warm-up" in row(card, "Optimiser")[0]
    assert "then 0.0077 with a new optimiser, warm-up" in row(card, "Optimiser")[0]
    assert row(card, "Conditions") == ["beside others; then alone"] and row(card, "Date") == ["2031-02-03"]
    assert row(card, "Commit") == ["0ddba11, then c0ffee"] and row(card, "short")[1:3] == ["1.0", "7.770"]
    assert "From 70.0 to 150.0 million tokens, held-out loss goes from 6.100 to 4.100" in card
    assert "course, pretrained from nothing on openly" in card


def test_a_run_that_went_on_from_another_model_names_it_and_what_that_was_grown_from(
    folders: tuple[Path, Path],
) -> None:
    grown = {**RUN, "model": "kit-bert-mite", "plan": {**RUN["plan"], "start": "data/models/kit-bert-dot@0123"}}
    went_on = {**RUN, "plan": {**RUN["plan"], "start": "data/models/kit-bert-mite@4567"}, "before": grown}
    card, _ = rendered(folders, went_on, ENCODERS, OVERLAP)
    assert "continued from kit-bert-mite, which was grown from kit-bert-dot; pretrained on" in card
    assert row(card, "Start")[0].startswith("kit-bert-mite (what stands before the last “then” is its training")


def test_shapes_stand_in_the_card_of_the_encoder_that_they_were_tried_for(folders: tuple[Path, Path]) -> None:
    shape = {"bytes": 9_900_000, "tokens": 12_000_000, "seconds": 600.0, "sts": {"mean": 61.5, "sd": 0.25}}
    shape |= {"heldout": [{"tokens": 4_000_000, "heldout_loss": 5.0}, {"tokens": 12_000_000, "heldout_loss": 4.321}]}
    shape |= {"hardware": "An Abacus", "date": "2031-02-03"}
    twice = shape | {"heldout": [{"tokens": 24_000_000, "heldout_loss": 4.0}], "hardware": "A Slide Rule"}
    shapes = {"4 × 256": shape, "4 × 256, linear schedule": twice}
    found = {"of": NAME, "from": "kit-bert-mite", "shapes": shapes, "lr": 0.25, "simcse_steps": 7, "seeds": [0, 1]}
    (folders[1] / "sizes.json").write_text(json.dumps(found))
    card, _ = rendered(folders, RUN, ENCODERS, OVERLAP)
    assert row(card, "4 × 256") == ["9.9", "12.0", "100 %", "4.321", "61.50 ± 0.25"]
    assert "| 24.0 | 200 % | 4.000 |" in card and "all at a peak rate of 0.25" in card
    assert "Each grown from kit-bert-mite" in card
    assert "7 steps of SimCSE with 2 seeds. An Abacus, 2031-02-03, A Slide Rule, 2031-02-03; measured" in card
    (folders[1] / "sizes.json").write_text(json.dumps(found | {"of": "another"}))
    assert "Other shapes" not in rendered(folders, RUN, ENCODERS, OVERLAP)[0]


def test_the_mean_of_runs_stands_behind_the_runs_of_the_encoder_that_they_began_from(
    folders: tuple[Path, Path],
) -> None:
    arm = {"seeds": [0, 1, 2], "start": NAME, "single": [61.0, 60.5, 62.0]}
    arm["mean"] = {"all": 63.125}
    random = "tiny, random weights of each seed"
    arms = {"tiny, pretrained": arm, random: arm | {"start": f"random:{NAME}", "mean": {"all": 9.0}}}
    (folders[1] / "means.json").write_text(json.dumps({"arms": arms}))
    card, _ = rendered(folders, RUN, ENCODERS, OVERLAP)
    told = "simcse_borrowed (tiny, pretrained): 63.12, the runs 60.50 to 62.00."
    assert f"The mean of several runs' weights, average (all): {told}" in card
    assert card.count("The mean of several runs") == 1 and random not in card


def test_each_encoder_has_its_own_figures(folders: tuple[Path, Path]) -> None:
    models, results = folders
    (models / "kit-bert-mite").mkdir()
    (models / "kit-bert-mite" / "config.json").write_text((models / NAME / "config.json").read_text())
    (results / "encoders.json").write_text(json.dumps(ENCODERS))
    mite = {"models": {"kit-bert-mite": {**ENCODERS["models"][NAME], "parameters": 77}}, "finetuned": []}
    (results / "encoders-kit-bert-mite.json").write_text(json.dumps(mite))
    cards = encoder_card.render(models, results)
    assert row(cards[models / "kit-bert-mite" / "README.md"], "parameters of the encoder") == ["77"]
    assert row(cards[models / NAME / "README.md"], "parameters of the encoder") == ["1,456,789"]


@pytest.mark.parametrize("name", ["kit-bert-tiny", "kit-bert-mini", "kit-bert-mini-v2"])
def test_random_weights_were_trained_at_the_same_rate_and_for_as_many_steps(name: str) -> None:
    """As README and cards say of what pretraining is worth."""
    file = "encoders" if name == "kit-bert-tiny" else f"encoders-{name}"
    found: dict[str, dict[tuple, tuple]] = {name: {}, "random": {}}
    for run in json.loads((encoder_card.RESULTS / f"{file}.json").read_text("utf-8"))["finetuned"]:
        if run["start"] in found and run["settings"]:
            settings = tuple(run["settings"][one] for one in ("lr", "batch_size", "epochs", "dropout"))
            found[run["start"]][run["recipe"], run["seed"]] = (*settings, run["steps"])
    assert {recipe for recipe, _ in found["random"]} >= {"scl", "simcse"}
    assert all(found[name][run] == settings for run, settings in found["random"].items())


def test_runs_from_random_weights_are_those_of_an_encoder_of_the_same_shape_alone() -> None:
    found = results_encoders.from_random("kit-bert-mini", "kit-bert-mini-v2", {"scl", "simcse", "simcse_minimal"})
    assert found and {run["start"] for run in found} == {"random"} and all(run["commit"] for run in found)
    assert {run["recipe"] for run in found} == {"scl", "simcse"}
    with pytest.raises(KitError, match="expected kit-bert-tiny with the config.json of kit-bert-mini, but they differ"):
        results_encoders.from_random("kit-bert-tiny", "kit-bert-mini", {"scl"})


def test_one_training_anew_leaves_the_others() -> None:
    kept = {"models": {}, "finetuned": [tuned("tiny", "scl", 0, 1.0), tuned("tiny", "simcse", 0, 2.0)]}
    kept["finetuned"].append(tuned("random", "simcse", 0, 3.0))
    found = results_encoders.merged(kept, [tuned("tiny", "simcse", 1, 4.0)])
    runs = [(run["start"], run["recipe"], run["seed"], run.get("date", "") != "") for run in found["finetuned"]]
    assert runs == [("tiny", "simcse", 1, True), ("tiny", "scl", 0, False), ("random", "simcse", 0, False)]
    assert found["models"] == {} and len(kept["finetuned"]) == 3


def test_the_card_names_the_commits_and_machines_of_all_rows() -> None:
    """In the file the rows of the last call come first; those of the first call have the commit of its head."""
    later = [{"commit": "c", "date": "2031-02-05"}, {"commit": "b", "date": "2031-02-05", "hardware": "A Slide Rule"}]
    head = {"commit": "a", "date": "2031-02-04", "hardware": "An Abacus", "versions": {"torch": "9.9"}}
    told = encoder_card.measured_on(head | {"finetuned": [*later, {"hardware": "An Abacus"}]})
    assert told == "Measured on: A Slide Rule and An Abacus; commits a, b, c; versions (at the first) torch 9.9."
    assert encoder_card.measured_on({}) == "Measured on: not recorded; commit not recorded; versions not recorded."
