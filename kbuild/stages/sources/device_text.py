"""Select the parts of a mixed source that can change device code.

A build runs the device compilers again only if this text, a header, or the flags change. The text
lacks comments, the amount of space, and the parts of host functions that cannot change device code:
what instantiates device code is decided by the declarations in the preprocessed text. In doubt, a
part is kept.

Line numbers are not part of the text, except for device code that can contain them: ``assert`` and
``__LINE__``, or all device code with debug or line information.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Final, TypeAlias

from kbuild.cxx.declarations import Declaration, read_declaration
from kbuild.cxx.lexer import Token, split_text
from kbuild.cxx.lines import locate
from kbuild.cxx.model import Span
from kbuild.cxx.scopes import Scope, find_scopes
from kbuild.cxx.unit import Unit
from kbuild.stages.sources.device_words import DEVICE_WORDS, find_device_words, is_template
from kbuild.stages.sources.host_body import reduce_body
from kbuild.stages.sources.included import Preprocessed, divide_text
from kbuild.stages.sources.instantiations import Instantiations, find_instantiations
from kbuild.stages.sources.macros import Macros
from kbuild.values import dataclass

_COUNTER: Final = frozenset(("__COUNTER__",))  # depends on the text before it
_DIRECTIVES: Final = frozenset(("define", "undef", "include", "pragma", "line", "error"))
_LINE: Final = frozenset(("__LINE__", "__builtin_LINE"))
# Their values are lines and columns of calls, which the default argument of any function can take.
_PLACES: Final = frozenset(("source_location", "__builtin_source_location", "__builtin_COLUMN"))
# The first words of pragmas that are hints for the optimizer.
_HINTS: Final = (["omp"], ["unroll"], ["GCC", "ivdep"], ["GCC", "unroll"])
_DIRECTIVE_SPACE: Final = re.compile(
    r'("(?:\\.|[^"\\\n])*")|(?:\\\r?\n|/\*.*?\*/|//[^\n]*|\s)+', re.DOTALL
)


@dataclass(frozen=True, slots=True)
class _Reduced:
    """A host function in a source: its tokens from ``start`` to ``stop``, and its reduced body."""

    start: int
    brace: int
    stop: int
    body: tuple[str, ...]


def select_device_text(source: str, preprocessed: Preprocessed, *, has_lines: bool = False) -> str:
    """Return the text of a source without what cannot change device code.

    Args:
        source: The source.
        preprocessed: The same, preprocessed for the host.
        has_lines: Whether the compilers write debug or line information.
    """
    raw = _Source(source)
    included = divide_text(preprocessed)
    macros = Macros((preprocessed.definitions, *map(preprocessed.read_file, included.files)))
    has_lines_of_others = any(
        kind == "line" or kind.isdigit() for kind, *_ in map(_split, raw.unit.directives)
    )
    if has_lines_of_others or not macros.find_users(_COUNTER).isdisjoint(raw.unit.words):
        return source
    unit = Unit(included.project)
    if not _PLACES.isdisjoint(unit.vocabulary):
        return source
    found = find_instantiations(unit, included.libraries.values())
    if not found.is_clear:
        return source
    words = macros.find_users(found.names | DEVICE_WORDS | _DIRECTIVES)
    reduced = tuple(_reduce_functions(unit, included.source, found, raw, words))
    numbered = None if has_lines else macros.find_users(_LINE)
    return "".join(_write(raw, reduced, numbered))


class _Source:
    """The tokens of a source, and the lines on which they start."""

    def __init__(self, text: str) -> None:
        self.unit = Unit(text, is_source=True)

    @cached_property
    def _breaks(self) -> list[int]:
        lines = self.unit.text.split("\n")
        return [end - 1 for end in accumulate(len(line) + 1 for line in lines)][:-1]

    def find_line(self, position: int) -> int:
        """Return the number of the line of a position."""
        return bisect_right(self._breaks, position - 1) + 1


_Braces: TypeAlias = Mapping[tuple[int, int], list[int]]


def _list_braces(unit: Unit, find_line: Callable[[int], int]) -> _Braces:
    """Return the braces that open and close on the same two lines, in order.

    Args:
        unit: The text.
        find_line: Returns the line of a position; 0 if it is not one of the source.
    """
    found: dict[tuple[int, int], list[int]] = {}
    for index in unit.find(("{",)):
        partner = unit.partners.get(index)
        first = find_line(unit.starts[index]) if partner else 0
        if partner is None or not first:
            continue
        found.setdefault((first, find_line(unit.starts[partner])), []).append(index)
    return found


def _reduce_functions(
    unit: Unit, source: str, found: Instantiations, raw: _Source, words: frozenset[str]
) -> Iterator[_Reduced]:
    """Yield the host functions of the source, in order.

    Args:
        unit: The project's part of the preprocessed text.
        source: The name of the source in it.
        found: The names that can instantiate device code.
        raw: The source.
        words: The words and macros that can become one of these names, or mark device code.
    """
    spelled = _list_braces(raw.unit, raw.find_line)

    def find_line(position: int) -> int:
        place = locate(unit.text, position)
        return place.line if place.file == source else 0

    same = {
        brace: spelled[lines][place]
        for lines, braces in _list_braces(unit, find_line).items()
        if len(spelled.get(lines, ())) == len(braces)
        for place, brace in enumerate(braces)
    }
    for function, body in list_host_functions(unit, found):
        brace = same.get(unit.find_index(body[0]))
        if brace is None or not words.isdisjoint(_list_conditional(raw.unit, brace)):
            continue
        yield _Reduced(
            start=raw.unit.find_head(brace),
            brace=brace,
            stop=raw.unit.partners[brace] + 1,
            body=tuple(reduce_body(unit, function, found.names)),
        )


def list_host_functions(unit: Unit, found: Instantiations) -> Iterator[tuple[Declaration, Span]]:
    """Yield the definitions of plain host functions in the project's part of a text."""
    device = [unit.starts[index] for index, _ in find_device_words(unit)]
    scopes = find_scopes(unit)
    position = 0
    for index in unit.find(("{",)):
        if unit.starts[index] < position:
            continue
        around = scopes.around(unit.starts[index] + 1)
        if not around or around[-1].kind != "block":
            continue
        function = read_declaration(unit, around[-1].head)
        body = function.body
        position = unit.starts[unit.partners.get(index, index)] if body is None else body[1]
        if (
            body is not None
            and unit.find_index(body[0]) in unit.partners
            and bisect_left(device, function.start) == bisect_left(device, body[1])
            and not is_template(unit, function, around[:-1])
            and function.name not in found.device_functions
            and not _is_member(function, around, found.names)
        ):
            yield function, body


