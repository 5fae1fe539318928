"""Build a project with kbuild and with its own tools, and run its tests, as a plan says."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from benchmarks.measure import describe_machine
from benchmarks.projects.execute import SideResult, try_side
from benchmarks.projects.plan import Plan, read_plan
from benchmarks.projects.report import has_failed, render_markdown, write_results
from kbuild import __version__, resources

_VERSIONS = (
    ("c++", "--version"),
    ("cmake", "--version"),
    ("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"),
)


def main() -> int:
    arguments = parse_arguments()
    plan = read_plan(arguments.plan)
    conditions = (f"kbuild {__version__}", *list_versions(), describe_machine())
    print(f"{plan.name} {plan.commit}; {'; '.join(conditions)}", flush=True)
    os.environ["CCACHE_DISABLE"] = "1"
    values = {
        "architectures": ";".join(arguments.architectures),
        "backend": arguments.backend,
        "jobs": str(arguments.jobs),
        "kbuild": str(resources.cmake_directory()),
        "plan": str(arguments.plan.resolve().parent),
        "python": sys.executable,
    }
    with tempfile.TemporaryDirectory() as temporary:
        work = arguments.work or Path(temporary)
        results = try_sides(plan, arguments, work.resolve(), values)
    print(render_markdown(results))
    if arguments.output:
        write_results(arguments.output, plan, conditions, results)
    return int(any(map(has_failed, results)))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("plan", type=Path, help="a TOML file that says how to build the project")
    parser.add_argument("checkout", type=Path, help="a checkout of the project")
    parser.add_argument("--backend", default="cuda", help="default: %(default)s")
    parser.add_argument("--architectures", nargs="+", default=["90-real"], metavar="ARCHITECTURE")
    parser.add_argument("--sides", nargs="+", help="the sides to build (default: all)")
    parser.add_argument("--no-tests", action="store_true", help="only build")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--work", type=Path, help="keep the copies and builds in this directory")
    parser.add_argument("--output", type=Path, metavar="JSON", help="where to write the results")
    return parser.parse_args()


def list_versions() -> list[str]:
    """Return the first line that each tool says about itself."""
    lines = []
    for command in _VERSIONS:
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError:
            continue
        lines += done.stdout.splitlines()[:1]
    return lines


def try_sides(
    plan: Plan, arguments: argparse.Namespace, work: Path, values: Mapping[str, str]
) -> list[SideResult]:
    """Build and test the sides, one after the other."""
    results = []
    for side in plan.sides:
        if arguments.sides and side.name not in arguments.sides:
            continue
        tests = () if arguments.no_tests else plan.tests
        result = try_side(side, tests, arguments.checkout, work / side.name, values)
        if result.log:
            print(f"{side.name} is not built:\n{result.log}", flush=True)
        results.append(result)
    return results


if __name__ == "__main__":
    sys.exit(main())
