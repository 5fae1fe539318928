"""Read facts with libclang, in CUDA's mode, from the text that kbuild's reader reads.

kbuild's words become attributes that libclang shows. The text contains all headers, so that
libclang needs neither CUDA's nor its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from clang import cindex
from clang.cindex import Cursor, CursorKind

from kbuild import resources
from kbuild.backends.qualifiers import GLOBAL, QUALIFIERS
from kbuild.cxx.tokens import ATTRIBUTES, OWN_WORD
from support.cxx_facts.facts import Declared, Fact, Launched, is_qualified

# clang calls one of these with a launch's configuration, depending on the version of CUDA. An
# ellipsis takes whatever the source passes.
_CONFIGURE: Final = ("cudaConfigureCall", "__cudaPushCallConfiguration")
# Kernels call functions of kbuild's headers, which are host functions. The pragma makes everything
# callable. clang reports that it does not suit kernels, but reads them all the same.
_PRELUDE: Final = (
    "".join(f'extern "C" int {name}(...);\n' for name in _CONFIGURE)
    + "#pragma clang force_cuda_host_device begin\n"
)
_ANNOTATIONS: Final = (
    resources.native_directory() / "device" / "cpu" / "kbuild_cpu" / "annotations.h"
)
_UNSUITABLE: Final = "attributes are not compatible"
_OPTIONS: Final = (
    *("-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib", "-nostdinc"),
    *("-ferror-limit=0", "-w"),
    *(f'-D{word}=__attribute__((annotate("{word}")))' for word in sorted(QUALIFIERS - {GLOBAL})),
    f'-D{GLOBAL}=__attribute__((annotate("{GLOBAL}"))) __attribute__((global))',
    *(f"-D{word}(...)=" for word in sorted(ATTRIBUTES) if word.startswith(OWN_WORD)),
    # Both passes remove the annotations of the device headers.
    *(f"-D{word}=" for word in re.findall(r"\b__kbuild_\w+__", _ANNOTATIONS.read_text())),
)
_FILE: Final = "text.cu"
_WORD: Final = re.compile("|".join(sorted(QUALIFIERS)))
_FUNCTIONS: Final = frozenset(
    {
        CursorKind.FUNCTION_DECL,
        CursorKind.FUNCTION_TEMPLATE,
        CursorKind.CXX_METHOD,
        CursorKind.CONSTRUCTOR,
        CursorKind.DESTRUCTOR,
        CursorKind.CONVERSION_FUNCTION,
    }
)
_VARIABLES: Final = frozenset({CursorKind.VAR_DECL, CursorKind.FIELD_DECL})
_CLASSES: Final = frozenset(
    {
        CursorKind.STRUCT_DECL,
        CursorKind.CLASS_DECL,
        CursorKind.UNION_DECL,
        CursorKind.CLASS_TEMPLATE,
        CursorKind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION,
    }
)
_BODIES: Final = frozenset({CursorKind.COMPOUND_STMT, CursorKind.CXX_TRY_STMT})


@dataclass(frozen=True, slots=True)
class Reading:
    """What libclang found outside of system headers.

    Attributes:
        facts: The facts.
        errors: The errors that it reported there, with the number of the line in the text.
    """

    facts: frozenset[Fact]
    errors: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class _Around:
    namespaces: tuple[str, ...] = ()
    scope: Literal["class", "block", ""] = ""


def read_facts(text: str, standard: int) -> Reading:
    """Return what libclang finds in a preprocessed text of ASCII characters.

    Args:
        text: The text.
        standard: The C++ standard, such as 17.
    """
    unit = cindex.Index.create().parse(
        _FILE,
        args=[*_OPTIONS, f"-std=gnu++{standard}"],
        unsaved_files=[(_FILE, _PRELUDE + text)],
    )
    errors = tuple(
        (text.count("\n", 0, _find(error.location)) + 1, error.spelling)
        for error in unit.diagnostics
        if error.severity >= cindex.Diagnostic.Error
        and not _is_system(error.location)
        and not error.spelling.endswith(_UNSUITABLE)
    )
    return Reading(frozenset(_Reader(text).read(unit.cursor)), errors)


def _find(location: cindex.SourceLocation) -> int:
    return int(location.offset) - len(_PRELUDE)


def _count_written(cursors: Iterable[Cursor]) -> int:
    """Return how many of the expressions are in the text. Default arguments have no place in it."""
    return sum(_find(cursor.extent.start) >= 0 for cursor in cursors)


def _is_system(location: cindex.SourceLocation) -> bool:
    return bool(cindex.conf.lib.clang_Location_isInSystemHeader(location))


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text

    def read(self, cursor: Cursor) -> Iterator[Fact]:
        for child in cursor.get_children():
            # Most of a text is from system headers. To visit it would take ten times as long.
            if not _is_system(child.location):
                yield from self._read(child, _Around())

    def _read(self, cursor: Cursor, around: _Around) -> Iterator[Fact]:
        kind = cursor.kind
        children = list(cursor.get_children())
        if kind == CursorKind.CALL_EXPR:
            yield from self._read_launch(cursor, children)
        elif kind == CursorKind.NAMESPACE:
            name = "" if cursor.is_anonymous() else cursor.spelling
            around = _Around((*around.namespaces, name))
        elif kind in _FUNCTIONS or kind in _VARIABLES:
            yield from self._read_declaration(cursor, children, around)
            around = replace(around, scope="block") if kind in _FUNCTIONS else around
        elif kind == CursorKind.UNEXPOSED_DECL:
            yield from self._read_variable_template(cursor, around)
        elif kind in _CLASSES:
            around = replace(around, scope="class")
        elif kind == CursorKind.LAMBDA_EXPR:
            yield from self._read_lambda(cursor, children)
            around = replace(around, scope="block")
        for child in children:
            yield from self._read(child, around)

    def _read_launch(self, cursor: Cursor, children: list[Cursor]) -> Iterator[Launched]:
        for child in children:
            if child.kind == CursorKind.CALL_EXPR and child.spelling in _CONFIGURE:
                yield Launched(
                    position=_find(child.extent.start),
                    start=_find(cursor.extent.start),
                    end=_find(cursor.extent.end),
                    configuration=_count_written(child.get_children()) - 1,
                    arguments=_count_written(children) - 2,
                )

    def _read_declaration(
        self, cursor: Cursor, children: list[Cursor], around: _Around
    ) -> Iterator[Declared]:
        words = {
            child.spelling
            for child in children
            if child.kind == CursorKind.ANNOTATE_ATTR
            and child.spelling in QUALIFIERS
            and self._belongs(child, cursor)
        }
        if not words:
            return
        is_function = cursor.kind in _FUNCTIONS
        position = _find(cursor.location)
        yield Declared(
            position=position,
            kind="function" if is_function else "variable",
            words=tuple(sorted(words)),
            namespaces=around.namespaces,
            scope=around.scope,
            is_template=cursor.kind == CursorKind.FUNCTION_TEMPLATE
            and not is_qualified(self._text, position),
            parameters=len(cursor.type.get_canonical().argument_types()) if is_function else 0,
            is_defined=is_function and any(child.kind in _BODIES for child in children),
        )

    def _belongs(self, attribute: Cursor, cursor: Cursor) -> bool:
        """Return whether the declaration has the attribute itself, and not one before it."""
        start, end = _find(attribute.location), _find(cursor.extent.start)
        # A function whose parameters are the only sign of a template has no extent.
        end = end if end >= 0 else _find(cursor.location)
        return not set(";{}") & set(self._text[start:end])

    def _read_variable_template(self, cursor: Cursor, around: _Around) -> Iterator[Declared]:
        """Read what libclang shows only as a name."""
        start, position = _find(cursor.extent.start), _find(cursor.location)
        words = set(_WORD.findall(self._text, max(start, 0), position))
        if words and self._text.startswith("template", start):
            yield Declared(
                position=position,
                kind="variable",
                words=tuple(sorted(words)),
                namespaces=around.namespaces,
                scope=around.scope,
                is_template=True,
            )

    def _read_lambda(self, cursor: Cursor, children: list[Cursor]) -> Iterator[Declared]:
        bodies = [child for child in children if child.kind == CursorKind.COMPOUND_STMT]
        if not bodies:
            return
        start, end = _find(cursor.extent.start), _find(bodies[-1].extent.start)
        words = list(_WORD.finditer(self._text, start, end))
        if words:
            yield Declared(
                position=self._text.rindex("]", 0, words[0].start()),
                kind="lambda",
                words=tuple(sorted({word[0] for word in words})),
            )