def _is_member(function: Declaration, around: list[Scope], names: frozenset[str]) -> bool:
    """Return whether a function is a member of a class that can instantiate device code.

    Members of such a class can do so without naming it.
    """
    words = [token.text for token in function.head]
    owners = {word for word, following in pairwise(words) if following == "::"}
    owners |= {scope.name for scope in around if scope.kind == "class"}
    return not names.isdisjoint(owners)


def _list_conditional(raw: Unit, brace: int) -> Iterator[str]:
    """Yield the words of a body that the preprocessor can leave out, and other directives."""
    close = raw.partners[brace]
    depth, position = 0, raw.starts[brace]
    for directive in raw.directives:
        if not raw.starts[brace] < directive.start < raw.starts[close]:
            continue
        if depth:
            first, last = map(raw.find_index, (position, directive.start))
            yield from raw.words[first:last]
        position = directive.start
        kind, *rest = _split(directive)
        depth += kind.startswith("if") - (kind == "endif")
        is_hint = kind == "pragma" and (rest[:1] in _HINTS or rest[:2] in _HINTS)
        if not kind.startswith(("if", "el", "endif")) and not is_hint:
            yield kind


def _split(directive: Token) -> list[str]:
    """Return the words of a directive; the first one is empty if there are none."""
    return split_text(directive.text[1:], is_source=True).words or [""]


def _write(
    raw: _Source, reduced: tuple[_Reduced, ...], numbered: frozenset[str] | None
) -> Iterator[str]:
    """Write a source; words in ``numbered`` get the number of their line, or all if it is None."""
    unit = raw.unit
    directives = iter((*unit.directives, Token("", len(unit.text))))
    directive = next(directives)
    index = 0
    for function in (*reduced, None):
        stop = len(unit.words) if function is None else function.brace
        while index < stop:
            while directive.start < unit.starts[index]:
                yield _write_directive(directive)
                directive = next(directives)
            yield from _write_token(raw, index, numbered, function)
            index += 1
        if function is not None:
            yield " ".join(("{", *function.body, "}\n"))
            index = function.stop
            while directive.start < unit.starts[index - 1]:  # hints for the optimizer
                directive = next(directives)
    while directive.text:
        yield _write_directive(directive)
        directive = next(directives)


def _write_directive(directive: Token) -> str:
    return f"\n{_DIRECTIVE_SPACE.sub(lambda m: m[1] or ' ', directive.text).rstrip()}\n"


def _write_token(
    raw: _Source, index: int, numbered: frozenset[str] | None, function: _Reduced | None
) -> Iterator[str]:
    unit = raw.unit
    word, start = unit.words[index], unit.starts[index]
    is_host = function is not None and index >= function.start
    if numbered is None and not is_host:
        line = raw.find_line(start)
        if not index or raw.find_line(unit.starts[index - 1]) != line:
            yield f"\n{line}:"
    if index and unit.get_end(index - 1) != start:
        yield " "
    yield word
    if numbered and word in numbered and not is_host:
        yield f"@{raw.find_line(start)}"
