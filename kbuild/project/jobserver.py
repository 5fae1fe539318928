"""Use the jobserver of a ``make`` that runs kbuild, so that all start no more jobs than it.

Source: "Sharing Job Slots with GNU make" in the manual of GNU make 4.4.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from kbuild.process import select_environment
from kbuild.values import dataclass

_FIFO: Final = "fifo:"
# The first ninja version that takes jobs from a jobserver.
_CLIENT_VERSION: Final = (1, 13)


@dataclass(frozen=True, slots=True, kw_only=True)
class Jobserver:
    """The jobserver of the ``make`` that runs kbuild.

    ``jobs`` is the value of make's option ``-j``, if known. ``pipe`` holds the two descriptors of
    its pipe, if make has passed them on. ``fifo`` is the path of a named pipe, if that exists.
    """

    jobs: int | None
    pipe: tuple[int, ...] = ()
    fifo: str = ""

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
    place = places[-1]
    # Without make's permission, the descriptors are closed, or are those of other files.
    pipe = tuple(map(int, place.split(","))) if re.fullmatch(r"\d+,\d+", place) else ()
    fifo = place.removeprefix(_FIFO) if place.startswith(_FIFO) else ""
    return Jobserver(
        jobs=jobs[-1] if jobs else None,
        pipe=pipe if all(_is_pipe(_name_descriptor(d)) for d in pipe) else (),
        fifo=fifo if fifo and _is_pipe(fifo) else "",
    )


@contextmanager
def borrow_jobs(jobserver: Jobserver, most: int) -> Iterator[int]:
    """Borrow jobs that nobody else uses at the moment, and return them in the end.

    Yields:
        The number of borrowed jobs, at most ``most``. Each process has one more job of its own.
    """
    places = tuple(map(_name_descriptor, jobserver.pipe))
    if jobserver.fifo:
        places = (jobserver.fifo, jobserver.fifo)
    if not places:
        yield 0
        return
    # Opened again, because other processes wait for jobs with the same open file.
    source = os.open(places[0], os.O_RDONLY | os.O_NONBLOCK)
    try:
        tokens = _read(source, most)
        try:
            yield len(tokens)
        finally:
            target = os.open(places[1], os.O_WRONLY)
            os.write(target, tokens)
            os.close(target)
    finally:
        os.close(source)


def _read(source: int, most: int) -> bytes:
    try:
        return os.read(source, most)
    except BlockingIOError:
        return b""


def _is_pipe(path: str) -> bool:
    try:
        return Path(path).is_fifo()
    except OSError:
        return False


def _name_descriptor(descriptor: int) -> str:
    return f"/dev/fd/{descriptor}"
