"""Which planted mistakes kbuild's checks and the tools of compute-sanitizer find.

Both also run the same kernels without the mistake.
Without a GPU or compute-sanitizer, only kbuild's column has results.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Final

from benchmarks.measure import describe_machine
from kbuild.check.journals import read_journals

SOURCES: Final = tuple(
    sorted((Path(__file__).parents[2] / "tests" / "projects" / "planted").glob("*.cu"))
)
KBUILD: Final = "kbuild --check"
TOOLS: Final = {
    "memcheck": ("--leak-check=full",),
    "racecheck": ("--racecheck-report=all",),
    "synccheck": (),
    "initcheck": (),
}
KINDS: Final = ("buggy", "correct")
TIMEOUT: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a tool says about one program.

    Attributes:
        found: Whether it reports an error or a warning.
        seconds: Its wall time.
    """

    found: bool
    seconds: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tiny", action="store_true", help="try three cases")
    parser.add_argument("--jobs", type=int, default=4, help="runs of compute-sanitizer at a time")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        programs = build(Path(name))
        listed = run([str(programs[KBUILD])], {}).stdout.split("\n")
        cases = [tuple(line.split()) for line in listed if line]
        if arguments.tiny:
            cases = cases[:3]
        runs = list(product(programs, (case for case, _ in cases), KINDS))
        with ThreadPoolExecutor(arguments.jobs) as pool:
            results = dict(
                zip(runs, pool.map(lambda one: check(programs, *one), runs), strict=True)
            )
    print(f"{describe_machine()}\n")
    show(cases, tuple(programs), results)


def build(directory: Path) -> dict[str, Path]:
    """Build the program for each tool that can be used here."""
    checked = directory / "checked"
    succeed(["kbuild", "run", "--check", "--build-only", "-o", str(checked), *map(str, SOURCES)])
    if not (shutil.which("compute-sanitizer") and shutil.which("nvidia-smi")):
        return {KBUILD: checked}
    program = directory / "program"
    options = ("-O1", "-lineinfo", "-std=c++17", "-arch=native")
    succeed(["nvcc", *options, "-o", str(program), *map(str, SOURCES)])
    return {KBUILD: checked, **dict.fromkeys(TOOLS, program)}


def check(programs: dict[str, Path], tool: str, case: str, kind: str) -> Result:
    """Run one case under a tool."""
    start = time.perf_counter()
    argv = [str(programs[tool]), case, kind]
    if tool == KBUILD:
        with tempfile.TemporaryDirectory() as report:
            output = run(argv, {"KBUILD_CHECK_REPORT": report}).stdout
            journals = read_journals(Path(report))
        if not any(journal.kernels for journal in journals):
            raise SystemExit(f"no kernel of {case} was checked:\n{output}")
        found = any(journal.findings for journal in journals)
    else:
        output = run(["compute-sanitizer", "--tool", tool, *TOOLS[tool], *argv], {}).stdout
        counts = re.findall(r"SUMMARY: (\d+)", output)
        if not counts:
            raise SystemExit(f"{tool} has no result for {case}:\n{output}")
        found = any(count != "0" for count in counts)
    return Result(found=found, seconds=time.perf_counter() - start)


def run(
    argv: list[str], environment: dict[str, str], timeout: int | None = TIMEOUT
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        argv,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=timeout,
    )


def succeed(argv: list[str]) -> None:
    done = run(argv, {}, timeout=None)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(argv)}:\n{done.stdout}")


def show(
    cases: list[tuple[str, ...]],
    tools: tuple[str, ...],
    results: dict[tuple[str, str, str], Result],
) -> None:
    """Print a table with a row for each case, and the sums."""
    print(f"| mistake | rule | {' | '.join(tools)} |")
    print("|---" * (2 + len(tools)) + "|")
    for case, rule in cases:
        cells = ("found" if results[tool, case, "buggy"].found else "" for tool in tools)
        print(f"| `{case}` | {rule} | {' | '.join(cells)} |")
    for label, kind in (("mistakes found", "buggy"), ("false reports", "correct")):
        sums = (sum(results[tool, case, kind].found for case, _ in cases) for tool in tools)
        print(f"| **{label}** of {len(cases)} | | {' | '.join(map(str, sums))} |")
    medians = (
        statistics.median(results[tool, case, kind].seconds for case, _ in cases for kind in KINDS)
        for tool in tools
    )
    print(f"| **seconds**, median | | {' | '.join(f'{median:.2f}' for median in medians)} |")


if __name__ == "__main__":
    main()
