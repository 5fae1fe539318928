"""The qualifiers of mixed sources after preprocessing, and what both passes make of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final

from kbuild import resources
from kbuild.backends import qualifiers as q
from kbuild.cxx.declarations import Declaration, find_qualified, read_declaration
from kbuild.cxx.lines import locate
from kbuild.cxx.model import Edit, Span
from kbuild.cxx.scopes import find_scopes
from kbuild.cxx.unit import Unit
from kbuild.errors import SourceError
from kbuild.values import replace

_CLANG: Final = "__kbuild_clang__"

# Pragmas of nvcc. gcc warns about pragmas that it does not know.
_PRAGMA: Final = re.compile(
    r"#[ \t]*pragma[ \t]+(?:(?P<unroll>unroll)\b[ \t]*\(?[ \t]*(?P<count>\d*)"
    r"|nounroll\b|nv_\w+|hd_warning_disable\b|diag_(?:suppress|default|warning|error)\b).*"
)
# What instrumented host code calls, and its lines for functions of the C library.
HOST_CHECKS: Final = "host_checks.h"
_REPLACED: Final = re.compile(r"^KBUILD_(?:REPLACE|MOVE|FILL)\((\w+)\b.*\n", re.MULTILINE)
# It is often followed by an alignment. C++ accepts `alignas` only before it.
_SHARED: Final = re.compile(rf"(?:extern |static )?{q.SHARED}")
# The type of texture references, and a word of the header that defines it (textures/references.h).
_REFERENCE: Final = "texture"
_HAS_REFERENCES: Final = "__kbuild_texture_references__"
_SPECIFIERS: Final = frozenset(("static", "extern", "inline", "const"))
_NAMESPACES: Final = frozenset(("namespace", "language"))
# A line marker, which is not in the first line.
_THRUST: Final = re.compile(r'\n# \d+ "[^"\n]*/thrust/detail/config\.h"')


@lru_cache(maxsize=1)
def find_declarations(code: Unit) -> tuple[Declaration, ...]:
    """Find what the user marked.

    If host code runs device functions, their variables are managed ones, which both can use.
    """
    declarations = find_qualified(code, q.QUALIFIERS)
    references = tuple(_find_texture_references(code))
    if references:
        declarations = tuple(sorted((*declarations, *references), key=lambda found: found.start))
    if not runs_on_host(code.text):
        return declarations
    return tuple(_share(found) if q.is_variable(found) else found for found in declarations)


def _find_texture_references(code: Unit) -> Iterator[Declaration]:
    """Yield the texture references of namespaces: device variables without a qualifier."""
    if not code.find((_HAS_REFERENCES,)):
        return
    scopes = find_scopes(code)
    last = -1
    for index in code.find((_REFERENCE,)):
        first = index - 1 if code.get(index - 1) == "::" else index
        start = code.find_head(index)
        position = code.starts[start]
        is_type = all(word in _SPECIFIERS for word in code.words[start:first])
        is_parameter = code.get(start - 1) in ("(", "[")
        if position < last or is_parameter or not is_type or code.get(index + 1) != "<":
            continue
        around = scopes.around(position)
        found = read_declaration(code, position)
        if found.kind != "variable" or any(scope.kind not in _NAMESPACES for scope in around):
            continue
        last = found.end
        yield replace(
            found,
            qualifiers=((code.starts[first], code.starts[first]),),
            words=frozenset((q.DEVICE,)),
            namespaces=scopes.name_namespace(position),
            scope=around[-1].kind if around else "",
        )


def _share(found: Declaration) -> Declaration:
    words = [token.text for token in found.head]
    # A managed array needs a size.
    if "constexpr" in words or ("[", "]") in pairwise(words):
        return found
    return replace(found, words=found.words | {q.MANAGED})


def runs_on_host(text: str) -> bool:
    """Return whether host code runs device functions: Thrust's algorithms are host code here."""
    return _THRUST.search(text) is not None


def define_qualifiers(*names: str) -> Edit:
    """Put the definitions of the qualifiers at the start of the text.

    Args:
        names: The files in ``native/device/cpu/mixed`` with the definitions.
    """
    directory = resources.native_directory() / "device" / "cpu" / "mixed"
    text = "".join((directory / name).read_text() for name in names)
    return Edit(start=0, end=0, text=text)


