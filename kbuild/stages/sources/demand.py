"""Find the names through which host code can make the compiler instantiate a kernel.

A compiler instantiates a template kernel because something names the instance. Host code does so
directly, or through other templates, members of class templates, and objects of such classes. These
names are found in the source and in the project's own headers. There can be too many of them, but
not too few.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from kbuild.cxx.source.declarations import (
    CLASS_KEYS,
    Item,
    divide_declarations,
    find_class_name,
    is_name,
)
from kbuild.cxx.source.names import (
    defines_class,
    find_function_name,
    list_declared,
    list_local,
    list_names,
    skip_template_headers,
)
from kbuild.cxx.source.tokens import SourceTokens, UnclearTextError, split_source
from kbuild.stages.sources.known_names import is_known_header, is_known_name
from kbuild.stages.sources.macros import Macros, add_macros, list_mentions, read_macros
from kbuild.values import dataclass

# The words that mark device code.
_DEVICE_WORDS: Final = (
    *(b"__device__", b"__global__", b"__constant__", b"__managed__", b"__shared__"),
    *(b"__launch_bounds__", b"__grid_constant__"),
)
_LINE_WORD: Final = re.compile(rb"__LINE__|source_location|(?!static_)\w*assert\w*", re.IGNORECASE)
_INCLUDE: Final = re.compile(rb'#\s*include(?:_next)?\s*(?:<([^>]*)>|"([^"]*)"|.*)')


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text with its tokens and declarations."""

    tokens: SourceTokens
    items: tuple[Item, ...]


@dataclass(frozen=True, eq=False)
class Demand:
    """What a source and its own headers say about names.

    Attributes:
        demanding: The names that can demand an instance.
        declared: All other names that are declared.
        is_open: Whether the source includes headers that declare other names. Then a name that
            is not known can demand an instance.
        device: The words that mark device code, with the macros that contain them.
        device_functions: The functions that are declared as device code somewhere.
        lines: The words that can depend on the number of the line.
        macros: The macros.
    """

    demanding: frozenset[bytes]
    declared: frozenset[bytes]
    is_open: bool
    device: frozenset[bytes]
    device_functions: frozenset[bytes]
    lines: frozenset[bytes]
    macros: Macros

    @property
    def is_empty(self) -> bool:
        """Whether no host code can demand an instance."""
        return not self.is_open and not self.demanding

    def can_demand(self, name: bytes) -> bool:
        """Return whether a name in host code can demand an instance."""
        is_unknown = self.is_open and name not in self.declared and not is_known_name(name)
        return is_unknown or name in self.demanding


@dataclass(frozen=True, slots=True)
class _Declaration:
    """A declaration at namespace or class scope.

    Attributes:
        names: The names that it declares.
        mentions: The names that it mentions.
        is_demanding: Whether it is a template with device code that host code can demand.
        is_device: Whether it declares device code.
        operator: The tokens of a free operator that is a template.
        is_open: Whether the names can come from headers that are not known.
    """

    names: frozenset[bytes]
    mentions: frozenset[bytes]
    is_demanding: bool = False
    is_device: bool = False
    operator: tuple[bytes, ...] = ()
    is_open: bool = False


def read_source(text: bytes) -> SourceText:
    """Divide a text into declarations; raise UnclearTextError if brackets do not match."""
    tokens = split_source(text)
    return SourceText(tokens, divide_declarations(tokens))


def find_demand(source: SourceText, headers: Mapping[str, SourceText]) -> Demand:
    """Find the names.

    Args:
        source: The source.
        headers: The project's own headers that it includes, by path.

    Raises:
        UnclearTextError: Every expression can demand an instance, because an operator is a
            template, or macros change the structure.
    """
    texts = {"": source, **headers}
    directives = {path: tuple(_list_directives(text)) for path, text in texts.items()}
    macros = read_macros(line for lines in directives.values() for line in lines)
    opened = _find_open(directives)
    device = add_macros(_DEVICE_WORDS, macros)
    kernel = add_macros((b"__global__",), macros)
    declarations = [
        declaration
        for path, text in texts.items()
        for declaration in _read_declarations(text, device, kernel, is_open=path in opened)
    ]
    declared = frozenset(macros).union(*(d.names for d in declarations))
    demanding = _find_demanding(declarations, macros, declared)
    _check_operators(declarations, demanding)
    words = {word for text in texts.values() for word in text.tokens.words}
    words.update(word for name in macros for word in list_mentions(macros, name))
    return Demand(
        demanding=demanding,
        declared=declared - demanding,
        is_open="" in opened,
        device=device,
        device_functions=frozenset().union(*(d.names for d in declarations if d.is_device)),
        lines=add_macros((word for word in words if _LINE_WORD.fullmatch(word)), macros),
        macros=macros,
    )


def _list_directives(text: SourceText) -> Iterator[bytes]:
    return (text.tokens.words[item.start] for item in text.items if item.kind == "directive")


