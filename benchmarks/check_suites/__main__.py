"""Count how often checks find planted mistakes, and how often they report correct programs.

It exits with 1 if a mistake is missed, or if a finding is not explained by a mistake.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.check_suites import indigo, scor
from benchmarks.check_suites.programs import Outcome, check_suite

SUITES = {"indigo": indigo.find_programs, "scor": scor.find_programs}
HEADER = (
    f"{'pattern':<22}{'mistake':<12}{'programs':>9}{'found':>7}{'missed':>8}{'other findings':>16}"
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite", choices=SUITES)
    parser.add_argument(
        "--source", type=Path, required=True, metavar="DIR", help="a checkout of the suite"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        work = Path(directory)
        suite = SUITES[arguments.suite](arguments.source.absolute(), work)
        outcomes = check_suite(suite, work)
    for outcome in outcomes:
        for problem in (*(f"misses {kind}" for kind in outcome.missed), *outcome.others):
            print(f"{outcome.program.name}: {problem}", file=sys.stderr)
    print(HEADER)
    for line in make_table(outcomes):
        print(line)
    return int(any(outcome.missed or outcome.others for outcome in outcomes))


def make_table(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield a row per pattern and kind of mistake, and the totals."""
    patterns = dict.fromkeys(outcome.program.pattern for outcome in outcomes)
    for pattern in patterns:
        yield from make_rows(pattern, [o for o in outcomes if o.program.pattern == pattern])
    yield from make_rows("all", outcomes)


def make_rows(title: str, outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield a row per kind of mistake, and one for correct programs.

    A program with two mistakes counts in two rows. Its other findings count in both.
    """
    kinds = sorted({kind for outcome in outcomes for kind in outcome.program.mistakes})
    for kind in kinds:
        own = [outcome for outcome in outcomes if kind in outcome.program.mistakes]
        found = sum(kind in outcome.found for outcome in own)
        yield make_row(title, kind, own, f"{found:>7}{len(own) - found:>8}")
    yield make_row(title, "none", [o for o in outcomes if not o.program.mistakes], f"{'':15}")


def make_row(title: str, kind: str, outcomes: Sequence[Outcome], counts: str) -> str:
    others = sum(bool(outcome.others) for outcome in outcomes)
    return f"{title:<22}{kind:<12}{len(outcomes):>9}{counts}{others:>16}"


if __name__ == "__main__":
    sys.exit(main())
