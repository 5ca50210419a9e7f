"""The card of an encoder, and what is pushed with whose token."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import huggingface_hub
import pytest

from kit.encoder import load_encoder, random_encoder
from kit.errors import KitError
from kit.retrieval import BM25, evaluate_pairs, evaluate_retrieval, evaluate_triplets, same_or_not, task_from_pairs
from kit.sharing import CutEncoder, encoder_card, push
from tests.tiny import SENTENCES, tiny_encoder


def test_the_card_says_data_figures_intervals_and_limits(tmp_path: Path) -> None:
    encoder = tiny_encoder(tmp_path / "tiny")
    task = task_from_pairs(SENTENCES[:3], SENTENCES[3:])
    reports = [evaluate_retrieval(BM25(), task), evaluate_retrieval(encoder, task, name="mine")]
    card = encoder_card(
        encoder,
        "mine",
        "For tests.",
        "Made-up sentences, MIT.",
        reports,
        "---\nx: y\n---\n# Old\n\nBy hand.",
        ["It knows 60 words."],
    )
    assert (
        card.startswith("---\nlibrary_name: sentence-transformers") and "For tests." in card and "32 dimensions" in card
    )
    for part in (
        "## Data\n\nMade-up",
        "## Measured",
        "| BM25 |",
        "| mine |",
        " to ",
        "- It knows 60 words.",
        "### Old",
        "By hand.",
    ):
        assert part in card, part
    assert "x: y" not in card and "Nothing was measured." in encoder_card(encoder, "mine")
    with pytest.raises(KitError, match="reports of evaluate_retrieval, .* got str"):
        encoder_card(encoder, "mine", reports=["good"])


def test_the_card_says_of_what_kind_its_intervals_are_and_where_texts_are_cut(tmp_path: Path) -> None:
    encoder = tiny_encoder(tmp_path / "tiny", max_length=17)
    report = evaluate_retrieval(BM25(), task_from_pairs(SENTENCES[:3], SENTENCES[3:]), resamples=20, confidence=0.9)
    card = encoder_card(encoder, "mine", reports=[report])
    assert "90% intervals (of measures of 0 or 1 Wilson's, else bootstrap over queries, 20 resamples)" in card
    assert "- Texts are cut after 17 word pieces." in card
    bare = encoder_card(encoder, "mine", reports=[replace(report, resamples=0)])
    assert "figures × 100, without intervals." in bare


def test_pairs_and_triplets_stand_in_rows_with_their_own_intervals(tmp_path: Path) -> None:
    encoder = tiny_encoder(tmp_path / "tiny")
    a, b = SENTENCES[:6], [*SENTENCES[1:6], SENTENCES[0]]
    scored = evaluate_pairs(encoder, a, b, [0, 1, 2, 3, 4, 5], "dev|x.csv", resamples=50)
    triplets = evaluate_triplets(encoder, list(zip(a, b, reversed(a))))
    card = encoder_card(encoder, "mine", reports=[scored, triplets])
    found = scored.tasks[0].intervals.aggregated["all"]
    figure, between = f"{scored.tasks[0].scores.all:.2f}", f"{found.low:.2f} to {found.high:.2f} (95%, bootstrap)"
    assert f"| Spearman × 100 | 6 pairs of dev\\|x.csv | {figure} | {between} |" in card
    assert f"| triplet accuracy, % | 6 triplets | {triplets.accuracy:.2f} | " in card and "(95%, Wilson's) |" in card
    assert "speak of other pairs and triplets like those measured" in card and "Nothing was measured" not in card
    bare = encoder_card(encoder, "mine", reports=[evaluate_pairs(encoder, a, b, [0, 1, 2, 3, 4, 5], resamples=0)])
    assert f"| {figure} | none |" in bare and "speak of other" not in bare


def test_pairs_of_two_classes_have_their_average_precision(tmp_path: Path) -> None:
    encoder = tiny_encoder(tmp_path / "tiny")
    a, b, same = SENTENCES[:6], [*SENTENCES[1:6], SENTENCES[0]], [0, 1, 1, 0, 1, 0]
    report = evaluate_pairs(encoder, a, b, same, "dev.csv", resamples=20)
    scored = report.tasks[0].scored
    found = same_or_not(scored.similarities["cosine"], same)
    between = found.intervals()["average precision"]
    row = f"6 pairs of dev.csv | {found['average precision']:.2f} | {between.low:.2f} to {between.high:.2f} (95%, "
    assert f"| average precision × 100 | {row}bootstrap) |" in encoder_card(encoder, "mine", reports=[report])
    bare = encoder_card(encoder, "mine", reports=[evaluate_pairs(encoder, a, b, same, "dev.csv", resamples=0)])
    assert f"| average precision × 100 | 6 pairs of dev.csv | {found['average precision']:.2f} | none |" in bare
    degrees = evaluate_pairs(encoder, a, b, [0, 1, 2, 1, 2, 0], "dev.csv", resamples=0)
    assert "average precision" not in encoder_card(encoder, "mine", reports=[degrees])


def test_names_cannot_write_the_card(tmp_path: Path) -> None:
    """A name is one line of text: no tag, no heading, no second head, and no further cell of a table."""
    evil = "<img src=x onerror=alert(1)>|x|\n# Mine\n---\nlicense: none\n---"
    task = task_from_pairs(SENTENCES[:3], SENTENCES[3:], name=evil)
    encoder = tiny_encoder(tmp_path / "tiny")
    report = evaluate_retrieval(encoder, task, name=evil, resamples=2)
    lines = encoder_card(encoder, evil, reports=[report], limits=[evil]).splitlines()
    assert not [line for line in lines if "<img" in line or line.startswith(("# Mine", "license"))]
    assert lines.count("---") == 2 and sum("&lt;img" in line for line in lines) == 4
    bars = [line.replace("\\|", "").count("|") for line in lines if line.startswith("| ")]
    assert len(bars) == 2 and len(set(bars)) == 1


def licensed(card: str) -> tuple[str, str]:
    """(what the head of a card says of licence and origin, what its text says)."""
    head, text = card.removeprefix("---\n").split("\n---\n", 1)
    said = [line for line in head.split("\n") if line.startswith(("license", "base_model"))]
    return ", ".join(said), ", ".join(re.findall("It begins from ([^ ]+), .* under .CC BY-SA 4.0", text))


def test_what_begins_from_a_bundled_encoder_names_it_and_keeps_its_licence(tmp_path: Path) -> None:
    raw, tiny = load_encoder("kit-bert-tiny"), tiny_encoder(tmp_path / "tiny")
    ours = ("license: cc-by-sa-4.0, base_model: kit-bert-tiny", "kit-bert-tiny")
    card = encoder_card(raw, "kit-bert-mini")
    cut = CutEncoder(raw, 8).save(tmp_path / "cut", card) / "0_Transformer"
    again = [load_encoder(place) for place in (raw.save(tmp_path / "again", card), raw.source.location, cut)]
    for encoder in (raw, CutEncoder(raw, 8), random_encoder("kit-bert-tiny"), *again):
        assert licensed(encoder_card(encoder, "mine")) == ours
    noted = "---\nx: y\n---\n# Mine\n\n| encoder | Encoder: kit-bert-tiny, bundled with the kit. |\n"
    assert licensed(encoder_card(tiny, "mine", training=noted)) == ours, "as cards of a run said before"
    theirs = "---\nx: y\nlicense: cc-by-sa-4.0\nbase_model: bert-base-uncased\n---\n# Theirs"
    for training in ("", theirs, noted.replace("kit-bert-tiny, bundled with the kit", "mine, from the folder /x")):
        assert licensed(encoder_card(tiny, "kit-bert-tiny", training=training)) == ("", "")


class FakeHub:
    """Takes what is pushed; refuses a wrong token as the Hub does."""

    def __init__(self, token: str) -> None:
        self.token, self.asked = token, []

    def create_repo(self, name: str, **how) -> str:
        if self.token != "mine":
            raise PermissionError("401 Client Error: Invalid username or password.\nRequest ID: 1")
        pushed["repo"] = (name, how["private"])
        return f"hub/{name}"

    def upload_folder(self, **what) -> None:
        files = [
            p.relative_to(what["folder_path"]).as_posix() for p in Path(what["folder_path"]).rglob("*") if p.is_file()
        ]
        ignored = what["ignore_patterns"]
        pushed["files"] = set(huggingface_hub.utils.filter_repo_objects(files, ignore_patterns=ignored))


pushed: dict = {}
NEVER_PUSHED = (
    *("optimizer.pt", ".secret", "1_Pooling/.env", "onnx/.ipynb_checkpoints/a.ipynb", "sub/.git/config"),
    *("a.pickle", "a.joblib", "optimizer.ckpt", "sub/a.pkl", "checkpoints/x", "sub/checkpoints/x"),
    *("step-0001/meta.json", "sub/step-0001/meta.json"),
)


@pytest.mark.parametrize("place", ["NOTICE.txt", "1_Pooling/notes"])
def test_what_a_link_in_the_folder_leads_to_is_not_pushed(tmp_path: Path, monkeypatch, place: str) -> None:
    folder = tiny_encoder(tmp_path / "tiny").save(tmp_path / "mine", "# Mine")
    (tmp_path / ".ssh").mkdir()
    (folder / place).symlink_to(tmp_path / ".ssh")
    monkeypatch.setattr(huggingface_hub, "HfApi", FakeHub)
    pushed.clear()
    with pytest.raises(KitError, match=f"without links, but {place} leads to .*ssh, which would be uploaded"):
        push(folder, "me/mine", token="mine")
    assert not pushed
    (folder / place).unlink()
    (tmp_path / "named").symlink_to(folder)
    push(tmp_path / "named", "me/mine", token="mine")  # whoever names a link means what it leads to
    pushed.clear()


def test_only_an_exported_folder_is_pushed_and_only_with_ones_own_token(tmp_path: Path, monkeypatch) -> None:
    folder = tiny_encoder(tmp_path / "tiny").save(tmp_path / "mine", "# Mine")
    kept = [file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()]
    for name in NEVER_PUSHED:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")
    monkeypatch.setattr(huggingface_hub, "HfApi", FakeHub)
    monkeypatch.setattr(huggingface_hub, "get_token", lambda: None)
    with pytest.raises(KitError, match="your own token for the Hub, got none: run `hf auth login`"):
        push(folder, "me/mine")
    assert not pushed
    assert push(folder, "me/mine", token="mine") == "hub/me/mine" and pushed["repo"] == ("me/mine", True)
    assert "1_Pooling/config.json" in kept and pushed["files"] == set(kept)
    monkeypatch.setattr(huggingface_hub, "get_token", lambda: "mine")
    push(folder, "me/mine", private=False)
    assert pushed["repo"] == ("me/mine", False)
    for name in ("mine", "me/", "me/mine/more", "me/.mine", 3):
        with pytest.raises(KitError, match="a name on the Hub|expected name as text"):
            push(folder, name)
    with pytest.raises(KitError, match=r"it said: 401 Client Error: Invalid username or password\. Check the name"):
        push(folder, "me/mine", token="stolen")
    (folder / "README.md").unlink()
    for place, words in ((folder, "a card"), (tmp_path, "an exported encoder")):
        with pytest.raises(KitError, match=words):
            push(place, "me/mine")
