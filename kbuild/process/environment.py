"""The variables of the environment that programs share with kbuild."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

# Names the file to which kbuild commands append what the build that runs them has to know.
EVENTS_VARIABLE: Final = "KBUILD_EVENTS_FILE"
# With this variable, CMake and its Makefiles show command lines, and so do kbuild's build edges.
VERBOSE_VARIABLE: Final = "VERBOSE"
# Names the directory to which the processes of a checked program write their findings; see
# native/cpu/checks/settings.hpp.
CHECK_VARIABLE: Final = "KBUILD_CHECK_REPORT"


def select_environment(names: Iterable[str], prefixes: tuple[str, ...] = ()) -> dict[str, str]:
    """Return the variables that are set and have one of these names or prefixes.

    The variable that kbuild sets for its own commands is not included.
    """
    selected = set(names)
    if prefixes:
        selected.update(name for name in os.environ if name.startswith(prefixes))
    selected.discard(EVENTS_VARIABLE)
    return {name: os.environ[name] for name in sorted(selected) if name in os.environ}


def find_step_summary() -> Path | None:
    """Return the file for the Markdown summary of a GitHub Actions run, or None outside of one."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    return Path(path) if path else None


def export_variables(variables: Mapping[str, str]) -> None:
    """Set environment variables of all programs that this process runs from now on."""
    os.environ.update(variables)


def wants_commands() -> bool:
    """Return whether the user wants to see command lines, as CMake and make understand it."""
    return bool(os.environ.get(VERBOSE_VARIABLE))


def extend_environment(changes: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of this process with some changes."""
    return {**os.environ, **changes}
