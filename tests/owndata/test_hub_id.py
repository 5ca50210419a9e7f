"""A Hub id as one's own data: the real `datasets`, beside a Hub that stands in for the real one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_a_data_set_of_the_hub_is_read_and_what_cannot_be_is_one_sentence(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.owndata.hub_stand_in", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, text=True, capture_output=True, check=True)
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["train"] == [["where is it?", "under the mat"], ["who has it?", "nobody"]]
    assert found["test"][0] == ["at noon", "when?"] and len(found["test"]) == 3
    assert "has no split 'dev': it has train, test" in found["no split"]
    for what, name in (("no data set", "me/nothing"), ("offline, never read", "me/other")):
        said = found[what]
        assert said.startswith(f"expected the data set {name}, but nothing has it (") and "\n" not in said
        assert said.endswith(
            "check its name and the network, or give a file (.csv, .tsv, .tab, .txt, .json, .jsonl, .ndjson, .parquet "
            "or .xlsx)."
        )
    assert "2 pairs: anchor = question" in found["offline"] and "cached earlier" in found["offline"]
    assert "HF_HUB_OFFLINE is set" in found["offline, never read"]
