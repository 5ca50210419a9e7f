"""Spectra, sentences on maps, and the table of repairs: what is drawn, and what the summary says."""

from __future__ import annotations

import pytest
import results_repairs

from kit.errors import KitError
from kit.figures import frequency_map, repairs_table, spectra
from kit.lesson import measured


def test_spectra_are_drawn_without_empty_directions() -> None:
    picture = spectra({"even": [0.25] * 4, "steep": [9.0, 1.0, 1e-12, 0.0]})
    even, steep = picture.figure.data
    assert list(even.y) == [0.25] * 4 and list(steep.y) == pytest.approx([0.9, 0.1]) and list(steep.x) == [1, 2]
    assert even.line.color != steep.line.color and picture.figure.layout.yaxis.type == "log"
    assert picture.figure.layout.xaxis.title.text and picture.figure.layout.yaxis.title.text
    assert picture.summary == (
        "even: 4 of 4 directions hold nine tenths of the variance; "
        "steep: 1 of 4 directions holds nine tenths of the variance (2 with no variance at all)."
    )


def test_a_space_without_variance_has_no_spectrum() -> None:
    with pytest.raises(KitError, match="some variance for 'dead'"):
        spectra({"dead": [0.0, 0.0]})


def test_sentences_on_maps_side_by_side() -> None:
    points, frequencies = [[1.0, 4.0], [2.0, 3.0], [3.0, 2.0], [4.0, 1.0]], [-9.0, -8.0, -7.0, -6.0]
    picture = frequency_map({"PCA": points, "UMAP": [[y, 0.0] for _, y in points]}, frequencies, list("abcd"))
    assert [len(trace.x) for trace in picture.figure.data] == [4, 4]
    assert list(picture.figure.data[0].marker.color) == frequencies
    pca = picture.figure.data[0]
    assert list(zip(pca.x, pca.y)) == [tuple(point) for point in points] and list(pca.text) == list("abcd")
    colours = picture.figure.layout.coloraxis
    assert (colours.cmin, colours.cmax) == (-9, -6), "the whole scale, for what is there"
    assert picture.summary == (
        "Colour is the mean log word frequency of 4 sentences: on PCA its correlation is 1.00 with the first axis and "
        "−1.00 with the second; on UMAP its correlation is −1.00 with the first axis and undefined with the second."
    )
    titles = [axis.title.text for axis in picture.figure.select_xaxes()] + [
        axis.title.text for axis in picture.figure.select_yaxes()
    ]
    assert all(titles) and len(set(titles)) == 4
    assert [axis.scaleanchor for axis in picture.figure.select_yaxes()] == ["x", "x2"], "one unit for both axes"


def test_a_point_for_each_sentence() -> None:
    with pytest.raises(KitError, match="as many points on 'PCA'"):
        frequency_map({"PCA": [[0.0, 1.0]]}, [1.0, 2.0], ["a", "b"])


def test_the_table_has_the_measured_and_the_published_figures() -> None:
    found = measured("repairs")
    table = repairs_table(found, "a caption")
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["raw"][-1] == "56.70" and rows["whitened"][-1] == "66.28" and rows["flow"][-1] == "66.55"
    assert rows["centred"][-1] == "–" and table.caption == "a caption"
    mean = found["repairs"]["whitening"]["average"]["mean"]["all"]
    assert rows["whitened"][0] == f"{mean['mean']:.1f} [{mean['low']:.1f}, {mean['high']:.1f}]"
    assert "[" not in rows["raw"][0], "one run has no interval"


def test_what_the_lesson_says_of_the_measured_repairs() -> None:
    """Both repairs lift every pooling over three seeds; fitting on the test's own sentences lifts most."""
    found = measured("repairs")
    assert len(found["seeds"]) >= 3 and found["poolings"].keys() == {"mean", "first_last", "embeddings_last"}
    for pooling in found["poolings"]:
        gains = {name: repair["gain"][pooling] for name, repair in found["repairs"].items()}
        assert gains["raw"]["mean"] == 0
        assert gains["whitening"]["n"] == gains["flow"]["n"] == len(found["seeds"])
        assert gains["whitening"]["low"] > 0 and gains["flow"]["low"] > 0 and gains["top3"]["low"] > 0
        assert gains["whitening_target"]["mean"] > max(gains["whitening"]["high"], gains["flow"]["high"])
    for name, repair in found["repairs"].items():
        for pooling, average in repair["average"].items():
            difference = average["all"]["mean"] - found["repairs"]["raw"]["average"][pooling]["all"]["mean"]
            assert repair["gain"][pooling]["mean"] == pytest.approx(difference, abs=1e-9), name
            tasks = [of["all"]["mean"] for of in repair["tasks"][pooling].values()]
            assert len(tasks) == 7 and average["all"]["mean"] == pytest.approx(sum(tasks) / 7)


def test_published_figures_are_those_of_the_paper() -> None:
    assert measured("repairs")["published"]["figures"] == results_repairs.published()


def test_published_averages_are_those_of_their_tasks() -> None:
    for name, row in measured("repairs")["published"]["figures"].items():
        tasks = [value for task, value in row.items() if task != "Avg"]
        assert len(tasks) == 7 and sum(tasks) / 7 == pytest.approx(row["Avg"], abs=0.006), name
