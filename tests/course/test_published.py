"""The published figures: the file is whole, and a file that is not says which line."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from kit.course.papers import bounds, find, read_published, rows_of
from kit.course.papers.conventions import averaged, measure_of, plain_name
from kit.course.papers.published import COLUMNS, PAPERS, half_unit
from kit.errors import KitError

HEADER = ",".join(COLUMNS)
GOOD = "liao2021,2,SBERT baseline,STS12,spearman_wmean_x100,66.06,"


def file_of(folder: Path, *lines: str) -> Path:
    path = folder / "published.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def test_the_file_is_whole() -> None:
    figures = read_published()
    assert len(figures) == 1367 and {f.paper for f in figures} == set(PAPERS)
    assert find(figures, "liao2021", "2", "allpalln-lambda0.3-SCL") == 70.44


def test_a_model_with_two_rows_has_two() -> None:
    """SG-BERT stands twice in SupMPN's Table 2, unsupervised and supervised."""
    rows = [row for row in rows_of(read_published()) if (row.table, row.model) == ("2", "SG-BERTbase")]
    assert [row.average for row in rows] == ["74.62", "79.41"] and all(len(row.cells) == 7 for row in rows)


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["paper,table,model,task,value", GOOD], "another version of the kit"),
        ([], "expected published.csv with the columns"),
        ([HEADER], "expected at least one figure"),
        ([HEADER, GOOD, "liao2021,2,SBERT baseline,STS13"], "expected 7 columns in line 3"),
        ([HEADER, GOOD.replace("66.06", "66,06")], "expected 7 columns in line 2"),
        ([HEADER, GOOD.replace("66.06", "sixty")], "a plain number such as 66.06 in line 2"),
        ([HEADER, GOOD.replace("66.06", "nan")], "a plain number such as 66.06 in line 2"),
        ([HEADER, GOOD.replace("STS12", " ")], "expected a task in line 2"),
        ([HEADER, GOOD.replace("liao2021", "liao2012")], "did you mean 'liao2021'"),
    ],
)
def test_another_file_is_told_in_one_sentence(tmp_path: Path, lines: list[str], told: str) -> None:
    with pytest.raises(KitError, match=told) as error:
        read_published(file_of(tmp_path, *lines))
    assert "\n" not in str(error.value)


def test_a_missing_file_and_a_missing_figure(tmp_path: Path) -> None:
    with pytest.raises(KitError, match="no such file"):
        read_published(tmp_path / "published.csv")
    with pytest.raises(KitError, match="expected a published figure for 'SBERT'"):
        find(read_published(), "liao2021", "2", "SBERT")


def test_the_digits_say_how_far_a_figure_was_rounded() -> None:
    for printed, half in (("66.06", "0.005"), ("66.2", "0.05"), ("80", "0.5"), ("80.0", "0.05")):
        assert half_unit(printed) == Decimal(half)
        assert bounds(printed) == (Decimal(printed) - Decimal(half), Decimal(printed) + Decimal(half))


def test_conventions_of_the_tables() -> None:
    """DeCLUTR's Table 2 averages without SNLI, and MRPC once."""
    row = next(r for r in rows_of(read_published()) if (r.model, r.table) == ("DeCLUTR-base", "2"))
    cells = averaged(row)
    assert "SNLI" not in cells and "MRPC" in cells and len(cells) == len(row.cells) - 2
    assert measure_of("senteval_x100", "STS12") != measure_of("senteval_x100", "STS-B")
    assert measure_of("spearman_x100", "STS12") == measure_of("spearman_all_x100", "STS12")


def test_names_of_models_are_compared_without_trimmings() -> None:
    assert len({plain_name(name) for name in ("Avg. GloVe embeddings", "Glove embeddings (avg.)", "GloVe")}) == 1
    assert plain_name("BERT [CLS]-vector") != plain_name("Avg. BERT embeddings")
