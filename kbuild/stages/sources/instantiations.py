"""Find the names in host code that can instantiate device code.

These are the names of kernel templates, and of everything whose declaration mentions such a name
and that instantiates it only when it is used itself: other templates, classes, variables, and
aliases. A library that contains kernels counts by its namespaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from kbuild.cxx.declarations import Declaration, read_declaration
from kbuild.cxx.scopes import Scope, find_scopes
from kbuild.cxx.tokens import ATTRIBUTES
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass

_KERNEL_WORDS: Final = frozenset(("__kbuild_global__", "global", "__global__"))
DEVICE_WORDS: Final = frozenset(
    (
        *("__kbuild_device__", "__kbuild_constant__", "__kbuild_managed__"),
        *("device", "constant", "managed", "shared"),
        *("__device__", "__constant__", "__managed__", "__shared__"),
    )
)
_OWN_WORD: Final = "__kbuild_"
_KERNEL: Final = re.compile(
    r"\b__kbuild_global__\b|__attribute__\s*\(\(\s*(?:__)?global(?:__)?\s*\)\)"
)
_WORD: Final = re.compile(r"[A-Za-z_$]\w*")
_BRACE: Final = re.compile(
    r"[{}]|\bnamespace\s+(?:__attribute__\s*\(\([^{};]*\)\)\s*|\[\[[^{};]*\]\]\s*)*(?!__attribute__)(\w+)"
    r"|\bextern\s*\"[^\"]*\"\s*\{"
)
# Of a file without namespaces. Only templates are instantiated by their users.
_TEMPLATE: Final = re.compile(r"\btemplate\s*<[^;{}()]*>[^;{}()]*?\b([A-Za-z_]\w*)\s*[({:;]")
# Only the implementation can declare names there, and its specializations for types of a library
# are used by whoever names these types.
_STANDARD: Final = frozenset(("std",))
_DECLARED: Final = frozenset(("=", ";", ",", "(", "[", "{", ":"))
_AFTER_PARAMETERS: Final = frozenset(("const", "noexcept", "override", "final", "try"))
_DEDUCED: Final = frozenset(("auto", "constexpr", "consteval", "decltype", "template", "concept"))


@dataclass(frozen=True, slots=True)
class Instantiations:
    """What host code can instantiate.

    Attributes:
        names: The names whose mention can instantiate device code.
        device_functions: The names of functions that are declared as device code.
        is_clear: Whether the names are enough to decide; the uses of operators name nothing.
    """

    names: frozenset[str]
    device_functions: frozenset[str]
    is_clear: bool = True


def find_instantiations(unit: Unit, libraries: Mapping[str, str]) -> Instantiations:
    """Find the names in the project's part of a preprocessed text.

    Args:
        unit: The parts of the text that come from files of the project.
        libraries: The parts that come from other files, by file.
    """
    search = _Search(unit)
    library_names, library_words = _read_libraries(libraries)
    search.add(library_names)
    search.add_templates()
    while search.new:
        search.add_mentions(library_words)
    return Instantiations(
        names=frozenset(search.names),
        device_functions=frozenset(search.device_functions),
        is_clear=not any(name.startswith("operator") for name in search.names),
    )


def find_device_words(unit: Unit) -> Iterator[tuple[int, bool]]:
    """Yield the index of each word that marks device code, and whether it marks a kernel.

    In a text for nvcc, the words are attributes. Then the index is that of the attribute.
    """
    for index in unit.find(_KERNEL_WORDS | DEVICE_WORDS):
        word = unit.words[index]
        if word.startswith(_OWN_WORD):
            yield index, word in _KERNEL_WORDS
        elif unit.get(index - 3) in ATTRIBUTES and unit.get(index - 1) == "(":
            yield index - 3, word in _KERNEL_WORDS


def is_template(unit: Unit, found: Declaration, around: Iterable[Scope]) -> bool:
    """Return whether a function is instantiated, or evaluated, where it is used."""
    is_function = found.kind == "function"
    end = found.body[0] if found.body else found.parameters[1] if is_function else found.end
    words = {token.text for token in unit.list_tokens(found.start, end)}
    return not words.isdisjoint(_DEDUCED) or any(
        unit.words[unit.find_index(scope.head)] == "template"
        for scope in around
        if scope.kind == "class"
    )


def _read_libraries(libraries: Mapping[str, str]) -> tuple[set[str], set[str]]:
    """Return the namespaces of the libraries that have or use kernels, and all words in these."""
    names: set[str] = set()
    words: set[str] = set()
    waiting = list(libraries.values())
    # Without this word, there is no kernel; to search for it is faster.
    found = [text for text in waiting if "global" in text and _KERNEL.search(text)]
    while found:
        waiting = [text for text in waiting if text not in found]
        new: set[str] = set()
        for text in found:
            new |= set(_list_namespaces(text)) or set(_TEMPLATE.findall(text))
            words.update(_WORD.findall(text))
        names |= new - _STANDARD
        if not new - _STANDARD:
            break
        pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(names)))})\b")
        found = [text for text in waiting if pattern.search(text)]
    return names, words


def _list_namespaces(text: str) -> Iterator[str]:
    """Yield the names of the outermost namespaces that a file opens."""
    depth = 0
    for found in _BRACE.finditer(text):
        if found[1]:
            if depth == 0:
                yield found[1]
        elif found[0] in "{}":
            depth = max(depth + (1 if found[0] == "{" else -1), 0)


class _Search:
    """The names that are known so far.

    Attributes:
        names: All names.
        new: Those whose mentions are not added yet.
        device_functions: The names of functions that are declared as device code.
    """

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._scopes = find_scopes(unit)
        self.names: set[str] = set()
        self.new: set[str] = set()
        self.device_functions: set[str] = set()

    def add(self, names: Iterable[str]) -> None:
        """Add names."""
        added = set(names) - self.names - {""}
        self.names |= added
        self.new |= added

    def add_templates(self) -> None:
        """Add the templates of kernels and device variables, and those with device lambdas."""
        unit = self._unit
        for index, is_kernel in find_device_words(unit):
            position = unit.starts[index]
            around = self._scopes.around(position)
            block = next((scope for scope in around if scope.kind == "block"), None)
            start = block.head if block else unit.starts[unit.find_declaration_start(index)]
            found = read_declaration(unit, start)
            is_function = found.kind == "function" and block is None
            if is_function:
                self.device_functions.add(found.name)
            if (is_kernel or not is_function) and is_template(unit, found, around):
                self.add((found.name,) if found.name else self._list_declared(index))

    def add_mentions(self, library_words: set[str]) -> None:
        """Add what mentions one of the new names."""
        unit = self._unit
        new, self.new = self.new, set()
        for index in unit.find(new):
            if unit.get(index - 1) == "namespace" and unit.get(index - 2) == "using":
                self.add(library_words & unit.vocabulary)  # all names of the library
                continue
            around = self._scopes.around(unit.starts[index])
            outer = next((s for s in around if s.kind not in ("namespace", "language")), None)
            start = unit.find_index(outer.head) if outer else unit.find_declaration_start(index)
            found = read_declaration(unit, unit.starts[start])
            if found.kind == "variable":
                self.add(self._list_declared(start))
            elif outer is None or is_template(unit, found, around):
                self.add((found.name,))

    def _list_declared(self, index: int) -> Iterator[str]:
        """Yield the names that the declaration with a token can declare, and perhaps others."""
        unit = self._unit
        current = unit.find_declaration_start(index)
        while current < len(unit.words) and unit.words[current] != ";":
            if unit.words[current] == "{":
                if self._ends_declaration(current):
                    return
                current = unit.partners.get(current, current)
            elif unit.get_token(current).is_word and unit.get(current + 1) in _DECLARED:
                yield unit.words[current]
            current += 1

    def _ends_declaration(self, brace: int) -> bool:
        """Return whether a brace is that of the body of a function, and not of an initializer."""
        scope = self._scopes.around(self._unit.starts[brace] + 1)[-1]
        before = self._unit.get(brace - 1)
        is_initializer = before in ("=", "]", ">") or (
            before.isidentifier() and before not in _AFTER_PARAMETERS
        )
        return scope.kind != "class" and not is_initializer
