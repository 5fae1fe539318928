"""Compare two files of results: python -m support.mathlibs.compare OURS THEIRS [BOUND]."""

import sys
from pathlib import Path

from support.mathlibs.results import list_differences, read_results

if __name__ == "__main__":
    ours, theirs = (read_results(Path(name).read_text("utf-8")) for name in sys.argv[1:3])
    bound = float(sys.argv[3]) if len(sys.argv) > 3 else 1e-5
    for difference in list_differences(ours, theirs, bound):
        print(difference)  # noqa: T201 - a command
    print(f"{len(ours)} results")  # noqa: T201
