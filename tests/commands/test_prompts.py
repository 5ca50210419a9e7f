"""Models with prompts before queries and documents: trained with them, saved with them, judged with them."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path

import numpy as np
import pytest
import torch

from kit.checks.after_prompt import AfterPrompt, KeyedIds
from kit.commands import main
from kit.commands.prompts import after_prompts
from kit.commands.sentence_transformers_folder import load_any
from kit.encoder import load_encoder, random_encoder
from kit.encoder.whitening import whitening
from kit.errors import KitWarning
from kit.evaluation.encoding import Repaired
from kit.owndata import OwnData, fitted, training_data
from kit.retrieval import evaluate_retrieval, task_from_pairs
from kit.retrieval.two_sides import encode_sides
from kit.storage.checkpoint import load_checkpoint
from kit.training.batches import make_batch, tokenize_groups
from kit.training.recipes import recipe
from kit.workshop.duplicate_negatives import count_duplicates
from tests.tiny import tiny_encoder

NOUNS, PLACES = ("dog", "cat", "child", "bird", "man", "woman"), ("house", "river", "garden", "park", "street")
PAIRS = [(f"a {noun} near the {place}", f"the small {noun} in a {place}") for noun in NOUNS for place in PLACES]
QUERY, DOCUMENT = "where is the ", "nobody sings "
PROMPTS = {"query": QUERY, "document": DOCUMENT}
COLUMNS = ["--anchor", "question", "--positive", "answer"]
TRAIN = ["train", "--data", "my.csv", *COLUMNS, "--encoder", "theirs", "--steps", "3", "--device", "cpu", "--quiet"]


@pytest.fixture
def theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of sentence-transformers with prompts, beside pairs to train on and to judge by."""
    monkeypatch.chdir(tmp_path)
    for name in ("KIT_DATA", "RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    for name, rows in (("my.csv", PAIRS[:20]), ("dev.csv", PAIRS[20:])):
        Path(name).write_text("question,answer\n" + "".join(f"{a},{b}\n" for a, b in rows))
    folder = tiny_encoder(tmp_path / "source", pooling="cls").save(tmp_path / "theirs")
    (folder / "kit.json").unlink()
    note(folder, prompts=PROMPTS)
    return folder


def note(folder: Path, **settings) -> None:
    (folder / "config_sentence_transformers.json").write_text(json.dumps({"similarity_fn_name": "cosine"} | settings))


def figures(capsys: pytest.CaptureFixture, *arguments: str) -> dict:
    capsys.readouterr()
    assert main([*arguments, "--json", "--quiet"]) == 0
    found = json.loads(capsys.readouterr().out)
    return {name: one["figures"] for name, one in found.get("systems", found.get("validation")).items()}


def test_what_is_called_untrained_is_what_kit_evaluate_measures(theirs: Path, capsys) -> None:
    judged = figures(capsys, "evaluate", "theirs", "--pairs", "dev.csv", *COLUMNS, "--raw", "none", "--resamples", "0")
    trained = figures(capsys, *TRAIN, "--validation", "dev.csv", "--out", "mine", "--keep", "last")
    assert trained["untrained"] == pytest.approx(judged["theirs"])
    saved = figures(capsys, "evaluate", "mine", "--pairs", "dev.csv", *COLUMNS, "--raw", "theirs", "--resamples", "0")
    assert saved["mine"] == pytest.approx(trained["trained"]) and saved["raw (theirs)"] == pytest.approx(
        judged["theirs"]
    )
    by_hand = load_encoder("mine/encoder", pooling="mean")

    class After:
        def encode(self, texts, batch_size=64, progress=False):
            return by_hand.encode(texts, batch_size)

        def encode_query(self, texts, *_, **__):
            return self.encode([QUERY + text for text in texts])

        def encode_document(self, texts, *_, **__):
            return self.encode([DOCUMENT + text for text in texts])

    report = evaluate_retrieval(After(), task_from_pairs(*zip(*PAIRS[20:])), resamples=0)
    assert trained["trained"] == pytest.approx(report.figures())


def test_a_training_sees_the_prompts_and_another_prompt_is_another_run(theirs: Path, capsys) -> None:
    assert main([*TRAIN, "--out", "mine"]) == 0
    shown = capsys.readouterr().out
    assert f"Queries stand after '{QUERY}' and documents after '{DOCUMENT}'" in shown and "saved on" in shown
    weights = load_checkpoint("mine")[0]
    note(theirs, prompts=PROMPTS | {"query": "the red "})
    assert main([*TRAIN, "--out", "mine"]) == 2
    assert "belongs to another (data" in capsys.readouterr().err
    rows = "".join(f"{QUERY}{a},{DOCUMENT}{b}\n" for a, b in PAIRS[:20])
    Path("my.csv").write_text(f"question,answer\n{rows}")
    note(theirs)
    assert main([*TRAIN, "--out", "by-hand"]) == 0
    assert "stand after" not in capsys.readouterr().out
    for name, value in load_checkpoint("by-hand")[0].items():
        assert np.array_equal(value.numpy(), weights[name].numpy()), name


@pytest.mark.slow
def test_prompts_are_saved_on_and_exported_as_the_library_reads_them(theirs: Path, capsys) -> None:
    from sentence_transformers import SentenceTransformer

    assert main([*TRAIN, "--out", "mine", "--validation", "dev.csv"]) == 0
    assert main(["export", "mine", "--out", "shared", "--pairs", "dev.csv", *COLUMNS, "--resamples", "20"]) == 0
    assert main(["export", "mine", "--out", "short", "--dim", "8"]) == 0
    texts = ["a dog near the house"]
    for folder in ("mine/encoder", "shared", "short"):
        ours, line = load_any(folder)
        assert f"Queries stand after '{QUERY}'" in line
        library = SentenceTransformer(folder, device="cpu")
        for way in ("encode", "encode_query", "encode_document"):
            np.testing.assert_allclose(getattr(ours, way)(texts), getattr(library, way)(texts), atol=1e-5)
        assert not np.allclose(ours.encode_query(texts), ours.encode_document(texts), atol=1e-3)
    assert f"Queries stand after '{QUERY}'" in Path("shared/README.md").read_text("utf-8")
    card = Path("shared/README.md").read_text("utf-8")
    judged = figures(capsys, "evaluate", "mine", "--pairs", "dev.csv", *COLUMNS, "--raw", "none", "--resamples", "0")
    assert f"{judged['mine']['ndcg@10']:.2f}" in card, "measured with the prompts"
    with pytest.warns(KitWarning, match="trained with prompts .* which load_encoder leaves out"):
        load_encoder("mine/encoder")


def test_prompts_that_cannot_be_trained_with_are_said_to_be_left_out(theirs: Path, capsys) -> None:
    pooling = theirs / "1_Pooling" / "config.json"
    whole = json.loads(pooling.read_text())
    for name, settings, more in (
        ("default", {"prompts": PROMPTS, "default_prompt_name": "query"}, {}),
        ("pooling", {"prompts": PROMPTS}, {"include_prompt": False}),
    ):
        note(theirs, **settings)
        pooling.write_text(json.dumps(whole | more))
        assert main([*TRAIN, "--out", name]) == 0
        assert "is trained and saved without its prompts, as it" in capsys.readouterr().out
        assert "prompts" not in json.loads(Path(name, "encoder/config_sentence_transformers.json").read_text())


def test_rows_without_queries_are_trained_on_as_they_are(theirs: Path, capsys) -> None:
    rows = "".join(f"{a},{b},{i % 5}\n" for i, (a, b) in enumerate(PAIRS))
    Path("my.csv").write_text(f"sentence1,sentence2,score\n{rows}")
    assert main([one for one in TRAIN if one not in COLUMNS] + ["--out", "mine"]) == 0
    assert "but rows of the kind scored are neither queries nor what answers them" in capsys.readouterr().out
    assert json.loads(Path("mine/encoder/config_sentence_transformers.json").read_text())["prompts"] == PROMPTS


def test_of_another_pooling_than_its_own_it_is_said_what_is_called_untrained(theirs: Path, capsys) -> None:
    tiny_encoder(theirs.parent / "source", pooling="cls").save("theirs")
    judged = figures(capsys, "evaluate", "theirs", "--pairs", "dev.csv", *COLUMNS, "--raw", "none", "--resamples", "0")
    assert main([*TRAIN, "--validation", "dev.csv", "--out", "mine"]) == 0
    assert "has pooling cls and at most 64 word pieces, and so it is called untrained" in capsys.readouterr().out
    trained = figures(capsys, *TRAIN, "--validation", "dev.csv", "--out", "mine")
    assert trained["untrained"] == pytest.approx(judged["theirs"])


def test_each_text_has_the_prompt_of_its_side() -> None:
    columns = {"anchor": ["a"], "positives": [("b", "c")], "negatives": [()], "group": ["g"]}
    found = after_prompts(OwnData("mine", "multiples", columns, [1]), ("q: ", "d: "))
    assert found.columns == {"anchor": ["q: a"], "positives": [("d: b", "d: c")], "negatives": [()], "group": ["g"]}


SAME = [("a dog", "a cat"), ("a cat", "a bird"), ("a bird", "a dog"), ("a man", "the man"), ("a woman", "the man")]


def negatives_of(prompts: tuple[str, str], recipe_name: str = "mnrl", max_length: int = 64) -> tuple:
    """(who is whose negative in one batch of `SAME`, its token ids, how many known false negatives are counted)."""
    data = OwnData("mine", "pairs", {"anchor": [a for a, _ in SAME], "positive": [p for _, p in SAME]}, [1, 2, 3, 4, 5])
    settings, said = fitted(recipe(recipe_name, "laptop"), data)
    assert "mask_duplicates=True" in said
    encoder = random_encoder("kit-bert-tiny", max_length=max_length)
    examples = tokenize_groups(encoder, training_data(after_prompts(data, prompts), settings), settings.data_format)
    batch = make_batch(examples, settings)
    return batch.relations.negative, batch.token_ids, count_duplicates(examples, settings).false_negatives


@pytest.mark.filterwarnings("ignore:.*were cut there")
def test_duplicates_are_known_by_the_text_without_its_prompt() -> None:
    plain, ids, counted = negatives_of(("", ""))
    assert counted > 2 and plain.sum() < 5 * 4, "of each anchor all positives but its own and duplicates"
    for prompts in (("where is ", "a thing: "), ("", "a thing: "), ("where is ", "")):
        masked, of_prompts, again = negatives_of(prompts)
        assert torch.equal(masked, plain) and again == counted, prompts
        assert of_prompts != ids
    for cut in (6, 7):  # what is cut to one input stays known
        assert not (negatives_of(("where is the thing ", "a "), max_length=cut)[0] & ~plain).any()


def test_equal_prompts_or_none_change_nothing_of_a_batch() -> None:
    for prompt in ("", "a thing: "):
        data = OwnData("mine", "pairs", {"anchor": ["a dog"], "positive": ["a cat"]}, [1])
        found = after_prompts(data, (prompt, prompt))
        assert found.columns == {"anchor": [f"{prompt}a dog"], "positive": [f"{prompt}a cat"]}
        assert {type(text) for column in found.columns.values() for text in column} == {str}
        assert all(type(ids) is list for ids in negatives_of((prompt, prompt))[1])


def test_a_training_with_equal_prompts_is_bit_for_bit_that_of_texts_with_them(theirs: Path, capsys) -> None:
    both = {"prompts": {"query": QUERY, "document": QUERY}}
    for name, start, settings in (("noted", "", both), ("by-hand", QUERY, {})):
        rows = "".join(f"{start}{a},{start}{b}\n" for a, b in SAME * 4)
        Path("my.csv").write_text(f"question,answer\n{rows}")
        note(theirs, **settings)
        assert main([*TRAIN, "--out", name]) == 0
    noted, by_hand = (load_checkpoint(name)[0] for name in ("noted", "by-hand"))
    assert noted.keys() == by_hand.keys()
    assert all(np.array_equal(noted[name].numpy(), by_hand[name].numpy()) for name in noted)


def test_a_text_after_a_prompt_is_a_text_like_others() -> None:
    text = AfterPrompt("q: ", "a dog")
    copies = [pickle.loads(pickle.dumps(text)), copy.deepcopy(text)]
    assert text == "q: a dog" and hash(text) == hash("q: a dog") and repr(text) == "'q: a dog'"
    assert all((one, one.bare, one.prompt) == ("q: a dog", "a dog", "q: ") for one in copies)
    ids = KeyedIds([1, 2])
    assert ids == [1, 2] and repr(ids) == "[1, 2]", "as the identity of a run's data is made of it"


def test_a_folder_with_prompts_keeps_them_when_it_is_repaired(theirs: Path) -> None:
    encoder, task = load_any("theirs")[0], task_from_pairs(*zip(*PAIRS[20:]))
    white = whitening(encoder.encode([a for a, _ in PAIRS]), dim=8)
    queries, documents = encode_sides(Repaired(encoder, white), *zip(*PAIRS))
    np.testing.assert_allclose(queries, white(encoder.encode([QUERY + a for a, _ in PAIRS])), atol=1e-4)
    np.testing.assert_allclose(documents, white(encoder.encode([DOCUMENT + b for _, b in PAIRS])), atol=1e-4)
    same = evaluate_retrieval(Repaired(encoder, lambda vectors: vectors), task, resamples=0)
    assert same.figures() == pytest.approx(evaluate_retrieval(encoder, task, resamples=0).figures())
