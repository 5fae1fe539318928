"""Reduce a text that a device compiler reads to what can change device code.

This does for a preprocessed text what `device_text` does for a source: two texts with the same
reduction have the same device code. The bodies of host functions are reduced, and space does not
count. Parts that come from libraries are represented by their digests. In doubt, a text is kept.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

from kbuild.cxx.lexer import Token
from kbuild.cxx.lines import locate
from kbuild.cxx.unit import Unit
from kbuild.files import sha256
from kbuild.stages.sources.device_text import list_host_functions
from kbuild.stages.sources.host_body import reduce_body
from kbuild.stages.sources.included import Preprocessed, join_libraries, list_parts
from kbuild.stages.sources.instantiations import find_instantiations

_LIBRARY: Final = "#library "


def reduce_text(preprocessed: Preprocessed, *, has_lines: bool) -> str:
    """Return what device code depends on in a text.

    Args:
        preprocessed: The text that the device compiler reads.
        has_lines: Whether it also depends on the files and lines of its tokens.
    """
    parts = list(list_parts(preprocessed.text, preprocessed.is_project))
    unit = Unit("".join(p.marker + p.text if p.is_project else _represent(p.text) for p in parts))
    found = find_instantiations(unit, join_libraries(parts).values())
    if not found.is_clear or not unit.is_balanced:
        return preprocessed.text
    bodies = {
        unit.find_index(body[0]): reduce_body(unit, function, found.names)
        for function, body in list_host_functions(unit, found)
    }
    return "".join(_write(unit, bodies, has_lines=has_lines))


def _represent(text: str) -> str:
    content = text.strip()
    return f"\n{_LIBRARY}{sha256(content.encode(errors='surrogateescape'))}\n" if content else ""


def _write(unit: Unit, bodies: dict[int, list[str]], *, has_lines: bool) -> Iterator[str]:
    index = 0
    for brace in sorted(bodies):
        head = unit.find_head(brace)
        yield from _write_tokens(unit, index, head, has_lines=has_lines)
        yield from _write_tokens(unit, max(index, head), brace, has_lines=False)
        yield " ".join((" {", *bodies[brace], "}"))
        index = unit.partners[brace] + 1
        start, stop = unit.starts[brace], unit.get_end(index - 1)
        yield from map(_write_directive, _list_directives(unit, start, stop))
    yield from _write_tokens(unit, index, len(unit.words), has_lines=has_lines)


def _write_tokens(unit: Unit, first: int, last: int, *, has_lines: bool) -> Iterator[str]:
    """Write tokens, and the directives from the end of the one before them to the last one."""
    start = unit.get_end(first - 1) if first else 0
    stop = unit.get_end(last - 1) if 0 < last < len(unit.words) else len(unit.text) * bool(last)
    directives = [*_list_directives(unit, start, stop), Token("", len(unit.text))]
    place = None
    for index in range(first, last):
        position = unit.starts[index]
        while directives[0].start < position:
            yield _write_directive(directives.pop(0))
        if has_lines and place != (place := locate(unit.text, position)):
            yield f"\n{place}:"
        if index and unit.get_end(index - 1) != position:
            yield " "
        yield unit.words[index]
    yield from map(_write_directive, directives[:-1])


def _list_directives(unit: Unit, start: int, stop: int) -> tuple[Token, ...]:
    """Return the directives in a part of the text, other than line markers."""
    starts = [directive.start for directive in unit.directives]
    found = unit.directives[bisect_left(starts, start) : bisect_left(starts, stop)]
    return tuple(d for d in found if not d.text[1:].removeprefix("line").strip()[:1].isdigit())


def _write_directive(directive: Token) -> str:
    return f"\n{directive.text.strip()}\n"
