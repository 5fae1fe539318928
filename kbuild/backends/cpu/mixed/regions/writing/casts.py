"""Let the generated code check what the uses of variables take for granted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.backends.cpu.mixed.regions.grammar.contexts import Use
from kbuild.backends.cpu.mixed.regions.grammar.mentions import list_names
from kbuild.backends.cpu.mixed.regions.plan import Division
from kbuild.backends.cpu.mixed.regions.variables import Variable
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
