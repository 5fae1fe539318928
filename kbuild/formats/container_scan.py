"""The loop that all readers of containers share: read one container after the other.

The containers of a section follow each other, with zeros as padding between them. After a
damaged container, reading continues at the next magic number.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeVar

from kbuild.errors import InputError
from kbuild.formats.buffer import KEPT, Buffer, release, skip_zeros
from kbuild.model import Problem

T = TypeVar("T")

# If the content is a sequence of magic numbers, their problems need a hundred times its size.
_MOST_PROBLEMS: Final = 10_000


def scan_containers(
    content: Buffer,
    magic: re.Pattern[bytes],
    read: Callable[[int, list[Problem]], tuple[T, int]],
) -> tuple[tuple[T, ...], tuple[Problem, ...]]:
    """Read every container in ``content``. Never raises `InputError`.

    Args:
        content: The content of a section or file.
        magic: A pattern that matches where a container can start.
        read: A function that reads the container at a position. It returns the container and
            the position of its end, and appends damage that leaves the container readable to
            the list. If nothing can be read, it raises `InputError`.

    Returns:
        The containers in the order of the content, and the damage that was found.
    """
    found: list[T] = []
    problems: list[Problem] = []
    released = 0
    position = skip_zeros(content, 0)
    while position < len(content):
        try:
            container, end = read(position, problems)
        except InputError as error:
            problems.append(problem_at(position, str(error)))
            if len(problems) > _MOST_PROBLEMS:
                problems.append(problem_at(position, "too much damage; the rest is not read"))
                break
            following = magic.search(content, position + 1)
            position = following.start() if following else len(content)
            continue
        found.append(container)
        position = skip_zeros(content, end)
        # The system reads pages around each header, which count as memory of the process.
        if position - released > KEPT:
            release(content)
            released = position
    return tuple(found), tuple(problems)


def problem_at(offset: int, message: str) -> Problem:
    """Return a problem that concerns the byte at ``offset`` of the content."""
    return Problem(where=f"byte {offset:#x}", message=message, offset=offset)
