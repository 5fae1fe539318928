"""What threads keep between regions, and the names by which regions see variables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from kbuild.backends.cpu.mixed.regions.mentions import find_use, list_names
from kbuild.backends.cpu.mixed.regions.model import CannotDivide
from kbuild.backends.cpu.mixed.regions.text import (
    FRAME,
    LIVE,
    REGIONS,
    THREAD,
    Span,
    Text,
    is_in,
    name_parameter,
)
from kbuild.backends.cpu.mixed.regions.variables import Variable, is_deduced
from kbuild.cxx.statements import Statement

_NOT_KEPT: Final = frozenset(("const", "constexpr", "register"))


class Bindings:
    """The variables of a divided kernel.

    Attributes:
        numbers: A number for each of them.
        declared: The variables that each statement declares; those of None are the parameters.
        slots: The arrays at the current place, with an element per thread.
        forced: The variables that have a place for each thread, although only one region uses them.
    """

    def __init__(self, text: Text) -> None:
        """Number the variables."""
        self._text = text
        self.numbers = {v: number for number, v in enumerate(text.division.variables)}
        self.declared: dict[Statement | None, list[Variable]] = {}
        for variable in text.division.variables:
            self.declared.setdefault(variable.statement, []).append(variable)
        self.slots: list[str] = []
        self.forced = self._find_targets()

    def _find_targets(self) -> set[Variable]:
        """Return the variables that a pointer in another region can point to."""
        division, unit = self._text.division, self._text.unit
        kept = [v for v in division.variables if division.kinds[v] == "kept" and v.statement]
        calls = any(operation.callee is not None for operation in division.operations.values())
        if not calls and not any(
            v.is_pointer or not v.is_scalar or is_deduced(unit, v) for v in kept
        ):
            return set()
        return {
            v
            for v in kept
            if "[" in unit.words[slice(*v.declarator)]
            or v in division.referred
            or any(
                index in division.lent or find_use(unit, index) == "shared"
                for index in division.uses[v]
            )
        }

    def bind(self, spans: Iterable[Span]) -> str:
        """Return the declarations of the variables that a part of the text names."""
        spans = list(spans)
        bound: set[Variable] = set()
        new = {v for span in spans for v in self.list_used(*span)}
        while new:
            bound |= new
            parts = (v.initializer for v in new if self._is_computed_elsewhere(v, spans))
            new = {v for part in parts if part is not None for v in self.list_used(*part)} - bound
        inside = {v for v in bound if v.statement and is_in((v.index, v.index + 1), spans)}
        names = [v.name for v in bound]
        if len(set(names)) != len(names):
            raise CannotDivide("a variable hides another one that it depends on")
        order = sorted(bound - inside, key=lambda variable: self.numbers[variable])
        return " ".join(map(self._bind_variable, order))

    def _bind_variable(self, variable: Variable) -> str:
        number, name = self.numbers[variable], variable.name
        kind = self._text.division.kinds[variable]
        if kind == "uniform":
            is_copy = variable.is_scalar and variable not in self._text.division.referred
            reference = "" if is_copy else "&"
            return f"[[maybe_unused]] const auto{reference} {name} = __kbuild_u{number}__;"
        if kind == "group":
            known = f"typename decltype({name})::__in_region"
            return f"[[maybe_unused]] const {known} {name}(threadIdx, {THREAD});"
        if kind == "kept":
            target = "*" if variable.is_reference else ""
            slot = f"{target}__kbuild_s{number}__[{THREAD}]"
            return f"[[maybe_unused]] {self.bind_kept(variable)} = {slot};"
        renamed = {variable.index: f"__kbuild_n{number}__"}
        parts = (variable.base, variable.declarator, variable.initializer or (0, 0))
        text = " ".join(self._text.render(*part, renamed) for part in parts)
        return f"{text}; {self.bind_computed(variable)}"

    def bind_kept(self, variable: Variable) -> str:
        """Return the declarator by which regions see an element of an array."""
        words = self._text.unit.words
        is_pointer = "*" in words[slice(*variable.declarator)]
        is_constant = "const" in words[slice(*variable.base)] and not is_pointer
        return f"{'const ' if is_constant else ''}auto& {variable.name}"

    def bind_computed(self, variable: Variable) -> str:
        """Return the constant that has the value of a computed variable."""
        renamed = f"__kbuild_n{self.numbers[variable]}__"
        return (
            f"static_assert({REGIONS}is_value<decltype({renamed})>); "
            f"[[maybe_unused]] const auto {variable.name} = {renamed};"
        )

    def _is_computed_elsewhere(self, variable: Variable, spans: list[Span]) -> bool:
        is_inside = is_in((variable.index, variable.index + 1), spans)
        return self._text.division.kinds[variable] == "computed" and not is_inside

    def list_used(self, first: int, last: int) -> Iterator[Variable]:
        """Yield the variables that names between two indices stand for."""
        for index in list_names(self._text.unit, first, last):
            found = self._text.division.resolve(self._text.unit.words[index], index)
            if found is not None:
                yield found

    def declare_slot(self, variable: Variable) -> str:
        """Return the declaration of an array with an element per thread."""
        if variable.is_reference:
            raise CannotDivide(f"'{variable.name}' is a reference that is used behind a barrier")
        slot = self._name_slot(variable)
        self.slots.append(slot)
        if is_deduced(self._text.unit, variable):
            return f"{self._deduce(variable)} {slot}[__kbuild_most__]; {self._limit_slots()}"
        words = self._text.unit.words
        start, stop = variable.declarator
        is_pointer = "*" in words[start : variable.index]
        dropped: dict[int, str] = {variable.index: f"{slot}[__kbuild_most__]"}
        last_star = max((i for i in range(start, variable.index) if words[i] == "*"), default=start)
        dropped |= {i: "" for i in range(last_star, variable.index) if words[i] in _NOT_KEPT}
        base = {
            index: ""
            for index in range(*variable.base)
            if words[index] in _NOT_KEPT - ({"const"} if is_pointer else frozenset())
        }
        text = (
            f"{self._text.render(*variable.base, base)} {self._text.render(start, stop, dropped)};"
        )
        return f"{text} {self._limit_slots()}"

    def _deduce(self, variable: Variable) -> str:
        """Return a function with the type of a variable, and this type."""
        if variable.initializer and "[" in self._text.unit.words[slice(*variable.initializer)][:2]:
            raise CannotDivide(f"'{variable.name}' can be a lambda that is used behind a barrier")
        if variable.initializer is None:
            raise CannotDivide(f"the type of '{variable.name}' is unknown")
        first, last = variable.initializer
        if self._text.unit.words[first] == "=":
            first += 1
        value = self._text.render(first, last)
        name = f"__kbuild_f{self.numbers[variable]}__"
        return (
            f"auto {name} = [&]([[maybe_unused]] const ::uint3 threadIdx, "
            f"[[maybe_unused]] const int {THREAD}) {{ {self.bind([(first, last)])} "
            f"return {value}; }}; decltype({name}(::uint3{{}}, 0))"
        )

    def _name_slot(self, variable: Variable) -> str:
        return f"__kbuild_s{self.numbers[variable]}__"

    def add_slot(self, name: str) -> str:
        """Count something with an element per thread that is declared; return the limit."""
        self.slots.append(name)
        return self._limit_slots()

    def _limit_slots(self) -> str:
        """Return the checks of the array that was declared last, and of all arrays together."""
        total = " + ".join(f"sizeof({slot})" for slot in self.slots)
        share = " / 4" if self._text.division.is_function else ""
        kept = f"{REGIONS}can_keep<decltype({self.slots[-1]})>"
        return f"static_assert({total} <= {REGIONS}most_bytes{share} && {kept});"

    def alias(self, variables: Iterable[Variable]) -> str:
        """Return the constants by which regions see uniform variables."""
        return "".join(
            f" static_assert({REGIONS}is_value<decltype({v.name})>); "
            f"[[maybe_unused]] const auto& __kbuild_u{self.numbers[v]}__ = {v.name};"
            for v in variables
            if self._text.division.kinds[v] == "uniform"
        )

    def is_local(self, variable: Variable, spans: list[Span]) -> bool:
        """Return whether a variable is used only in the region that declares it."""
        uses = self._text.division.uses[variable]
        return variable not in self.forced and all(is_in((i, i + 1), spans) for i in uses)

    def declare_parameters(self) -> Iterator[str]:
        """Yield constants for the parameters, and arrays for those that threads change."""
        for variable in self.declared.get(None, []):
            number = self.numbers[variable]
            if self._text.division.kinds[variable] == "uniform":
                yield f"[[maybe_unused]] const auto& __kbuild_u{number}__ = {variable.name};"
                continue
            slot = self._name_slot(variable)
            if variable.group is not None:
                place = f"{FRAME}.{name_parameter(variable.name)}"
                yield f"[[maybe_unused]] constexpr decltype({place}) {variable.name}{{}};"
                continue
            if self._text.division.is_function:
                yield f"[[maybe_unused]] auto& {slot} = {FRAME}.{name_parameter(variable.name)};"
                continue
            kind = f"decltype({REGIONS}copy({variable.name}))"
            yield (
                f"{kind} {slot}[__kbuild_most__]; {self.add_slot(slot)} "
                f"__kbuild_each_row__({LIVE}) __kbuild_whole_row__ __kbuild_threads__ "
                f"{{ {slot}[{THREAD}] = {variable.name}; __kbuild_region_end__"
            )
