"""Switch off one precondition of the edits of kernels at a time, and show which tests fail.

Run it from the directory of the tests::

    python -m support.preconditions [NAME...] --seeds 3

For each mutation, a copy of the package builds and runs random kernels with the features, and the
programs in ``tests/projects/mixed_cpu``, that should fail. The result is a table.
"""
# ruff: noqa: T201 - a script

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from support.preconditions.mutations import MUTATIONS, Change, Mutation

_TESTS = Path(__file__).parents[2]
_CHECKOUT = _TESTS.parent
_TIMEOUT = 900  # seconds for a mutation
# An editable install would find the checkout instead of the copy.
_SITE = """\
import sys
sys.meta_path = [each for each in sys.meta_path if "_editable" not in type(each).__module__]
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a row for each mutation, and return 1 if nothing fails for one of them."""
    parser = argparse.ArgumentParser(
        prog="preconditions", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="mutations (default: all)")
    parser.add_argument(
        "--seeds", type=int, default=3, help="random kernels per feature (default: 3)"
    )
    chosen = parser.parse_args(arguments)
    print("| Edit | Switched off | Random kernels | Programs |\n|---|---|---|---|")
    missed = 0
    for mutation in MUTATIONS:
        if chosen.names and mutation.name not in chosen.names:
            continue
        kernels, program = run_mutation(mutation, chosen.seeds)
        missed += not (kernels or program)
        columns = (mutation.edit, mutation.precondition, kernels or "-", program or "-")
        print(f"| {' | '.join(columns)} |", flush=True)
    return int(bool(missed))


def apply_change(change: Change, text: str) -> str:
    """Return the text of a file after a change.

    Raises:
        ValueError: The text that the change replaces is not there, or is there twice.
    """
    if text.count(change.old) != 1:
        raise ValueError(f"the change does not apply: {change.file}: {change.old}")
    return text.replace(change.old, change.new)


def run_mutation(mutation: Mutation, count: int) -> tuple[str, str]:
    """Return the random kernels, and the program, that fail without a precondition."""
    with tempfile.TemporaryDirectory() as directory:
        copy = Path(directory) / "kbuild"
        for name in ("kbuild", "cmake", "templates"):
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(_CHECKOUT / name, Path(directory) / name, ignore=ignored)
        shutil.copy(_CHECKOUT / "pyproject.toml", directory)
        (Path(directory) / "sitecustomize.py").write_text(_SITE)
        for change in mutation.changes:
            path = copy / change.file
            path.write_text(apply_change(change, path.read_text()))
        environment = {
            **os.environ,
            "PYTHONPATH": f"{directory}:{_TESTS}",
            "XDG_CACHE_HOME": directory,
        }
        command = [sys.executable, "-m", "support.preconditions.check", str(count)]
        command += [",".join(mutation.features), ",".join(mutation.programs), directory]
        done = subprocess.run(
            command,
            cwd=directory,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=_TIMEOUT,
        )
        if done.returncode or str(copy) not in done.stderr:
            raise ChildProcessError(f"'{mutation.name}': {done.stderr}")
        kernels, program = done.stdout.splitlines()[-2:]
        return kernels, program


if __name__ == "__main__":
    raise SystemExit(main())
