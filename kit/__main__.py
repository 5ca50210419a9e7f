"""`python -m kit`: the kit's commands; `python -m kit evaluate PATH` measures an encoder, `… train` trains one."""

from __future__ import annotations

import sys

from kit.commands import main

if __name__ == "__main__":
    sys.exit(main())
