"""Benchmarks, each against a named peer; see README.md."""

import sys
from pathlib import Path

# `python -m` looks into the current folder first, where a checkout has kbuild's sources: what
# is measured is the kbuild that is installed.
if Path(sys.path[0]).samefile(Path(__file__).parents[1]):
    sys.path.append(sys.path.pop(0))