def define_host_checks(code: Unit) -> Iterator[Edit]:
    """Put what instrumented host code calls at the start of the text.

    A function that the text defines itself keeps its name, because an object cannot contain both.
    """
    if runs_on_host(code.text):
        yield Edit(start=0, end=0, text="#define KBUILD_HOST_RUNS_DEVICE_CODE\n")
    checks = define_qualifiers(HOST_CHECKS)
    own = _list_defined(code, frozenset(_REPLACED.findall(checks.text)))
    text = _REPLACED.sub(lambda line: "" if line[1] in own else line[0], checks.text)
    yield replace(checks, text=text)


def _list_defined(code: Unit, names: frozenset[str]) -> set[str]:
    """Return those of the C functions that the text defines."""
    scopes = None
    defined = set()
    for index in code.find(names):
        close = code.partners.get(index + 1) if code.get(index + 1) == "(" else None
        if close is None or "{" not in (code.get(close + 1), code.get(close + 2)):
            continue
        scopes = scopes or find_scopes(code)
        head = set(code.words[code.find_head(index) : index])
        # The C library defines such functions besides the real ones.
        if head & {"gnu_inline", "__gnu_inline__"}:
            continue
        if all(scope.kind == "language" for scope in scopes.around(code.starts[index])):
            defined.add(code.words[index])
    return defined


def translate_pragmas(code: Unit) -> Iterator[Edit]:
    """Replace nvcc's pragmas by those of the compiler, or remove them; clang knows ``unroll``."""
    is_clang = compiles_with_clang(code.text)
    for directive in code.directives:
        found = _PRAGMA.fullmatch(directive.text)
        if found is None or (found["unroll"] and is_clang):
            continue
        pragma = f"#pragma GCC unroll {found['count']}" if found["count"] else ""
        yield Edit(start=directive.start, end=directive.end, text=pragma)


def move_alignments(code: Unit) -> Iterator[Edit]:
    """Move ``alignas`` to the start of declarations of shared memory, where C++ accepts it."""
    for index in code.find((q.SHARED,)):
        close = code.partners.get(index + 2, index)
        head = " ".join(code.words[code.find_head(index) : index + 1])
        found = _SHARED.search(head)
        if code.get(index + 1) != "alignas" or found is None:
            continue
        start = code.find_head(index) + head[: found.start()].count(" ")
        first, last = code.starts[index + 1], code.get_end(close)
        alignment = code.text[first:last]
        yield Edit(start=code.starts[start], end=code.starts[start], text=f"{alignment} ")
        yield Edit(start=first, end=last, text="")


def compiles_with_clang(text: str) -> bool:
    """Return whether clang preprocessed the text; see ``kbuild_cpu_mixed.h``."""
    return _CLANG in text


def keep_calls(code: Unit) -> Iterator[Edit]:
    """Let clang merge no calls of functions that the source declares behind the prelude."""
    if compiles_with_clang(code.text):
        start, end = code.text.index(";", code.text.rindex(_CLANG)) + 1, len(code.text)
        yield Edit(start=start, end=start, text=" __kbuild_keep_calls__")
        yield Edit(start=end, end=end, text="\n__kbuild_end_of_kept_calls__\n")


def reject_unnamed_lambdas(text: str, declarations: tuple[Declaration, ...]) -> None:
    """Raise SourceError for a device lambda in host code that clang compiles.

    clang numbers all lambdas of an object to name them, so that the two passes give a kernel for
    such a lambda different names. gcc numbers those of each function.
    """
    bodies = list_device_bodies(declarations)
    for found in declarations:
        is_inside = any(start <= found.start < end for start, end in bodies)
        if found.kind == "lambda" and q.DEVICE in found.words and not is_inside:
            raise SourceError(
                f"{locate(text, found.start)}: clang does not give the kernel for a device lambda "
                "the same name in host and device code; compile with g++, or pass an object of a "
                "class with operator()"
            )


def list_device_bodies(declarations: tuple[Declaration, ...]) -> tuple[Span, ...]:
    """Return the bodies of functions and lambdas that only device code can call."""
    return tuple(d.body for d in declarations if q.is_device_only(d) and d.body is not None)
