"""Mark the explicit instances of kernel templates, whose handles other files find.

In a host text, ``template __global__ void k<float>(float*);`` defines nothing. The compiler tells
which instance it names: beside it, the alias of a class gets the kernel as a template argument. At
the end of the text, an ``asm`` statement per alias defines a symbol of the assembler for the
kernel. The definitions of the handles, which follow, ask the assembler for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from kbuild.cxx.model import Edit, HostText, KernelDeclaration
from kbuild.cxx.rewriting.marks import FUNCTION, MARK, OPERAND_MACROS
from kbuild.cxx.rewriting.rewrite import RewrittenText, rewrite
from kbuild.cxx.rewriting.siblings import insert_line
from kbuild.cxx.rewriting.signatures import read_signature
from kbuild.cxx.scopes import find_scopes
from kbuild.cxx.unit import Unit
from kbuild.values import replace

_INSTANCE: Final = "::kbuild::chevron::instance"


def rewrite_host_text(unit: Unit, found: HostText, module: str) -> RewrittenText:
    """Return a host text with its launches as ordinary calls, and with marks of explicit instances.

    Args:
        unit: The preprocessed text. It includes ``kbuild/chevron.hpp``.
        found: What is in it.
        module: The part of generated names that is unique to the source.

    Raises:
        SourceError: A launch cannot be rewritten.
    """
    marks = mark_instances(unit, found.kernels, module)
    return rewrite(unit, replace(found, edits=(*found.edits, *marks)), module)


def mark_instances(unit: Unit, kernels: Iterable[KernelDeclaration], module: str) -> Iterator[Edit]:
    """Yield the insertions of the aliases, and of the function at the end of the text.

    Args:
        unit: The text.
        kernels: The declarations of its kernels.
        module: The part of generated names that is unique to the source.
    """
    scopes = find_scopes(unit)
    statements: list[str] = []
    for kernel in kernels:
        if not kernel.instance:
            continue
        *qualifiers, name = kernel.instance
        # In `void ns::k<int>(type)`, the parameters are looked up in `ns`.
        namespaces = [] if any(_is_alias(unit, part) for part in qualifiers) else qualifiers
        spelled = name if namespaces else "::".join(kernel.instance)
        alias = f"kbuild_instance_{module}_{len(statements)}"
        line = f"using {alias} = {_INSTANCE}<{_spell_type(kernel)}, {spelled}>;"
        opened = "".join(f"namespace {part} {{ " for part in namespaces)
        yield insert_line(unit.text, kernel.end, f"{opened}{line}{' }' * len(namespaces)}")
        path = (*scopes.name_namespace(kernel.start), *namespaces, alias)
        statements.append(_write_statement("".join(f"::{part}" for part in path if part)))
    end = len(unit.text)
    yield Edit(start=end, end=end, text=_write_function(statements))


def _is_alias(unit: Unit, name: str) -> bool:
    """Return whether a name can be an alias of a namespace, which cannot be opened."""
    return any(
        unit.get(index - 1) == "namespace" and unit.get(index + 1) == "="
        for index in unit.find((name,))
    )


def _spell_type(kernel: KernelDeclaration) -> str:
    parameters = read_signature("", kernel.parameters).parameters
    return f"void (*)({', '.join(parameter.type for parameter in parameters)})"


def _write_statement(alias: str) -> str:
    mark = f'".set {MARK}" KBUILD_SYMBOL ", 1\\n"'
    return f"    __asm__ volatile({mark} : : KBUILD_OPERAND({alias}::__value));\n"


def _write_function(statements: list[str]) -> str:
    """Return the function. Without the file with the handles, it must be emitted itself."""
    emitted = ", used" if statements else ""
    head = f"static inline void {FUNCTION}()"
    attributes = f"__attribute__((always_inline, artificial, unused{emitted}))"
    return (
        f'\n# 1 "<kbuild>" 3\n{OPERAND_MACROS}{head} {attributes};\n'
        f"{head}\n{{\n{''.join(statements)}}}\n"
    )
