"""Wrong and hostile inputs, and what comes of them: data/results/hard_inputs.json

    python scripts/hard_inputs.py           minutes, on made-up data; nothing of it leaves this machine

values: every argument of the tables of public functions takes every hostile value (`scripts/hostile_calls.py`,
`hostile_own.py`, `hostile_rest.py`; what they leave out, and why, is in `hostile_names.py`).
folders: model folders that ask for code of their own, while somebody answers "y" to every question
(`tests/checks/test_foreign_code.py` makes them).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]
FILE = ROOT / "data" / "results" / "hard_inputs.json"


def values() -> dict:
    """How the cases of the table end: a sentence, a value with a reason, or an offence (listed)."""
    import hostile_calls

    with tempfile.TemporaryDirectory() as place, contextlib.chdir(place):  # some of them are names of folders
        outcomes = {case: hostile_calls.outcome(*case) for case in hostile_calls.cases()}
    ends, reasons = Counter(kind for kind, _ in outcomes.values()), Counter()
    for kind, said in outcomes.values():
        reasons[said] += kind == "returned"
    return {
        "functions": len(hostile_calls.calls()),
        "arguments": sum(len(call.good) for call in hostile_calls.calls().values()),
        "hostile_values": len(hostile_calls.VALUES),
        "cases": len(outcomes),
        "one_sentence": ends["sentence"],
        "returned_with_a_reason": ends["returned"],
        "offenders": [" | ".join((*case, said)) for case, (kind, said) in outcomes.items() if kind == "offender"],
        "reasons": dict(reasons.most_common(sum(count > 0 for count in reasons.values()))),
    }


def folders() -> dict:
    """How the hostile model folders end, and whether code of theirs ran."""
    from tests.checks import test_foreign_code as hostile
    from tests.tiny import write_tiny_bert

    with tempfile.TemporaryDirectory() as place:
        whole, mark = write_tiny_bert(Path(place, "whole")), Path(place, "mark")
        for name in ("evil", "modeling_evil"):
            (whole / f"{name}.py").write_text(hostile.EVIL, "utf-8")
        made = [hostile.hostile(whole, name, Path(place, str(i), "tiny")) for i, name in enumerate(hostile.HOSTILE)]
        done = subprocess.run(
            [sys.executable, "-c", hostile.TRY, *map(str, made)],
            input="y\n" * 1000,
            text=True,
            capture_output=True,
            cwd=ROOT,
            env={**os.environ, "KIT_MARK": str(mark), "PYTHONPATH": str(ROOT)},
        )
        ends = Counter(line.split()[0] for line in done.stdout.splitlines())
        return {"tried": len(made), "code_ran": int(mark.exists()), "questions": done.stdout.count("[y/N]"), **ends}


def main() -> None:
    os.environ.pop("KIT_DATA", None)
    os.environ["HF_HUB_OFFLINE"] = "1"
    from measuring import provenance

    from kit.storage.atomic import write_atomically

    found = {**provenance(), "values": values(), "folders": folders()}
    write_atomically(FILE, json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    print(json.dumps(found, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    main()
