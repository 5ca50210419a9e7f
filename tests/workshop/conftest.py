"""What the tests of runs, choices and costs share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tiny import write_tiny_bert


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_bert(tmp_path_factory.mktemp("models") / "tiny")
