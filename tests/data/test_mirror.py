"""The real data, as far as a mirror folder has it: counts, groups, scales."""

from __future__ import annotations

import pytest

from kit.data import group_by_premise, load, load_sts, triplets

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def real(mirror, monkeypatch):
    monkeypatch.setenv("KIT_DATA", str(mirror))


def test_snli_train_has_its_rows_and_premises():
    table = load("stanfordnlp/snli")
    assert table.source.tier == "mirror" and len(table) == 89_037
    assert f"the {len(table):,} rows there are 16% of the 549,367" in table.source.summary()
    groups = group_by_premise(table)
    assert len(groups) == 47_492
    assert sum(len(group.hypotheses) for group in groups) == 89_037
    assert groups.dropped == {"duplicate": 0, "conflicting": 0, "empty": 0}
    assert len({group.anchor for group in groups}) == 47_492


def test_a_sample_of_snli_has_whole_groups_only():
    sizes = {g.anchor: len(g.hypotheses) for g in group_by_premise(load("stanfordnlp/snli"))}
    part = group_by_premise(load("stanfordnlp/snli", rows=2_000, seed=7))
    assert all(len(group.hypotheses) == sizes[group.anchor] for group in part)
    assert 2_000 <= sum(len(group.hypotheses) for group in part) < 2_100


def test_ling_in_loop_has_three_of_each_kind_almost_everywhere():
    groups = group_by_premise(load("nli/ling_in_loop"))
    assert len(groups) == 5_000
    kinds = [(len(g.positives), len(g.neutrals), len(g.negatives)) for g in groups]
    assert kinds.count((3, 3, 3)) == 4_958
    assert min(min(kind) for kind in kinds) == 2


def test_merged_groups_give_the_documented_numbers_of_triplets():
    groups = group_by_premise(load("nli/merged", "train_core_groups"))
    assert len(groups) == 111_418
    assert sum(len(group.positives) for group in groups) == 71_115
    assert len(triplets(groups)) == 34_410
    assert len(triplets(groups, all=True)) == 78_255


def test_every_sts_task_has_its_published_rows_and_subsets():
    tasks = load_sts()
    assert {name: (len(task), len(set(task.subsets))) for name, task in tasks.items()} == {
        "STS12": (3108, 5),
        "STS13": (1500, 3),
        "STS14": (3750, 6),
        "STS15": (3000, 5),
        "STS16": (1186, 5),
        "STS-B": (1379, 1),
        "SICK-R": (4927, 1),
    }
    assert min(tasks["SICK-R"].scores) == 1.0 and max(tasks["SICK-R"].scores) == 5.0
    assert "SentEval" in tasks["SICK-R"].source.summary()
    assert "MTEB" in load_sts("SICK-R", "all")["SICK-R"].source.summary()
    assert len(load_sts("STS-B", "validation")["STS-B"]) == 1500


def test_transfer_tasks_are_read_by_their_folder():
    assert len(load("senteval-transfer/mr", "all")) == 10_662
