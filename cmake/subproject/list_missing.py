"""Print the packages that building with a checkout needs and this interpreter lacks.

Usage: list_missing.py CHECKOUT. The requirements are those in the checkout's ``pyproject.toml``:
the dependencies and the extra ``build``, without the build tools, because CMake already runs.
"""

from __future__ import annotations

import importlib.metadata
import re
import sys
from pathlib import Path

_TOOLS = ("cmake", "ninja")


def list_requirements(text: str) -> list[str]:
    """Return the requirements in a ``pyproject.toml``. Python 3.10 has no TOML reader."""
    lists = re.findall(r"^(?:dependencies|build) = \[(.*?)\]$", text, re.DOTALL | re.MULTILINE)
    return [requirement for found in lists for requirement in re.findall(r'"([^"]+)"', found)]


def is_missing(requirement: str) -> bool:
    """Return whether this interpreter lacks the package, of any version."""
    name, _, marker = requirement.partition(";")
    name = re.split(r"[<>=~!\[ ]", name.strip())[0]
    if name in _TOOLS or ("< '3.11'" in marker and sys.version_info >= (3, 11)):
        return False
    try:
        importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return True
    return False


def main() -> None:
    """Print the missing packages as words for pip."""
    text = Path(sys.argv[1], "pyproject.toml").read_text(encoding="utf-8")
    names = (
        requirement.partition(";")[0].strip()
        for requirement in list_requirements(text)
        if is_missing(requirement)
    )
    print(" ".join(f"'{name}'" for name in names))


if __name__ == "__main__":
    main()
