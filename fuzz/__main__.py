"""The command line of the fuzzer."""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fuzz.engine.driver import Plan, run_plan
from fuzz.engine.judge import execute, limit_process
from fuzz.engine.model import JobResult, Limits
from fuzz.engine.slot import Slot
from fuzz.engine.summary import (
    format_table,
    list_defects,
    summarize,
    write_defects,
    write_summary,
)
from fuzz.targets import TARGETS

if TYPE_CHECKING:
    from fuzz.kills.driver import KillCounts

# Some targets write each input to a file, which is slow on other file systems.
_DISK: Final = tempfile.gettempdir()
_MEMORY_FILES: Final = "/dev/shm"  # noqa: S108 - a directory inside of it has a random name


def main() -> int:
    arguments = _parse()
    root = _MEMORY_FILES if Path(_MEMORY_FILES).is_dir() else None
    with tempfile.TemporaryDirectory(prefix="kbuild-fuzz-", dir=root) as directory:
        tempfile.tempdir = directory  # workers are killed, and cannot remove their directories
        try:
            code: int = arguments.run(arguments)
        finally:
            tempfile.tempdir = None
    return code


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m fuzz", description="Run kbuild's readers on forged input."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    run = commands.add_parser("run", help="run targets, and report what crashes, hangs, or grows")
    run.set_defaults(run=_run)
    run.add_argument("targets", nargs="*", metavar="TARGET", help="see the command list")
    run.add_argument("--all", action="store_true", help="run all targets")
    run.add_argument("-j", "--jobs", type=int, default=1, metavar="N", help="processes")
    run.add_argument("--seconds", type=float, metavar="N", help="the time for all targets")
    run.add_argument("--count", type=int, metavar="N", help="executions of each target")
    run.add_argument("--seed", type=int, default=1, metavar="N", help="the seed (default: 1)")
    run.add_argument("-o", "--out", type=Path, metavar="FILE", help="write a summary as JSON")
    run.add_argument(
        "--findings",
        type=Path,
        default=Path("fuzz-findings"),
        metavar="DIR",
        help="the directory for inputs that crash (default: fuzz-findings)",
    )
    replay = commands.add_parser("replay", help="run a target on files, without mutation")
    replay.set_defaults(run=_replay)
    replay.add_argument("target", choices=TARGETS, metavar="TARGET")
    replay.add_argument("files", nargs="+", type=Path, metavar="FILE")
    kill = commands.add_parser("kill", help="kill builds and other commands at random points")
    kill.set_defaults(run=_kill)
    kill.add_argument(
        "operations", nargs="*", metavar="OPERATION", help="build, pack, baseline, or install"
    )
    kill.add_argument("--count", type=int, default=200, metavar="N", help="kills (default: 200)")
    kill.add_argument("--seed", type=int, default=1, metavar="N", help="the seed (default: 1)")
    kill.add_argument("-o", "--out", type=Path, metavar="FILE", help="write the counts as JSON")
    listing = commands.add_parser("list", help="list the targets")
    listing.set_defaults(run=_list)
    arguments = parser.parse_args()
    if arguments.run is _run:
        _check(parser, arguments)
    return arguments


def _check(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> None:
    if bool(arguments.targets) == arguments.all:
        parser.error("expected either TARGET... or --all")
    for name in arguments.targets:
        if name not in TARGETS:
            parser.error(f"unknown target {name!r}; expected one of {', '.join(TARGETS)}")
    if arguments.seconds is None and arguments.count is None:
        parser.error("expected --seconds or --count")


def _run(arguments: argparse.Namespace) -> int:
    plan = Plan(
        targets=tuple(TARGETS) if arguments.all else tuple(arguments.targets),
        seed=arguments.seed,
        jobs=arguments.jobs,
        seconds=arguments.seconds,
        count=arguments.count,
    )
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    started = time.monotonic()
    results = run_plan(plan, _report)
    summary = summarize(plan, results, time.monotonic() - started)
    write_defects(arguments.findings, list_defects(results))
    if arguments.out:
        write_summary(arguments.out, summary)
    print(format_table(summary))
    return 1 if summary["distinct_crashes"] else 0


def _report(result: JobResult) -> None:
    for defect in result.defects:
        print(f"{defect.target}: {defect.signature}", file=sys.stderr)


def _replay(arguments: argparse.Namespace) -> int:
    target, limits = TARGETS[arguments.target], Limits()
    failures = 0
    for file in arguments.files:
        data = file.read_bytes()
        with limit_process(limits):
            defect = execute(target, data, limits, Slot(len(data)))
        failures += defect is not None
        print(f"{file}: {defect.details if defect else 'ok'}")
    return 1 if failures else 0


def _kill(arguments: argparse.Namespace) -> int:
    # This needs compilers and the tests' helpers, which fuzzing does not need.
    from fuzz.kills.driver import (  # noqa: PLC0415
        count_failures,
        format_kills,
        run_kills,
        write_kills,
    )
    from fuzz.kills.operations import OPERATIONS  # noqa: PLC0415

    names = arguments.operations or tuple(OPERATIONS)
    for name in names:
        if name not in OPERATIONS:
            expected = ", ".join(OPERATIONS)
            print(f"unknown operation {name!r}; expected one of {expected}", file=sys.stderr)
            return 2

    def report(counts: KillCounts) -> None:
        for problem in counts.problems:
            print(problem, file=sys.stderr)

    # A build in memory would be killed at other points than a build on a disk.
    with tempfile.TemporaryDirectory(prefix="kbuild-kill-", dir=_DISK) as directory:
        root = Path(directory)
        results = run_kills(root, names, arguments.count, arguments.seed, report)
    if arguments.out:
        write_kills(arguments.out, results, arguments.seed)
    print(format_kills(results))
    return 1 if count_failures(results) else 0


def _list(_: argparse.Namespace) -> int:
    for target in TARGETS.values():
        print(f"{target.name:16}{target.description}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
