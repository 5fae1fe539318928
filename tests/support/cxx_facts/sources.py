"""The text that kbuild reads: what the CPU backend's host pass makes of a source."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path
from typing import Final

from kbuild.backends.cpu import build
from kbuild.toolchain.find import find_toolchain, gather_hints

STANDARD: Final = 20


class UnreadableSourceError(Exception):
    """The compiler does not preprocess a source, such as without a library's headers."""


def preprocess(source: Path, *options: str) -> str:
    """Preprocess a source as the host pass does, and replace what is not ASCII.

    Raises:
        UnreadableSourceError: The compiler reports an error.
    """
    argv = ("g++", "-E", "-x", "c++", f"-std=gnu++{STANDARD}", *options, str(source))
    result = subprocess.run(argv, capture_output=True, check=False)
    if result.returncode != 0:
        raise UnreadableSourceError(result.stderr.decode(errors="replace").partition("\n")[0])
    # Both readers count positions, one of them in bytes.
    return result.stdout.decode("latin-1").encode("ascii", "replace").decode("ascii")


@cache
def list_prelude() -> tuple[str, ...]:
    """Return the options that the host pass adds to those of the project."""
    return (*build.PRELUDE, *build.header_options(find_toolchain(build, gather_hints())))
