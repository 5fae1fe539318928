"""The text that tells what is wrong with a source: as the user wrote it, as far as C++ allows.

The texts of the passes contain much that nobody wrote, and kbuild makes them for valid sources. If
a compiler rejects one, or kbuild does not understand the source, then the compiler reads this text,
and the user sees what it says. Launches are calls here, and every token is in its column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from kbuild import files
from kbuild.backends import qualifiers as q
from kbuild.backends.cpu.mixed.inline_ptx.statements import replace_assembly
from kbuild.backends.cpu.mixed.omitted_words import insert_omitted_words
from kbuild.backends.cpu.mixed.qualifiers import (
    define_qualifiers,
    move_alignments,
)
from kbuild.cxx.columns import restore_columns, write_start
from kbuild.cxx.declarations import Declaration, find_qualified
from kbuild.cxx.declarators import TYPE_WORDS
from kbuild.cxx.heads import find_name
from kbuild.cxx.launches import find_brackets, read_launch
from kbuild.cxx.lines import locate
from kbuild.cxx.model import Edit, Launch
from kbuild.cxx.rewriting.rewrite import apply_edits
from kbuild.cxx.tokens import join, read_tokens
from kbuild.cxx.unit import Unit
from kbuild.errors import InputError, SourceError

_DEFINITIONS: Final = "diagnosis.h"
_ATTRIBUTES: Final = ("__kbuild_launch_bounds__", "__kbuild_cluster_dims__")
# What checks the launch parameters; nvcc and clang use the same name.
_CONFIGURE: Final = "::__cudaPushCallConfiguration"
_SPECIFIERS: Final = frozenset(("static", "inline", "extern", "constexpr", "friend"))
_RESULT: Final = "a kernel returns nothing; write void, and pass a pointer for results"
_ESCAPE: Final = re.compile(r"\\(.)")  # in a line marker


def edit_plainly(code: Unit) -> list[Edit]:
    """Return the edits that make C++ of a text: launches are calls, without their parameters."""
    edits = [_define_words(), *_drop_attributes(code)]
    for launch in _list_launches(code):
        start, end = launch.callee[1], launch.arguments[0] - 1
        edits.append(Edit(start=start, end=end, text=_blank(code.text[start:end])))
    if code.is_balanced:
        edits += move_alignments(code)
        edits += insert_omitted_words(code)
        edits += replace_assembly(code)
    return edits


def write_diagnosis_text(code: Unit) -> str:
    """Return the text that a compiler diagnoses, for the preprocessed text of a pass."""
    edits = edit_plainly(code)
    for launch in _list_launches(code):
        edits += _check_configuration(code, launch)
    kernels = find_qualified(code, frozenset((q.GLOBAL,))) if code.is_balanced else ()
    for kernel in kernels:
        edits += _check_result(code, kernel)
    moving = [edit for edit in edits if len(edit.text) != edit.end - edit.start]
    edits += restore_columns(code, moving, read_lines)
    return apply_edits(code.text, edits, (0, len(code.text)))


def _define_words() -> Edit:
    """Return the definitions of the qualifiers, as macros of a system header.

    Compilers then report errors in their expansions where the user wrote them.
    """
    definitions = define_qualifiers(_DEFINITIONS)
    return replace(definitions, text=f'# 1 "{_DEFINITIONS}" 3\n{definitions.text}')


def _drop_attributes(code: Unit) -> Iterator[Edit]:
    """Yield edits that remove launch bounds, which are macros in other texts."""
    for index in code.find(_ATTRIBUTES):
        close = code.partners.get(index + 1)
        if close is not None:
            start, end = code.starts[index], code.get_end(close)
            yield Edit(start=start, end=end, text=_blank(code.text[start:end]))


def _list_launches(code: Unit) -> Iterator[Launch]:
    """Yield the launches that can be read. A compiler sees the others as they are."""
    for brackets in find_brackets(code):
        with suppress(SourceError):
            yield read_launch(code, *brackets)


def _check_configuration(code: Unit, launch: Launch) -> Iterator[Edit]:
    """Yield the edits that check the parameters of a launch before it."""
    configuration = code.text[slice(*launch.configuration)]
    bracket = _write_start(code.text, code.starts[code.find_index(launch.callee[1])])
    before = _write_start(code.text, launch.configuration[0])
    after = _write_start(code.text, launch.start)
    text = f"({_CONFIGURE}{bracket}({before}{configuration}), {after}"
    yield Edit(start=launch.start, end=launch.start, text=text)
    yield Edit(start=launch.end, end=launch.end, text=")")


def _check_result(code: Unit, kernel: Declaration) -> Iterator[Edit]:
    """Yield an edit that checks before a kernel that it returns nothing.

    A result that depends on template parameters remains unchecked.
    """
    head = list(kernel.head)
    name = find_name(head)
    if kernel.kind != "function" or name is None or kernel.is_instantiation:
        return
    while name > 1 and head[name - 1].text == "::":
        name -= 2
    result = [token for token in head[:name] if not _is_specifier(token.text)]
    if not result or result[0].text in ("void", "auto"):
        return
    parameters = {token.text for token in read_tokens(kernel.template)} - TYPE_WORDS
    if any(token.text in parameters for token in result):
        return
    first, after = (_write_start(code.text, place) for place in (result[0].start, kernel.start))
    check = f'static_assert{first}(__is_same({join(result)}, void), "{_RESULT}");{after}'
    yield Edit(start=kernel.start, end=kernel.start, text=check)


def _is_specifier(word: str) -> bool:
    return word in _SPECIFIERS or word.startswith(("__kbuild_", "__attribute", '"'))


def _blank(part: str) -> str:
    """Return a part of a text as space with the same line breaks and line markers."""
    return "\n".join(line if line.startswith("#") else " " * len(line) for line in part.split("\n"))


def _write_start(text: str, position: int) -> str:
    return write_start(locate(text, position), position - text.rfind("\n", 0, position) - 1)


@cache
def read_lines(name: str) -> list[str]:
    """Return the lines of a file that a line marker names; none if it is not a file."""
    try:
        content = files.read_file(Path(_ESCAPE.sub(r"\1", name)))
    except InputError:
        return []
    return content.decode(errors="surrogateescape").split("\n")
