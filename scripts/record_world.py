"""Draw the rows of the made-up world that lessons ask for, once and for all: data/world/*.json.gz

    python scripts/record_world.py

Needs no data; another run writes the same bytes. To be run when the world is changed: tests/world/test_recorded.py
tells where it was forgotten.
"""

from __future__ import annotations

import argparse
import gzip
import json

from kit.storage.atomic import write_whole
from kit.world.recorded import RECORDED, SEED, file_of
from kit.world.stand_in import drawn


def main() -> None:
    for (name, split), rows in RECORDED.items():
        path = file_of(name, split)
        text = json.dumps(drawn(name, split, rows, SEED), separators=(",", ":"), ensure_ascii=False)
        packed = gzip.compress(text.encode("utf-8"), 9, mtime=0)
        write_whole(path, packed)
        print(f"{path.name}: {rows:,} rows, {len(packed) / 1000:,.0f} kB")


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    main()
