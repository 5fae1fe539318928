"""Benchmarks, each compared with a named peer; see README.md."""

import sys
from pathlib import Path

# `python -m` searches the current directory first, and a checkout has the sources of kbuild there.
# Search it last instead, to measure the installed kbuild.
if Path(sys.path[0]).samefile(Path(__file__).parents[1]):
    sys.path.append(sys.path.pop(0))
