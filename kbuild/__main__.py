"""Run the command line with ``python -m kbuild``."""

from __future__ import annotations

import sys

from kbuild.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
