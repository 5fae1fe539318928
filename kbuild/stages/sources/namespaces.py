"""Find out what using-directives make visible."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from kbuild.cxx.outline import opens_scope, outline, read_names
from kbuild.cxx.unit import Unit
from kbuild.stages.sources.declared_names import (
    NO_NAMES,
    OPERATOR,
    can_declare,
    list_classes,
    list_declared,
)
from kbuild.values import dataclass


@dataclass(frozen=True, slots=True)
class _Item:
    """A declaration in a namespace: its first index, and the one after its end or opening brace.

    ``names`` are those of a namespace that it opens.
    """

    unit: Unit
    start: int
    stop: int
    names: tuple[str, ...] = ()

    @property
    def words(self) -> Sequence[str]:
        """The tokens."""
        return self.unit.words[self.start : self.stop]


class Namespaces:
    """The texts of namespaces, by the names of the outermost ones."""

    def __init__(self) -> None:
        self._texts: dict[str, dict[str, None]] = defaultdict(dict)
        self._units: dict[str, Unit] = {}

    def add(self, name: str, text: str) -> None:
        """Add a text that opens and closes a namespace."""
        self._texts[name][text] = None

    def list_visible(self, directive: frozenset[str], vocabulary: Collection[str]) -> set[str]:
        """Return the words of a text that can be names that a using-directive makes visible.

        Operators are among them if nothing else makes them visible.

        Args:
            directive: The words of the directive.
            vocabulary: The words of the text.
        """
        words = {word for word in vocabulary if word not in NO_NAMES}
        names: set[str] = set()
        opened, known = directive, frozenset[str]()
        while opened != known:  # namespaces can contain directives, too
            known = opened
            items = self._select(directive, opened)
            classes = frozenset(
                each for unit in {i.unit: 0 for i in items} for each in list_classes(unit)
            )
            for item in items:
                opened |= read_directive(item.words)
                # Most declarations do not need to be read.
                if can_declare(item.words, words):
                    names.update(list_declared(item.unit, item.start, item.stop, classes))
        return {name for name in names if name in words or name.startswith(OPERATOR)}

    def _select(self, directive: frozenset[str], opened: frozenset[str]) -> list[_Item]:
        """Return the visible declarations, or all if the directive contains other names."""
        outer = opened & self._texts.keys()
        items = [item for unit in self._read(outer) for item in _list_items(unit, opened)]
        if directive <= outer.union(*(item.names for item in items)):
            return items
        return [item for unit in self._read(self._texts) for item in _list_items(unit, None)]

    def _read(self, names: Collection[str]) -> Iterator[Unit]:
        for text in (text for name in sorted(names) for text in self._texts[name]):
            if text not in self._units:
                self._units[text] = Unit(outline(text))
            yield self._units[text]


def read_directive(words: Sequence[str]) -> frozenset[str]:
    """Return the words of the name in a using-directive; none for another declaration."""
    if words[:2] != ["using", "namespace"]:
        return frozenset()
    return frozenset(word for word in words[2:] if word not in ("::", ";"))


def _list_items(unit: Unit, opened: frozenset[str] | None) -> Iterator[_Item]:
    """Yield the declarations in a namespace.

    Args:
        unit: Its text.
        opened: The nested namespaces whose declarations are included; None for all.
    """
    index = unit.find_declaration_end(0) or len(unit.words)
    while index < len(unit.words):
        if unit.words[index] in (";", "}"):
            index += 1
            continue
        stop = unit.find_declaration_end(index) or len(unit.words)
        head = unit.list_between(index, stop - 1)
        names = read_names(head)
        yield _Item(unit, index, stop, names)
        is_scope = unit.words[stop - 1] == "{" and opens_scope([token.text for token in head])
        is_open = is_scope and (opened is None or opened.issuperset(names))
        index = stop if is_open else max(unit.partners.get(stop - 1, index) + 1, stop)
