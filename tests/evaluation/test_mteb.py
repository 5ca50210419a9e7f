"""Compatibility: an exported encoder gives the same figures under MTEB's own evaluation as under ours."""

from __future__ import annotations

import pytest

from kit.data import StsTask
from kit.data.table import Source
from kit.encoder import load_encoder
from kit.evaluation import evaluate_sts, rescore
from kit.world import World

pytestmark = pytest.mark.slow
PAIRS = 240


@pytest.fixture(scope="module")
def task() -> StsTask:
    made = World(3).pairs(PAIRS)
    source = Source("world", "test", "world", "kit.world", "seed 3", PAIRS)
    return StsTask("World", made["sentence1"], made["sentence2"], made["score"], made["subset"], source)


def theirs(folder: str, task: StsTask) -> dict[str, float]:
    """The folder as sentence-transformers loads it, the pairs as an MTEB task of our own, evaluated by MTEB."""
    mteb = pytest.importorskip("mteb", reason="NO COMPARISON WITH MTEB: the package mteb is not installed (test extra)")
    from datasets import Dataset, DatasetDict
    from mteb.abstasks.sts import AbsTaskSTS
    from mteb.abstasks.task_metadata import TaskMetadata
    from sentence_transformers import SentenceTransformer

    columns = {"sentence1": task.sentences1, "sentence2": task.sentences2, "score": task.scores}

    class WorldSTS(AbsTaskSTS):
        metadata = TaskMetadata(
            name="WorldSTS",
            dataset={"path": "local/world", "revision": "seed-3"},
            description="Made-up scenes.",
            reference=None,
            type="STS",
            category="t2t",
            modalities=["text"],
            eval_splits=["test"],
            eval_langs=["eng-Latn"],
            main_score="cosine_spearman",
            date=None,
            domains=None,
            task_subtypes=[],
            license=None,
            annotations_creators=None,
            dialect=[],
            sample_creation="created",
            bibtex_citation="",
        )

        def load_data(self, *args, **options) -> None:
            self.dataset, self.data_loaded = DatasetDict({"test": Dataset.from_dict(columns)}), True

    model = SentenceTransformer(folder, device="cpu")
    found = mteb.evaluate(model, WorldSTS(), cache=None, show_progress_bar=False, co2_tracker=False)
    return found.task_results[0].scores["test"][0]


@pytest.mark.slow
@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("pooling", ["mean", "first_last"])
def test_mteb_gives_our_figures(task, tmp_path, pooling):
    encoder = load_encoder(pooling=pooling)
    report = evaluate_sts(encoder, task, progress=False)
    scores = theirs(str(encoder.save(tmp_path / "exported")), task)
    assert report["World"].scores.all == pytest.approx(100 * scores["main_score"], abs=0.01)
    for similarity in ("cosine", "euclidean"):
        for correlation in ("spearman", "pearson"):
            ours = rescore(report, similarity, correlation)["World"].scores.all
            assert ours == pytest.approx(100 * scores[f"{similarity}_{correlation}"], abs=0.01)