def _find_open(directives: Mapping[str, tuple[bytes, ...]]) -> frozenset[str]:
    """Return the texts that include unknown headers, directly or through other texts."""
    opened: set[str] = set()
    included: dict[str, set[str]] = {}
    for path, lines in directives.items():
        for match in filter(None, map(_INCLUDE.fullmatch, lines)):
            name = (match[1] or match[2] or b"").decode(errors="replace")
            tail = "/" + name.rpartition("../")[2].removeprefix("./")
            found = {other for other in directives if other and f"/{other}".endswith(tail)}
            included.setdefault(path, set()).update(found)
            if not found and not is_known_header(name):
                opened.add(path)
    while True:
        more = {path for path, others in included.items() if not opened.isdisjoint(others)}
        if more <= opened:
            return frozenset(opened)
        opened |= more


def _read_declarations(
    text: SourceText, device: frozenset[bytes], kernel: frozenset[bytes], *, is_open: bool
) -> Iterator[_Declaration]:
    words = text.tokens.words
    for item in text.items:
        if item.kind == "open" and words[item.start] in CLASS_KEYS:
            yield replace(_read_class(text.tokens, item), is_open=is_open)
        elif item.kind in ("function", "other"):
            yield replace(_read_declaration(words, item, device, kernel), is_open=is_open)


def _read_class(tokens: SourceTokens, item: Item) -> _Declaration:
    """Read a class that is not a template. Its name stands for everything in it."""
    brace = item.stop - 1
    name = find_class_name(tokens.words[item.start : brace])
    content = tokens.words[item.start : tokens.partners[brace]]
    mentions = frozenset(list_names(content)) - frozenset(list_local(content))
    return _Declaration(frozenset((name,)) - {b""}, mentions)


def _read_declaration(
    words: list[bytes], item: Item, device: frozenset[bytes], kernel: frozenset[bytes]
) -> _Declaration:
    head = words[item.start : item.body or item.stop]
    start = skip_template_headers(head)
    rest = head[start:]
    is_template = start > 0 or (item.kind == "function" and b"auto" in rest)
    function = find_function_name(rest)
    if start and defines_class(rest):
        names = frozenset((find_class_name(rest),))
    elif item.kind == "function":
        names = frozenset((function,))
    else:
        names = frozenset(list_declared(rest))
    # The body of another function demands instances itself; its callers do not.
    content = words[item.start : item.stop] if is_template else head
    is_device = not device.isdisjoint(rest)
    is_variable = is_device and not function and not defines_class(rest)
    return _Declaration(
        names=names - {b""},
        mentions=frozenset(list_names(content)) - names - frozenset(list_local(content)),
        is_demanding=is_template and (is_variable or _has_kernel(content, device, kernel)),
        is_device=is_device,
        operator=tuple(content) if start and _is_free_operator(rest, item) else (),
    )


def _has_kernel(words: Sequence[bytes], device: frozenset[bytes], kernel: frozenset[bytes]) -> bool:
    """Return whether a template is or contains a kernel, or contains a device lambda."""
    if not kernel.isdisjoint(words):
        return True
    return any(
        word == b"]" and (following == b"__host__" or following in device)
        for word, following in pairwise(words)
    )


def _is_free_operator(words: Sequence[bytes], item: Item) -> bool:
    if b"operator" not in words or item.in_class or defines_class(words):
        return False
    place = list(words).index(b"operator")
    return words[place - 1] != b"::"


def _find_demanding(
    declarations: Sequence[_Declaration], macros: Macros, declared: frozenset[bytes]
) -> frozenset[bytes]:
    """Return the names of templates, and all names whose declarations mention one of them."""
    found: set[bytes] = set()
    waiting: list[tuple[frozenset[bytes], frozenset[bytes]]] = []
    is_open = any(declaration.is_open for declaration in declarations)
    for declaration in declarations:
        unknown = declaration.mentions - declared if declaration.is_open else frozenset()
        if declaration.is_demanding or not all(map(is_known_name, unknown)):
            found |= declaration.names
        else:
            waiting.append((declaration.names, declaration.mentions))
    for name in macros:
        mentions = list_mentions(macros, name)
        words = filter(is_name, mentions - declared) if is_open else ()
        if b"##" in mentions or not all(map(is_known_name, words)):  # ## can make any name
            found.add(name)
        waiting.append((frozenset((name,)), mentions))
    while True:
        rest = [pair for pair in waiting if found.isdisjoint(pair[1])]
        if len(rest) == len(waiting):
            return frozenset(found)
        found.update(*(names for names, mentions in waiting if not found.isdisjoint(mentions)))
        waiting = rest


def _check_operators(declarations: Iterable[_Declaration], demanding: frozenset[bytes]) -> None:
    """Check that no operator demands an instance, because its uses do not name it."""
    for declaration in declarations:
        if any(name in demanding for name in declaration.operator):
            raise UnclearTextError("an operator is a template")
