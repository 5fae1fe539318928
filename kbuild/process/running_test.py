"""The test that runs this process."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Final

from kbuild.process.ancestors import list_ancestors
from kbuild.process.environment import select_environment

_PYTEST: Final = "PYTEST_CURRENT_TEST"
_RUNNER: Final = "ctest"


def name_running_test() -> str:
    """Return the name of the running test; empty if there is none.

    pytest says which test it runs. For tests of CTest, the name is the command, in which CMake's
    functions for GoogleTest, Catch2, and doctest name the test.
    """
    named = select_environment((_PYTEST,)).get(_PYTEST, "").rpartition(" (")[0]
    for process, parent in () if named else pairwise(list_ancestors()):
        if parent.name == _RUNNER:
            program, *words = process.read_command()
            return " ".join((Path(program).name, *words))
    return named
