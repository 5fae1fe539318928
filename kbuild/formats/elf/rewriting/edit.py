"""What changes in a file."""

from __future__ import annotations

from kbuild.formats.buffer import Buffer
from kbuild.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """Bytes that replace as many bytes of the file, from ``offset``."""

    offset: int
    content: Buffer


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """Bytes that the section with index ``section`` has from now on, at another address.

    ``remains`` are (start, end) of the bytes of the file that stay where they were. They get
    section headers with the same name.
    """

    section: int
    content: tuple[Buffer, ...]
    remains: tuple[tuple[int, int], ...] = ()

    @property
    def size(self) -> int:
        """The number of bytes."""
        return sum(map(len, self.content))


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """All changes of a file.

    Attributes:
        patches: The bytes that change.
        freed: (start, end) of bytes of the file that nobody reads any more, and that no section
            has any more. They do not overlap, or overlap with patches.
        sizes: (index, size) of the sections that end earlier than before.
        additions: The content of the new segment.
        symbols: (section, old address, new address) of what symbols of a section can name.
    """

    patches: tuple[Patch, ...] = ()
    freed: tuple[tuple[int, int], ...] = ()
    sizes: tuple[tuple[int, int], ...] = ()
    additions: tuple[Addition, ...] = ()
    symbols: tuple[tuple[int, int, int], ...] = ()
