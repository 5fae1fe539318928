"""Find the lambdas of host code, which device code cannot call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.backends import qualifiers as q
from kbuild.backends.cpu.mixed.diagnosis.callees import skip_template_arguments
from kbuild.backends.cpu.mixed.diagnosis.functions import Function, find_space
from kbuild.backends.cpu.mixed.mentions import is_own
from kbuild.backends.cpu.mixed.qualifiers import compiles_with_clang
from kbuild.cxx.launched import find_captures
from kbuild.cxx.lines import locate
from kbuild.cxx.scopes import find_scopes, list_head
from kbuild.cxx.unit import Unit

_SPECIFIERS: Final = frozenset(("mutable", "constexpr", "static", "noexcept"))


def find_host_lambdas(code: Unit) -> Iterator[Function]:
    """Yield the lambdas that the project's files have in host code, and that nothing marks."""
    scopes = find_scopes(code)
    for brace in code.find(("{",)):
        position = code.starts[brace]
        captures = find_captures(code, brace) if is_own(code, position) else None
        if captures is None or {q.DEVICE, q.HOST} & {*code.words[captures:brace]}:
            continue
        around = scopes.around(code.starts[captures])
        heads = ({*list_head(code, scope)} for scope in around if scope.kind == "block")
        if all(find_space(head) == "host" for head in heads):
            yield _read_lambda(code, captures)


def _read_lambda(code: Unit, captures: int) -> Function:
    index = skip_template_arguments(code, code.partners.get(captures, captures) + 1)
    has_parameters = code.get(index) == "("
    if has_parameters:
        index = code.partners.get(index, index) + 1
        # g++ expects attributes behind these words, and clang in front of them.
        while code.get(index) in _SPECIFIERS and not compiles_with_clang(code.text):
            index += 1
            index = code.partners.get(index, index) + 1 if code.get(index) == "(" else index
    return Function(
        name=f"lambda at line {locate(code.text, code.starts[captures]).line}",
        space="host",
        start=code.starts[index],
        owner=(),
        parameters=0,
        is_kernel=False,
        before_mark="" if has_parameters else "() ",
    )
