"""The cells that a part of a notebook needs."""

from __future__ import annotations

from tests.notebooks.needed_cells import names_changed_in, names_in, needed_for


def test_names_of_a_cell() -> None:
    code = "%matplotlib inline\nfrom kit import a as b\nimport os.path\nx, y = b(z), 1\ndef f(u):\n    return u\n"
    assert names_in(code) == ({"b", "os", "x", "y", "f"}, {"b", "z", "u"})
    assert names_changed_in("x[0] = 1\ny.z = 2\nlist_.append(3)\nw = v.read()\n(1).bit_length()") == {"x", "y", "list_"}


def test_a_cell_stays_that_a_wanted_one_needs() -> None:
    cells = [
        "import torch",
        "x = torch.ones(3)",
        "unused = 2",
        "x[0] = 5",
        "y = unused + 1",
        "x = x + 1",
        "board(x)",
        "x = 7",
    ]
    assert needed_for(cells, r"\bboard\(") == [True, True, False, True, False, True, True, False]
    assert needed_for(cells, "nowhere") == [False] * 8
