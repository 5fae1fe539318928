"""Find the names in host code that can instantiate device code.

These are the names of kernel templates, and of everything whose declaration mentions such a name
and that instantiates it only when it is used itself: other templates, classes, variables, and
aliases. A library that contains kernels counts by its namespaces.
"""

from __future__ import annotations

from collections.abc import Iterable

from kbuild.cxx.declarations import read_declaration
from kbuild.cxx.scopes import find_scopes
from kbuild.cxx.unit import Unit
from kbuild.stages.sources.declared_names import list_variables
from kbuild.stages.sources.device_words import find_device_words, is_template
from kbuild.stages.sources.libraries import Libraries
from kbuild.stages.sources.namespaces import read_directive
from kbuild.values import dataclass


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


def find_instantiations(unit: Unit, libraries: Iterable[str]) -> Instantiations:
    """Find the names in the project's part of a preprocessed text.

    Args:
        unit: The parts of the text that come from files of the project.
        libraries: The parts that come from other files, one text per file.
    """
    search = _Search(unit, Libraries(libraries))
    search.add_templates()
    while search.new:
        search.add_mentions()
    return Instantiations(
        names=frozenset(search.names),
        device_functions=frozenset(search.device_functions),
        is_clear=not any(name.startswith("operator") for name in search.names),
    )


class _Search:
    """The names that are known so far.

    Attributes:
        names: All names.
        new: Those whose mentions are not added yet.
        device_functions: The names of functions that are declared as device code.
    """

    def __init__(self, unit: Unit, libraries: Libraries) -> None:
        self._unit = unit
        self._libraries = libraries
        self._scopes = find_scopes(unit)
        self.names: set[str] = set()
        self.new: set[str] = set()
        self.device_functions: set[str] = set()
        self.add(libraries.names)
        for directive in libraries.directives:
            self.add(libraries.namespaces.list_visible(directive, unit.vocabulary))

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
                self.add((found.name,) if found.name else list_variables(found))

    def add_mentions(self) -> None:
        """Add what mentions one of the new names."""
        unit = self._unit
        new, self.new = self.new, set()
        for index in unit.find(new):
            head = unit.find_head(index)
            if directive := read_directive(
                unit.words[head : unit.find_declaration_end(index, ";")]
            ):
                self.add(self._libraries.namespaces.list_visible(directive, unit.vocabulary))
                continue
            around = self._scopes.around(unit.starts[index])
            outer = next((s for s in around if s.kind not in ("namespace", "language")), None)
            start = unit.find_index(outer.head) if outer else unit.find_declaration_start(index)
            found = read_declaration(unit, unit.starts[start])
            if found.kind == "variable":
                self.add(list_variables(found))
            elif outer is None or is_template(unit, found, around):
                self.add((found.name,))
