"""Find the names of libraries that can instantiate device code.

A library is what a source includes and the project does not own. Its headers are large, so only
declarations in namespaces are read. A declaration outside of namespaces counts if it contains a
kernel, or a name of a declaration that counts. A namespace counts as a whole: in the project, every
mention of it does. After ``using namespace``, so do mentions of all that the namespace declares.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final

from kbuild.cxx.declarations import read_declaration
from kbuild.cxx.model import Span
from kbuild.cxx.outline import divide_outside, outline, read_names
from kbuild.cxx.tokens import read_tokens
from kbuild.cxx.unit import Unit
from kbuild.stages.sources.declared_names import NO_NAMES, list_declared
from kbuild.stages.sources.device_words import DEVICE_WORDS, KERNEL_ATTRIBUTE, is_template
from kbuild.stages.sources.namespaces import Namespaces, read_directive

# Only the implementation can declare names there, and its specializations for types of a library
# are used by whoever names these types.
_STANDARD: Final = frozenset(("std",))
_HOST_WORDS: Final = frozenset(("host", "__host__", "__kbuild_host__"))


class Libraries:
    """The declarations of libraries that contain or use kernels.

    Attributes:
        names: The names whose mention can instantiate device code.
        namespaces: The namespaces among them.
        directives: The words of each using-directive outside of namespaces.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        """Read the texts of all headers that do not belong to the project."""
        self.names: frozenset[str] = frozenset()
        self.namespaces: Final = Namespaces()
        self.directives: Final[list[frozenset[str]]] = []
        files = [_File(text) for text in texts]
        # Without this word, there is no kernel; to search for it is faster.
        found = [file.find(KERNEL_ATTRIBUTE) for file in files if "global" in file.text]
        while any(found):
            declared = {name for parts in found for part in parts for name in self._read(part)}
            new = declared - self.names - NO_NAMES - _STANDARD
            self.names |= new
            found = [file.find(_match(name)) for name in new for file in files if name in file.text]

    def _read(self, part: str) -> Iterator[str]:
        """Yield the names of a declaration that counts."""
        if names := read_names(read_tokens(part.partition("{")[0])):
            self.namespaces.add(names[0], part)
            yield names[0]
            return
        unit = Unit(outline(part))
        if directive := read_directive(unit.words):
            self.directives.append(directive)
        elif unit.words and self._is_instantiated(unit):
            yield from list_declared(unit, 0, 0)

    def _is_instantiated(self, unit: Unit) -> bool:
        """Return whether host code can instantiate what a declaration declares.

        The bodies of ordinary functions are compiled wherever they are used.
        """
        found = read_declaration(unit, 0)
        if found.kind != "function":
            return True
        words = frozenset(unit.words)
        is_of_device = not words.isdisjoint(DEVICE_WORDS) and words.isdisjoint(_HOST_WORDS)
        is_relevant = is_template(unit, found) or not self.names.isdisjoint(words)
        return is_relevant and not is_of_device


class _File:
    """A header, with its declarations outside of namespaces."""

    def __init__(self, text: str) -> None:
        self.text: Final = text

    @cached_property
    def _parts(self) -> list[Span]:
        return list(divide_outside(self.text))

    def find(self, pattern: re.Pattern[str]) -> list[str]:
        """Return the declarations that contain a match."""
        places = [found.start() for found in pattern.finditer(self.text)]
        starts = [start for start, _ in self._parts] if places else []
        return [self._get(part) for part in {bisect_right(starts, place) - 1 for place in places}]

    def _get(self, index: int) -> str:
        """Return a declaration; after a brace, the variables of a class can follow."""
        start, stop = self._parts[index]
        if self.text[stop - 1 : stop] == "}":
            stop = max(self.text.find(";", stop), stop - 1) + 1
        return self.text[start:stop]


def _match(name: str) -> re.Pattern[str]:
    """Return a pattern for mentions. Searches are fast because it starts with the name."""
    literal = re.escape(name)
    return re.compile(rf"{literal}(?<![\w$]{literal})(?![\w$])")
