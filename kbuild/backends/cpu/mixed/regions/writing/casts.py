"""Replace names in regions: the code checks what uses of variables take for granted.

The index of the thread is an object of each region. Where a program can keep its address, it is one
with the same address in all regions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.backends.cpu.mixed.annotations import INDEX
from kbuild.backends.cpu.mixed.regions.forms import find_target
from kbuild.backends.cpu.mixed.regions.grammar.contexts import Use
from kbuild.backends.cpu.mixed.regions.grammar.expressions import names_built_in_type
from kbuild.backends.cpu.mixed.regions.grammar.mentions import list_names
from kbuild.backends.cpu.mixed.regions.plan import Division
from kbuild.backends.cpu.mixed.regions.variables import Variable, list_variables
from kbuild.cxx.statements import Statement, find_statement
from kbuild.cxx.tokens import join_span
from kbuild.cxx.unit import Unit

REGIONS: Final = "::kbuild_cpu::regions::"


def list_casts(unit: Unit, division: Division) -> Iterator[tuple[int, str]]:
    """Yield the uses of variables that take something for granted, with the code that checks it."""
    computed = [v for v in division.variables if division.kinds[v] == "computed"]
    spans = [v.initializer for v in computed if v.initializer is not None]
    used = {division.uses.resolve(index) for span in spans for index in list_names(unit, *span)}
    for variable in division.variables:
        # A parameter keeps the value from which another variable is computed again.
        is_guarded = division.kinds[variable] in ("uniform", "computed") or variable in used
        if variable.group is not None:
            for index in division.uses.indices[variable]:
                if unit.get(index - 1) in ("(", ",") and unit.get(index + 1) in (")", ","):
                    yield index, f"{variable.name}.__original()"  # what the source passes by value
            continue
        for index in division.uses.indices[variable]:
            use = division.uses.read(index)
            if is_guarded:
                yield from _guard(unit, variable, index, [*_list_kinds(unit, use)])
            elif use.objects:
                own = f"decltype(({variable.name}))"
                yield index, _cast(variable, own, "read_object", _list_objects(unit, use))


def list_kept_indices(unit: Unit, division: Division) -> Iterator[tuple[int, str]]:
    """Yield the names of the index whose address a pointer, a reference, or an object can keep."""
    body = division.kernel.body
    referring = [o for o in division.operations.values() if o.referring]
    for index in unit.find((INDEX,)):
        statement = find_statement(body, index) if body.start < index < body.stop else None
        if statement is None or division.uses.reads_index(index):
            continue
        is_lent = any(each.index < index < each.close for each in referring)
        if is_lent or unit.get(index - 1) == "&" or _can_keep(unit, division, statement):
            yield index, f"{REGIONS}keep_index(__kbuild_t__, {INDEX})"


def _can_keep(unit: Unit, division: Division, statement: Statement) -> bool:
    """Return whether a statement declares or uses something that can contain an address."""
    declared = tuple(list_variables(unit, division.kernel.body, statement))
    used = (division.uses.resolve(i) for i in list_names(unit, statement.start, statement.stop))
    variables = declared or tuple(each for each in used if each is not None and not each.is_scalar)
    target = None if declared else find_target(unit, statement)
    assigned = None if target is None else division.uses.resolve(target)
    return any(
        "*" in unit.words[slice(*each.declarator)]
        or not names_built_in_type(unit, *each.base)
        or each.is_reference
        for each in (*variables, *([] if assigned is None else [assigned]))
    )


def _guard(
    unit: Unit, variable: Variable, index: int, kinds: list[str]
) -> Iterator[tuple[int, str]]:
    """Yield the use of a variable, or of a member of an object, that exists once or is computed."""
    own = f"decltype({variable.name})"
    if variable.members:
        member = name_member(variable.name, unit.words[index + 2])
        yield index, _cast(variable, f"const {own} &", "read_object", [member, *kinds])
    elif kinds:
        yield index, _cast(variable, own, "read", kinds)


def _cast(variable: Variable, kind: str, read: str, kinds: list[str]) -> str:
    of = f"{REGIONS}{read}<{', '.join((kind, *kinds))}>"
    return f"static_cast<typename {of}::has_only_numbers_or_pointers>({variable.name})"


def _list_kinds(unit: Unit, use: Use) -> Iterator[str]:
    """Yield what must be numbers, pointers, or consist of them where a variable is used."""
    yield from (f"decltype({join_span(unit, span)})" for span in use.operands)
    yield from (f"{REGIONS}base<decltype(({join_span(unit, span)}))>" for span in use.bases)
    yield from (join_span(unit, span) for span in use.types)
    yield from _list_objects(unit, use)
    if use.call is not None:
        arguments = (f"decltype(({join_span(unit, span)}))" for span in use.call.arguments)
        called = (f"decltype({join_span(unit, use.call.callee)})", str(use.call.place))
        yield f"{REGIONS}taken<{', '.join((*called, *arguments))}>"


def _list_objects(unit: Unit, use: Use) -> list[str]:
    return [f"{REGIONS}members<{join_span(unit, span)}>" for span in use.objects]


def name_member(name: str, member: str) -> str:
    """Return the type that says what a member of an object is."""
    kind = f"::kbuild_cpu::remove_cv_t<decltype({name})>"
    return f"{REGIONS}member<{kind}, decltype(&{kind}::{member})>"
