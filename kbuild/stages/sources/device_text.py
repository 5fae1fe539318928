"""Select the parts of a mixed source that can change device code.

A build runs the device compilers again only if this text, a header, or the flags change. The text
is that of the source, and not preprocessed. It lacks comments, the amount of space, and the parts
of host functions that cannot change device code. In doubt, a part is kept.

Line numbers are not part of the text, except for device code that can contain them: ``assert`` and
``__LINE__``, or all device code with debug or line information.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Final

from kbuild.cxx.source.declarations import Item
from kbuild.cxx.source.heads import is_plain_function, is_specifier
from kbuild.cxx.source.names import find_function_name, skip_template_headers
from kbuild.cxx.source.tokens import SourceTokens, UnclearTextError
from kbuild.stages.sources.demand import Demand, SourceText, find_demand, read_source
from kbuild.stages.sources.host_body import is_opaque, reduce_body

# Words whose value depends on dropped text before them.
_COUNTER: Final = b"__COUNTER__"
_CODE: Final = re.compile(rb"\b(?:template|class|auto|__global__|__device__)\b")
_DIRECTIVE: Final = re.compile(rb"^[ \t]*#(?:[^\\\n]|\\\r?\n|\\)*\n", re.MULTILINE)
_COMPILED: Final = frozenset((b"constexpr", b"consteval", b"auto", b"decltype"))


def select_device_text(
    source: bytes, headers: Mapping[str, bytes], *, has_lines: bool = False
) -> bytes:
    """Return the text of a source without what cannot change device code.

    Args:
        source: The source.
        headers: The project's own headers that it includes, by path. Definitions on the command
            line belong here as well, as a text of ``#define`` directives.
        has_lines: Whether the compilers write debug or line information.
    """
    if _COUNTER in source or any(_COUNTER in text for text in headers.values()):
        return source
    try:
        text = read_source(source)
        demand = find_demand(text, {path: _read_header(h) for path, h in headers.items()})
    except UnclearTextError:
        return source
    return b"".join(_write_items(text, demand, has_lines=has_lines))


def _read_header(text: bytes) -> SourceText:
    """Read a header; raise UnclearTextError if it is not clear and not plain C.

    Brackets that depend on conditions do not matter in a header of plain C. Its macros do.
    """
    try:
        return read_source(text)
    except UnclearTextError:
        if _CODE.search(text) is not None:
            raise
        return read_source(b"".join(_DIRECTIVE.findall(text)))


def _write_items(text: SourceText, demand: Demand, *, has_lines: bool) -> Iterator[bytes]:
    tokens = text.tokens
    for item in text.items:
        reduced = _reduce(tokens, item, demand)
        if reduced is not None:
            yield from _write(tokens, item.start, item.body, frozenset())
            yield b" ".join((b"{", *reduced, b"}"))
        elif _can_contain_lines(tokens, item, demand):
            numbered = None if has_lines else demand.lines
            yield from _write(tokens, item.start, item.stop, numbered)
        else:
            yield from _write(tokens, item.start, item.stop, frozenset())
        yield b"\n"


def _write(
    tokens: SourceTokens, start: int, stop: int, numbered: frozenset[bytes] | None
) -> Iterator[bytes]:
    """Write tokens. Those in ``numbered`` get the number of their line; None means all tokens."""
    line = 0
    for index in range(start, stop):
        word = tokens.words[index]
        if word[:1] == b"#":
            word = b"\n%b\n" % word
        elif numbered is None and (found := tokens.find_line(index)) != line:
            line = found
            yield b"\n%d:" % line
        elif tokens.spaced[index]:
            yield b" "
        yield word
        if numbered and word in numbered:
            yield b"@%d" % tokens.find_line(index)


def _reduce(tokens: SourceTokens, item: Item, demand: Demand) -> list[bytes] | None:
    """Return what is left of the body of a function; None if all of it must be kept."""
    if item.kind != "function" or not item.is_whole:
        return None
    head = tokens.words[item.start : item.body]
    body = tokens.words[item.body : item.stop]
    if not _is_host_function(head, item, demand) or is_opaque(body, demand):
        return None
    reduced = reduce_body(tokens, head, item.body, demand)
    # In a template argument, for example.
    is_numbered = any(
        word == b"__LINE__" or (word in demand.lines and word in demand.demanding)
        for word in reduced
    )
    return None if is_numbered else reduced


def _is_host_function(head: list[bytes], item: Item, demand: Demand) -> bool:
    """Return whether a head can only be that of a host function that is not a template."""
    class_name = item.scopes[-1] if item.in_class else None
    if not demand.device.isdisjoint(head) or b"auto" in head:
        return False
    before = head[: head.index(b"(")]
    expanded = [expansion for word in before for expansion in _expand(word, demand)]
    if not is_plain_function([*expanded, *head[len(before) :]], class_name):
        return False
    if find_function_name(head) in demand.device_functions:
        return False
    # Members of such a class can demand an instance without naming it.
    classes = [w for w, following in pairwise(before) if following == b"::"]
    classes += [class_name] if class_name else []
    return not any(name in demand.demanding for name in classes)


def _expand(word: bytes, demand: Demand) -> tuple[bytes, ...]:
    """Expand a macro in front of a function's parameters; an unclear one becomes a brace."""
    if word not in demand.macros:
        return (word,)
    definitions = demand.macros[word]
    if all(is_specifier(part) for macro in definitions for part in macro.words):
        return definitions[0].words
    return (b"{",)


def _can_contain_lines(tokens: SourceTokens, item: Item, demand: Demand) -> bool:
    """Return whether an item can be device code, which can contain the numbers of its lines."""
    if item.kind == "directive":
        return False
    words = tokens.words[item.start : item.stop]
    if not item.is_whole or (demand.is_open and item.kind != "function"):
        return True
    if not demand.device.isdisjoint(words) or not _COMPILED.isdisjoint(words):
        return True
    if item.kind != "function":
        return False
    head = tokens.words[item.start : item.body]
    class_name = item.scopes[-1] if item.in_class else None
    return not is_plain_function(head[skip_template_headers(head) :], class_name)
