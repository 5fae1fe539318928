"""The microbenchmarks of ScoR (https://github.com/csl-iisc/ScoR), with and without a race."""

from __future__ import annotations

from pathlib import Path

from benchmarks.check_suites.programs import Program, Suite

_RACES = frozenset({"KC201", "KC202", "KC203", "KC204", "KC205", "KC206", "KC209"})
# The programs neither initialize nor free memory.
_CHECKS = "memory,race,barrier,arithmetic"


def find_programs(checkout: Path, _work: Path) -> Suite:
    """Return the suite in a checkout. The names of the sources say whether they have a race."""
    return Suite(
        programs=tuple(map(_read_name, sorted((checkout / "microbenchmarks/src").glob("*.cu")))),
        rules={"race": _RACES},
        checks=_CHECKS,
    )


def _read_name(source: Path) -> Program:
    kind, where, _ = source.stem.split("_", 2)
    return Program(
        name=source.stem,
        pattern=where,
        source=source,
        mistakes=("race",) if kind == "race" else (),
    )
