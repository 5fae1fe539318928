"""What threads keep between regions, and the names by which regions see variables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from kbuild.backends.cpu.mixed.regions.calls import list_parts_at_commas
from kbuild.backends.cpu.mixed.regions.grammar.contexts import Use
from kbuild.backends.cpu.mixed.regions.grammar.expressions import (
    ARITHMETIC_WORDS,
    is_literal,
    is_member,
    list_arguments,
)
from kbuild.backends.cpu.mixed.regions.grammar.mentions import list_names
from kbuild.backends.cpu.mixed.regions.model import CannotDivide
from kbuild.backends.cpu.mixed.regions.plan import read_known
from kbuild.backends.cpu.mixed.regions.ranges import names_object, read_range
from kbuild.backends.cpu.mixed.regions.rounding import has_arithmetic
from kbuild.backends.cpu.mixed.regions.variables import Variable, is_deduced
from kbuild.backends.cpu.mixed.regions.writing.casts import REGIONS, name_member
from kbuild.backends.cpu.mixed.regions.writing.text import (
    FRAME,
    LIVE,
    THREAD,
    Span,
    Text,
    is_in,
    name_parameter,
    name_range,
)
from kbuild.cxx.statements import Block, Statement
from kbuild.cxx.unit import Unit

_ALIGNMENTS: Final = frozenset(("alignas", "_Alignas", "aligned", "__aligned__"))
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
        """Return the variables whose address something can know after their region."""
        division = self._text.division
        return {
            v
            for v in division.variables
            if division.kinds[v] == "kept"
            and v.statement is not None
            and not (self._is_number(v) and self._has_only_values(v))
        }

    def _is_number(self, variable: Variable) -> bool:
        """Return whether a variable, or what it refers to, is a number or a pointer.

        Its declaration proves a guess.
        """
        if variable.is_reference:
            words = {*self._text.unit.words[slice(*variable.base)]} - {"const"}
            return bool(words) and words <= ARITHMETIC_WORDS
        is_keyword = variable.is_built_in and variable.is_scalar
        return is_keyword or (self._text.division.kernel.is_optimized and variable.is_scalar)

    def _has_only_values(self, variable: Variable) -> bool:
        """Return whether an address is of no use: the variable is read, or changed as a number."""
        return all(
            use in (Use("read"), Use("changed"))
            for use in self._text.division.uses.list_uses(variable)
        )

    def bind(self, spans: Iterable[Span]) -> str:
        """Return the declarations of the variables that a part of the text names."""
        return " ".join(map(self._bind_variable, self._list_bound(list(spans))))

    def bind_copies(self, spans: list[Span]) -> tuple[str, str]:
        """Return arguments and declarations, with copies of the variables that a region names.

        Compilers insert calls before accesses to anything else. The arguments are those of
        ``__kbuild_checked_threads__``.
        """
        captures, parameters, slots, declared = "", "", "", []
        for variable in self._list_bound(spans):
            number, kind = self.numbers[variable], self._text.division.kinds[variable]
            if kind == "uniform":
                captures += f", __kbuild_u{number}__ = __kbuild_u{number}__"
            if kind != "kept":
                declared.append(self._bind_variable(variable))
                continue
            copy = f"__kbuild_v{number}__"
            parameters += f", auto {copy}"
            slots += f", {self._name_slot(variable)}[{THREAD}]"
            declared.append(self.bind_copy(variable, copy))
        return f"({captures}), ({parameters}), ({slots})", " ".join(declared)

    def bind_copy(self, variable: Variable, value: str) -> str:
        """Return the declaration of a copy of a variable that a thread keeps."""
        const = "const " if variable.is_constant else ""
        return f"[[maybe_unused]] {const}auto {variable.name} = {value};"

    def keep_copies(self, spans: list[Span]) -> str:
        """Return what keeps the copies of variables that a region declares or changes."""
        kinds, uses = self._text.division.kinds, self._text.division.uses
        kept = (v for v in self.numbers if kinds[v] == "kept" and not self.is_local(v, spans))
        return "".join(
            f" {REGIONS}keep_copy({self._name_slot(v)}[{THREAD}], {v.name});"
            for v in kept
            if is_in((v.index, v.index + 1), spans)
            or any(
                is_in((index, index + 1), spans) and uses.read(index).kind == "changed"
                for index in uses.indices[v]
            )
        )

    def _list_bound(self, spans: list[Span]) -> list[Variable]:
        """Return the variables that a part of the text names, from the first declared one on."""
        bound: set[Variable] = set()
        checked = (part for span in spans for part in self._text.list_checked(*span))
        new = {v for span in (*spans, *checked) for v in self.list_used(*span)}
        while new:
            bound |= new
            parts = (v.initializer for v in new if self._is_computed_elsewhere(v, spans))
            new = {v for part in parts if part is not None for v in self.list_used(*part)} - bound
        inside = {v for v in bound if v.statement and is_in((v.index, v.index + 1), spans)}
        names = [v.name for v in bound]
        if len(set(names)) != len(names):
            raise CannotDivide("a variable hides another one that it depends on")
        return sorted(bound - inside, key=lambda variable: self.numbers[variable])

    def _bind_variable(self, variable: Variable) -> str:
        number, name = self.numbers[variable], variable.name
        kind = self._text.division.kinds[variable]
        if kind == "uniform" and not self._is_literal(variable):
            return f"[[maybe_unused]] const auto {name} = __kbuild_u{number}__;"
        if kind == "group":
            known = f"typename decltype({name})::__in_region"
            return f"[[maybe_unused]] const {known} {name}(threadIdx, {THREAD});"
        if kind == "kept":
            target = "*" if variable.is_reference else ""
            slot = f"{target}__kbuild_s{number}__[{THREAD}]"
            return f"[[maybe_unused]] {self.bind_kept(variable)} = {slot};"
        renamed = {variable.index: f"__kbuild_n{number}__"}
        parts = (variable.base, variable.declarator, variable.initializer or (0, 0))
        text = " ".join(self._text.render(*part, renamed, is_plain=True) for part in parts)
        proofs = f"{self.prove(*(variable.values or ()))}{self._prove_exact(variable)}"
        return f"{proofs}{text}; {self.bind_computed(variable)}"

    def _is_literal(self, variable: Variable) -> bool:
        """Return whether a variable is a constant with a literal value, also for templates."""
        words = self._text.unit.words[slice(*(variable.initializer or (0, 0)))]
        return variable.is_constant and len(words) == 2 and is_literal(words[1])  # noqa: PLR2004 - `= 32`

    def bind_kept(self, variable: Variable) -> str:
        """Return the declarator by which regions see an element of an array."""
        return f"{'const ' if variable.is_constant else ''}auto& {variable.name}"

    def bind_computed(self, variable: Variable) -> str:
        """Return the constant that has the value of a computed variable."""
        renamed = f"__kbuild_n{self.numbers[variable]}__"
        kind = f"decltype({renamed})"
        if variable.members:
            kind = f"{REGIONS}members<::kbuild_cpu::remove_cv_t<{kind}>>"
        return (
            f"{self._check_maker(variable)}static_assert({REGIONS}is_built_in<{kind}>); "
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

    def prove(self, *spans: Span | None) -> str:
        """Return checks of what the text takes for granted in plain expressions.

        Names that are not variables are constants of built-in types.
        """
        unit, division = self._text.unit, self._text.division
        checks: dict[str, None] = {}
        for span in spans:
            if span is None or span[0] == span[1]:
                continue
            plain = read_known(unit, span, division.uses, division.groups, division.shared)
            if plain is None:
                raise CannotDivide("an expression has an unknown form")
            for first, last in plain.names:
                if is_member(unit.words[first:last]):
                    checks |= dict.fromkeys(self._check_member(first))
                    continue
                name = self._text.render(first, last)
                if division.uses.is_address(first):
                    checks[f"static_assert({REGIONS}stands_for_address<decltype({name})>); "] = None
                elif last > first + 1 or division.uses.resolve(first) is None:
                    checks[f"static_assert({REGIONS}is_built_in<decltype({name})>); "] = None
                    checks[f"static_assert({REGIONS}is_constant(+({name}))); "] = None
            for call in plain.calls:
                checks |= dict.fromkeys(self._check_call(call))
            for part in plain.types:
                checks[f"static_assert({REGIONS}is_built_in<{self._text.render(*part)}>); "] = None
        return "".join(checks)

    def _prove_exact(self, variable: Variable) -> str:
        """Return checks that what a variable is computed from is not rounded; see `rounding`."""
        unit, division = self._text.unit, self._text.division
        names: dict[str, None] = {}
        for span in variable.values or ():
            plain = read_known(unit, span, division.uses, division.groups, division.shared)
            if plain is not None and has_arithmetic(unit, span):
                names |= dict.fromkeys(self._text.render(*n, is_plain=True) for n in plain.names)
        return "".join(f"static_assert({REGIONS}is_exact<decltype(({n}))>); " for n in names)

    def _check_call(self, call: Span) -> tuple[str, str]:
        """Return checks that a call of `min` or `max` is that of CUDA's function for its arguments.

        It is constant for constants, unlike a user's overload that reads memory.
        """
        name = self._text.unit.words[call[0]]
        spans = list_arguments(self._text.unit, call[0] + 1)
        arguments = [self._text.render(*each, is_plain=True) for each in spans]
        kinds = ", ".join(f"decltype({REGIONS}copy({each}))" for each in arguments)
        result = f"decltype({name}({', '.join(arguments)}))"
        function = f"static_cast<{REGIONS}function_of<{result}, {kinds}>*>"
        zeros = ", ".join(f"{REGIONS}zero<decltype(({each}))>()" for each in arguments)
        return (
            f"static_assert({function}({name}) == {function}(::{name})); ",
            f"static_assert({REGIONS}is_constant({name}({zeros}))); ",
        )

    def _check_member(self, index: int) -> tuple[str, str]:
        """Return checks that a member of an object gets the value with its place in the list."""
        unit, variable = self._text.unit, self._text.division.uses.resolve(index)
        name, member = unit.words[index], unit.words[index + 2]
        members = () if variable is None else variable.members
        values = ", ".join(f"{REGIONS}one()" if each == member else "{}" for each in members)
        made = f"::kbuild_cpu::remove_cv_t<decltype({name})>{{{values}}}"
        return (
            f"static_assert({REGIONS}is_built_in<{name_member(name, member)}>); ",
            f"static_assert({made}.{member} == 1); ",
        )

    def _check_maker(self, variable: Variable) -> str:
        """Return a check that the function that makes an object is that of CUDA."""
        unit, (first, last) = self._text.unit, variable.initializer or (0, 0)
        if not variable.members or unit.get(first + 2) != "(" or first + 2 >= last:
            return ""
        name = unit.words[first + 1]
        return f"static_assert({name} == ::{name}); "

    def declare_slot(self, variable: Variable) -> str:
        """Return the declaration of an array with an element per thread."""
        statement = variable.statement
        if statement is not None and self._is_aligned(statement.start, statement.stop):
            raise CannotDivide(f"'{variable.name}' has an alignment of its own")
        spans = (variable.base, variable.declarator)
        for used in (v for span in spans for v in self.list_used(*span)):
            if used is not variable and self._text.division.kinds[used] != "uniform":
                raise CannotDivide(f"the type of '{variable.name}' depends on '{used.name}'")
        slot = self._name_slot(variable)
        self.slots.append(slot)
        if not is_copied(self._text.unit, variable):
            before, kind = self._find_type(variable)
            is_common = variable in self._text.division.common
            slots = f"{REGIONS}{'common_slots' if is_common else 'slots'}"
            declared = f"{slots}<{kind}, __kbuild_most__> {slot};"
            return f"{before}{declared} {self._limit_slots()}"
        words = self._text.unit.words
        start, stop = variable.declarator
        is_pointer = "*" in words[start : variable.index]
        dropped: dict[int, str] = {variable.index: f"{slot}[__kbuild_most__]"}
        last_star = max((i for i in range(start, variable.index) if words[i] == "*"), default=start)
        dropped |= {i: "" for i in range(last_star, variable.index) if words[i] in _NOT_KEPT}
        if words[variable.index + 1 : variable.index + 3] == ["[", "]"]:
            dropped[variable.index + 2] = f"{self._count_elements(variable)}]"
        base = {
            index: ""
            for index in range(*variable.base)
            if words[index] in _NOT_KEPT - ({"const"} if is_pointer else frozenset())
        }
        text = (
            f"{self._text.render(*variable.base, base)} {self._text.render(start, stop, dropped)};"
        )
        return f"{text} {self._limit_slots()}"

    def _count_elements(self, variable: Variable) -> str:
        """Return how many elements the list or the string literal of an array has.

        If a list initializes arrays in an array, that is another number, which does not compile.
        """
        unit, (first, last) = self._text.unit, variable.initializer or (0, 0)
        first += unit.words[first] == "="
        if unit.words[first] != "{":
            literal = self._text.render(first, last)
            return f"sizeof({literal}) / sizeof(*({literal}))"
        return str(len([*list_parts_at_commas(unit, first + 1, last - 1)]))

    def _is_aligned(self, first: int, last: int) -> bool:
        """Return whether a declaration says how its variables are aligned. Slots are not."""
        return not _ALIGNMENTS.isdisjoint(self._text.unit.words[first:last])

    def _find_type(self, variable: Variable) -> tuple[str, str]:
        """Return the type of a variable that is constructed in its slot, and what it needs."""
        if variable.is_reference:
            return self._refer(variable)
        if is_deduced(self._text.unit, variable):
            return self._deduce(variable)
        words = self._text.unit.words
        base = {i: "" for i in range(*variable.base) if words[i] in _NOT_KEPT}
        return "", self._text.render(*variable.base, base)

    def find_value(self, variable: Variable) -> str:
        """Return the value behind `=`, or that of an element of a range; empty without one."""
        if variable.is_element and variable.block is not None:
            return f"*{name_range(variable.block)}.begin({THREAD})"
        first, last = variable.initializer or (0, 0)
        is_assigned = first < last and self._text.unit.words[first] == "="
        return self._text.render(first + 1, last) if is_assigned else ""

    def construct(self, variable: Variable) -> tuple[str, str]:
        """Return what is in front of the initializer of a variable, and behind it.

        It is constructed in its slot. The expression behind ``=`` initializes the only member of an
        aggregate, as that is the same kind of initialization ([dcl.init.aggr]).
        """
        unit, slot = self._text.unit, self._name_slot(variable)
        bound = f"[[maybe_unused]] {self.bind_kept(variable)} ="
        if variable.is_element:
            return self._construct_element(variable)
        if variable.initializer is None:
            return f"{bound} {slot}.construct({THREAD})", ""
        first, last = variable.initializer
        is_assigned = unit.words[first] == "="
        start = first + is_assigned
        has_braces = unit.words[start] == "{"
        if has_braces and is_deduced(unit, variable):
            raise CannotDivide(f"the type of '{variable.name}' is unknown")
        kind = f"typename decltype({slot})::__type"
        if last > start + 2 or not has_braces:
            kind = f"typename {REGIONS}listed<{kind}>::has_no_references"
        if variable in self._text.division.common:
            bound = f"{self.prove(*(variable.values or ()))}{bound}"
        new = f"{bound} *::new ({slot}.place({THREAD})) {kind}"
        if not is_assigned or has_braces:
            return new, ""
        if self.is_moved(variable):
            return f"{new}({self._name_function(variable)}(threadIdx, {THREAD}))", ""
        if is_deduced(unit, variable):
            return f"{new}(", ")"
        return self._construct_assigned(variable, self._text.render(start, last))

    def is_moved(self, variable: Variable) -> bool:
        """Return whether the value is a lambda, which has another type wherever it is written.

        A function returns it. It can return a copy of an object that knows where it is, so the
        lambda must not construct one.
        """
        unit, (first, last) = self._text.unit, variable.initializer or (0, 0)
        if not is_deduced(unit, variable) or unit.words[first : first + 2] != ["=", "["]:
            return False
        captures = unit.words[first + 2 : min(unit.partners[first + 1], last)]
        return not {"(", "{"} & {*captures}

    def _construct_assigned(self, variable: Variable, value: str) -> tuple[str, str]:
        """Return the same for a variable of a named type that has a value behind ``=``."""
        slot = self._name_slot(variable)
        bound = f"[[maybe_unused]] {self.bind_kept(variable)} ="
        before = (
            f"{bound} {slot}.construct({THREAD}, [&](auto __kbuild_to) {{ "
            f"if constexpr (__kbuild_to.is_class) ::new (__kbuild_to.place) "
            f"typename decltype(__kbuild_to)::__holder{{{value}}}; "
            f"else {{ typename decltype(__kbuild_to)::__type __kbuild_value__ = "
        )
        made = "typename decltype(__kbuild_to)::__type(__kbuild_value__)"
        return before, f"; ::new (__kbuild_to.place) {made}; }} }})"

    def _construct_element(self, variable: Variable) -> tuple[str, str]:
        value = self.find_value(variable)
        if variable.is_reference:
            renamed = f"__kbuild_n{self.numbers[variable]}__"
            text = self._render_declaration(variable, renamed)
            return f"{text} = {value}; {self.keep_reference(variable, renamed)}", ""
        before, behind = self._construct_assigned(variable, value)
        return f"{before}{value}{behind};", ""

    def keep_reference(self, variable: Variable, renamed: str) -> str:
        """Return what keeps in its slot to which object a reference with another name refers."""
        value = self.find_value(variable)
        bound = f"sizeof({REGIONS}bind_argument({value}))"
        kind = f"{REGIONS}argument<decltype(({value})), {bound}>"
        slot = f"{self._name_slot(variable)}.construct({THREAD})"
        return (
            f"[[maybe_unused]] {self.bind_kept(variable)} = {slot}.template put<{kind}>({renamed});"
        )

    def _deduce(self, variable: Variable) -> tuple[str, str]:
        """Return a function with the value of a variable, and its type."""
        is_type = "auto" not in self._text.unit.words[slice(*variable.base)]
        first, last = variable.initializer or (0, 0)
        value = self.find_value(variable) or self._text.render(first, last)
        if not value or is_type:  # `decltype` can be a reference
            raise CannotDivide(f"the type of '{variable.name}' is unknown")
        body = f"{self.bind([(first, last)])} return {value};"
        return self._declare_type(self._name_function(variable), body)

    def _name_function(self, variable: Variable) -> str:
        return f"__kbuild_f{self.numbers[variable]}__"

    def _declare_type(self, name: str, body: str) -> tuple[str, str]:
        """Return a function of a thread, and the type of its result."""
        function = (
            f"auto {name} = [&]([[maybe_unused]] const ::uint3 threadIdx, "
            f"[[maybe_unused]] const int {THREAD}) {{ {body} }}; "
        )
        return function, f"decltype({name}(::uint3{{}}, 0))"

    def _refer(self, variable: Variable) -> tuple[str, str]:
        """Return a function that tells to which type a variable refers, and a type to keep it."""
        value = self.find_value(variable)
        if not value:
            raise CannotDivide(f"the type of '{variable.name}' is unknown")
        if not is_deduced(self._text.unit, variable):
            kind = self._render_declaration(variable, "")
            return "", f"{REGIONS}lent<typename {REGIONS}kind_of_element<{kind}>::__type>"
        bound = self.bind([variable.initializer]) if variable.initializer else ""
        known = f"{bound} {self._render_declaration(variable, variable.name)} = {value};"
        result = f"return {REGIONS}kind_of_element<decltype({variable.name})>();"
        function, kind = self._declare_type(self._name_function(variable), f"{known} {result}")
        return function, f"{REGIONS}lent<typename {kind}::__type>"

    def _render_declaration(self, variable: Variable, name: str) -> str:
        """Return the type and the declarator of a variable with another name."""
        declarator = self._text.render(*variable.declarator, {variable.index: name})
        return f"{self._text.render(*variable.base)} {declarator}"

    def declare_range(self, block: Block) -> str:
        """Return the declaration of the ranges and iterators of all threads in a loop."""
        _, initializer = read_range(block)
        span = (initializer.start, initializer.stop)
        is_named = str(names_object(self._text.unit, initializer)).lower()
        result = f"{REGIONS}range_kind<decltype(({self._text.render(*span)})), {is_named}>"
        body = f"{self.bind([span])} return {result}();"
        function, kind = self._declare_type(f"__kbuild_f_of{name_range(block)}", body)
        loop = f"{REGIONS}range_loop<{block.start}, {kind}, __kbuild_most__> {name_range(block)};"
        return f"{function}{loop} {self.add_slot(name_range(block))}"

    def _name_slot(self, variable: Variable) -> str:
        return f"__kbuild_s{self.numbers[variable]}__"

    def add_slot(self, name: str) -> str:
        """Count something with an element per thread that is declared; return the limit."""
        self.slots.append(name)
        return self._limit_slots()

    def _limit_slots(self) -> str:
        """Return the checks of the array that was declared last, and of all arrays together."""
        total = " + ".join(f"sizeof({slot})" for slot in self.slots)
        share = " / 4" if self._text.division.kernel.is_function else ""
        kept = f"{REGIONS}can_keep<decltype({self.slots[-1]})>"
        return f"static_assert({total} <= {REGIONS}most_bytes{share} && {kept});"

    def alias(self, variables: Iterable[Variable]) -> str:
        """Return the constants by which regions see uniform variables."""
        return "".join(
            f" static_assert({REGIONS}is_built_in<decltype({v.name})>); "
            f"[[maybe_unused]] const auto& __kbuild_u{self.numbers[v]}__ = {v.name};"
            for v in variables
            if self._text.division.kinds[v] == "uniform"
        )

    def is_local(self, variable: Variable, spans: list[Span]) -> bool:
        """Return whether a variable is used only in the region that declares it."""
        uses = self._text.division.uses.indices[variable]
        return variable not in self.forced and all(is_in((i, i + 1), spans) for i in uses)

    def _find_parameter_type(self, name: str) -> str:
        if self._text.division.kernel.is_function:
            return f"typename decltype({FRAME}.{name_parameter(name)})::__type"
        return f"decltype({name})"

    def declare_parameters(self) -> Iterator[str]:
        """Yield constants for the parameters, and arrays for those that threads change."""
        for variable in self.declared.get(None, []):
            number = self.numbers[variable]
            name = variable.name
            if variable.is_scalar and self._text.division.kernel.is_optimized:
                yield f"static_assert({REGIONS}is_built_in<{self._find_parameter_type(name)}>);"
            if self._text.division.kinds[variable] == "uniform":
                yield f"[[maybe_unused]] const auto& __kbuild_u{number}__ = {name};"
                continue
            slot = self._name_slot(variable)
            if variable.group is not None:
                place = f"{FRAME}.{name_parameter(variable.name)}"
                yield f"[[maybe_unused]] constexpr decltype({place}) {variable.name}{{}};"
                continue
            if self._text.division.kernel.is_function:
                yield f"[[maybe_unused]] auto& {slot} = {FRAME}.{name_parameter(variable.name)};"
                continue
            kind = f"{REGIONS}slots<decltype({REGIONS}copy({variable.name})), __kbuild_most__>"
            yield (
                f"{kind} {slot}; {self.add_slot(slot)} "
                f"__kbuild_each_row__({LIVE}) __kbuild_whole_row__ __kbuild_threads__ "
                f"{slot}.copy({THREAD}, {variable.name}); __kbuild_region_end__"
            )


def is_copied(unit: Unit, variable: Variable) -> bool:
    """Return whether a variable gets its value first, and then its place.

    The generated code checks that it is a number, a pointer, an array, or an aggregate of those.
    Others are constructed where they stay.
    """
    words = unit.words[slice(*variable.declarator)]
    if variable.is_reference:
        return False
    return "[" in words or "(" in words or (variable.is_scalar and not is_deduced(unit, variable))
