"""Find the jobserver of a ``make`` that runs kbuild, so that ninja starts no more jobs than it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Final

from kbuild.process import select_environment

# The first ninja version that takes jobs from a jobserver.
_CLIENT_VERSION: Final = (1, 13)


@dataclass(frozen=True, slots=True, kw_only=True)
class Jobserver:
    """The jobserver of the ``make`` that runs kbuild.

    ``jobs`` is the value of make's option ``-j``, if known. ``pipe`` holds the open descriptors of
    its pipe. It is empty for a named pipe.
    """

    jobs: int | None
    pipe: tuple[int, ...]

    def serves(self, version_text: str, version: tuple[int, ...]) -> bool:
        """Return whether a ninja of this version is a client of the jobserver."""
        # Kitware's ninja supports both protocols, the original one only named pipes.
        return "jobserver" in version_text or (version >= _CLIENT_VERSION and not self.pipe)


def find_jobserver() -> Jobserver | None:
    """Return the jobserver that the environment variable MAKEFLAGS describes."""
    words = select_environment(("MAKEFLAGS",)).get("MAKEFLAGS", "").split()
    places = [word.partition("=")[2] for word in words if word.startswith("--jobserver-")]
    if not places:
        return None
    jobs = [int(word[2:]) for word in words if re.fullmatch(r"-j\d+", word)]
    pipe = tuple(map(int, places[-1].split(","))) if re.fullmatch(r"\d+,\d+", places[-1]) else ()
    return Jobserver(jobs=jobs[-1] if jobs else None, pipe=tuple(filter(_is_open, pipe)))


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True
