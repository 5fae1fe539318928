"""Compare the time to import a command with the start of the interpreter."""

from __future__ import annotations

import argparse
import sys
from functools import partial

from benchmarks.measure import (
    HEADER,
    Comparison,
    describe_machine,
    interleave,
    show,
    time_command,
)
from kbuild.cli.main import COMMANDS

# The parts of the standard library that any such command needs.
FLOOR = "argparse, dataclasses, json, pathlib, subprocess"
MEASURED = ("compile", "pack", "plan", "runtimes", "inspect", "verify", "smoke", "explain")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--tiny", action="store_true", help="measure few pairs, to check that the benchmark runs"
    )
    parser.add_argument("--repetitions", type=int, default=31)
    arguments = parser.parse_args()
    repetitions = 2 if arguments.tiny else arguments.repetitions
    cases = {
        "(standard library)": f"import {FLOOR}",
        "--version": "from kbuild.cli.main import main; main(['--version'])",
        **{
            name: f"import kbuild.cli.main, kbuild.cli.commands.{COMMANDS[name][0]}"
            for name in MEASURED
        },
    }
    sides = {
        name: partial(time_command, python(code)) for name, code in {"": "pass", **cases}.items()
    }
    print(describe_machine())
    print(HEADER)
    taken = interleave(sides, repetitions)
    for case in cases:
        show(Comparison(case=case, peer_name="python -c pass", ours=taken[case], peer=taken[""]))


def python(code: str) -> list[str]:
    """Return the command for ``code``, without the current directory on the module path."""
    return [sys.executable, "-c", f"import sys; sys.path.pop(0)\n{code}"]


if __name__ == "__main__":
    main()
