"""Changes of kbuild, each of which switches off one precondition of ``cpu-kernels.md``."""

from __future__ import annotations

from dataclasses import dataclass

_MIXED = "backends/cpu/mixed/"
_REGIONS = f"{_MIXED}regions/"
_ANALYZE = f"{_REGIONS}analyze.py"
_ORDER = f"{_REGIONS}grammar/order.py"
_GUARDS = f"{_REGIONS}guards.py"
_DIVISION = f"{_MIXED}division.py"
_FUNCTIONS = f"{_MIXED}waits/functions.py"
_REVIEW = f"{_MIXED}waits/review.py"
_BINDINGS = f"{_REGIONS}writing/bindings.py"
_REGION = f"{_REGIONS}writing/region.py"
_RANGES = "native/device/cpu/kbuild_cpu/regions/ranges.h"
_HEADER = "native/device/cpu/kbuild_cpu/regions/regions.h"
_NUMBERS = "native/device/cpu/kbuild_cpu/regions/number_objects.h"
_KERNEL_TEXT = "native/device/cpu/mixed/kernel_text.h"
_MARKS = "native/device/cpu/kbuild_cpu/scheduling.h"


@dataclass(frozen=True, slots=True)
class Change:
    """A text that occurs once in a file of the package, and what replaces it."""

    file: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Mutation:
    """A precondition that nothing checks.

    Attributes:
        name: Its name.
        edit: The edit that it belongs to.
        precondition: What kbuild checks, in words.
        changes: What switches the check off.
        programs: The programs in ``tests/projects/mixed_cpu`` that should fail then.
        features: What random kernels have that should fail then; nothing if random kernels cannot
            have it.
    """

    name: str
    edit: str
    precondition: str
    changes: tuple[Change, ...]
    programs: tuple[str, ...]
    features: tuple[str, ...] = ()


MUTATIONS = (
    Mutation(
        "waits",
        "work-item loop",
        "the kernel does not reach `kbuild_cpu_waits`",
        (Change(_REVIEW, "if not {_WAITS, *waits, *statics}.isdisjoint(reached):", "if False:"),),
        ("cases_values_behind_names",),
        ("waiting_members", "waiting_range", "virtual"),
    ),
    Mutation(
        "index",
        "work-item loop",
        "the kernel does not reach `threadIdx`, or stores it",
        (
            Change(
                _REVIEW,
                "elif not stores_index and not index.isdisjoint(reached):",
                "elif False:",
            ),
        ),
        (
            "cases_values_behind_names",
            "cases_spelling",
        ),
        ("grid_range", "context", "tuple_like", "user_lane"),
    ),
    Mutation(
        "pointers",
        "work-item loop",
        "calls through pointers reach what has an address",
        (Change(_REVIEW, "reached |= waits if has_pointers else addressed", "pass"),),
        (
            "cases_waits",
            "cases_spelling",
        ),
        ("virtual", "member_pointer"),
    ),
    Mutation(
        "order",
        "parallel region",
        "C++ evaluates nothing before an operation (all of `order.py`)",
        (Change(_ORDER, "if opening is not None or not order.is_first(span, None):", "if False:"),),
        ("cases_sequencing",),
        ("call_chain", "assign_subscript", "comma", "shift"),
    ),
    Mutation(
        "order_before",
        "parallel region",
        "no effects in front of `,` `<<` `>>`",
        (Change(_ORDER, "self._are_before(before) and self._are_behind", "self._are_behind"),),
        ("cases_sequencing",),
        ("comma", "shift", "declarators", "stream"),
    ),
    Mutation(
        "order_behind",
        "parallel region",
        "no effects on the right of an assignment",
        (
            Change(
                _ORDER,
                "return self._are_before(before) and self._are_behind(parts[place + 1 :])",
                "return self._are_before(before)",
            ),
        ),
        ("cases_sequencing",),
        ("compound_right_first", "chained_assignment", "assign_subscript"),
    ),
    Mutation(
        "order_callee",
        "parallel region",
        "no object, subscript, or unevaluated operand in front of an operation",
        (Change(_ORDER, "if not self._is_first_in(parts[place], span):", "if False:"),),
        ("cases_sequencing",),
        ("call_chain", "subscript_chain", "unevaluated", "arrow"),
    ),
    Mutation(
        "temporary",
        "parallel region",
        "an argument that a parameter can refer to is not a temporary object",
        (
            Change(
                _REGION,
                '"number_" if place in operation.referring and makes_objects else ""',
                '""',
            ),
        ),
        (
            "region_arguments",
            "cases_parameters",
        ),
        ("function", "temporary", "aggregate"),
    ),
    Mutation(
        "named_range",
        "loop over a range",
        "the object that is the range is not a temporary one that a conversion made",
        (Change(_RANGES, "__is_named || !is_same_v", "true || !is_same_v"),),
        ("region_ranges",),
    ),
    Mutation(
        "range_members",
        "loop over a range",
        "a class without usable members `begin` and `end` lacks one of them",
        (
            Change(
                _RANGES,
                "return lacks_begin<remove_cv_t<__T>> || lacks_end<remove_cv_t<__T>>;",
                "return true;",
            ),
        ),
        ("region_ranges",),
    ),
    Mutation(
        "branches",
        "parallel region",
        "lanes of two branches do not meet",
        (
            Change(
                f"{_REGIONS}branches.py",
                "if shared and not is_common:",
                "if False:",
            ),
        ),
        ("cases_branches",),
        ("same_operation_in_branches",),
    ),
    Mutation(
        "declarations",
        "parallel region",
        "statements beside operations are declarations of a known form, or expressions",
        (
            Change(
                _REGION,
                "if not isinstance(node, Statement) or not self._is_expression(node):",
                "if True:",
            ),
        ),
        ("cases_preconditions",),
    ),
    Mutation(
        "made",
        "parallel region",
        "nothing is executed to make an object without a name in front of an operation",
        (
            Change(
                _REGION,
                'f"static_assert(__is_trivially_constructible({self._text.render(*each)}));"',
                '""',
            ),
        ),
        ("cases_sequencing",),
    ),
    Mutation(
        "returns",
        "parallel region",
        "no statement within an expression ends the thread",
        (
            Change(
                f"{_REGIONS}forms.py",
                'any(map(partial(_returns_from_expression, unit, body), unit.find(("return",))))',
                "False",
            ),
        ),
        ("cases_preconditions",),
    ),
    Mutation(
        "references",
        "slot",
        "a reference to a temporary object keeps its value",
        (
            Change(
                _HEADER,
                "if constexpr (!refers_to<__T, __Argument>::__binds) {",
                "if constexpr (false) {",
            ),
        ),
        ("cases_preconditions",),
    ),
    Mutation(
        "moved",
        "slot",
        "no other edit is in a value that moves",
        (Change(_DIVISION, "if end <= each.end:", "if False:"),),
        ("cases_preconditions",),
    ),
    Mutation(
        "captures",
        "slot",
        "the captures of a lambda that moves construct no object",
        (Change(_BINDINGS, 'return not {"(", "{"} & {*captures}', "return True"),),
        ("cases_preconditions",),
    ),
    Mutation(
        "alignment",
        "slot",
        "a declaration does not name an alignment",
        (
            Change(
                _BINDINGS,
                "return not _ALIGNMENTS.isdisjoint(self._text.unit.words[first:last])",
                "return False",
            ),
        ),
        ("cases_preconditions",),
    ),
    Mutation(
        "numbers",
        "constant of all threads",
        "it consists of numbers that nothing changes",
        (
            Change(
                _NUMBERS,
                "return decltype(list_members(object<const __T>(),",
                "return true || decltype(list_members(object<const __T>(),",
            ),
        ),
        ("cases_numbers",),
    ),
    Mutation(
        "common",
        "constant of all threads",
        "all threads make it of the same values",
        (
            Change(
                _ANALYZE,
                "return has_braces and all(self._is_common_value(*v, kinds) for v in values or ())",
                "return has_braces",
            ),
        ),
        ("cases_numbers",),
    ),
    Mutation(
        "places",
        "rematerialized value",
        "a member has its place in the list",
        (
            Change(
                f"{_REGIONS}variables.py",
                "place = variable.members.index(member)",
                "place = 0",
            ),
            Change(_BINDINGS, 'f"static_assert({made}.{member} == 1); ",', '"",'),
        ),
        ("cases_numbers",),
    ),
    Mutation(
        "rounding",
        "subscript",
        "no name in a sum has a type that rounds",
        (
            Change(
                f"{_REGIONS}indices.py",
                "(*dict.fromkeys((span, (first, last))), *sums)",
                "(span, *sums)",
            ),
        ),
        ("cases_numbers",),
    ),
    Mutation(
        "decltype",
        "slot",
        "no `decltype` names a variable",
        (Change(f"{_REGIONS}forms.py", "if uses.resolve(index) is not None:", "if False:"),),
        (
            "cases_objects",
            "region_forms",
        ),
        ("overloads_on_const",),
    ),
    Mutation(
        "copies",
        "slot",
        "nobody can tell an object from its copy",
        (
            Change(
                _HEADER,
                "!(__is_class(__T) || __is_union(__T)) || is_trivial_aggregate<__T>",
                "true || is_trivial_aggregate<__T>",
            ),
        ),
        ("cases_preconditions", "cases_objects"),
        ("self_pointer", "copies", "function", "aggregate"),
    ),
    Mutation(
        "destructor",
        "slot",
        "the destructor does nothing",
        (Change(_HEADER, "can_keep = __has_trivial_destructor(__T) && ", "can_keep = "),),
        (
            "cases_preconditions",
            "region_forms",
            "cases_objects",
        ),
        ("destructor", "copies"),
    ),
    Mutation(
        "listed",
        "slot",
        "no member of an aggregate is a reference, no list refers to an array",
        (
            Change(
                _HEADER, "bool = !__is_aggregate(__T) || is_trivial_aggregate<__T>>", "bool = true>"
            ),
            Change(_HEADER, "__has_trivial_destructor(__T) && !is_list<__T>;", "true;"),
        ),
        (
            "cases_values_behind_names",
            "region_forms",
        ),
        ("initializer_list", "aggregate", "temporary"),
    ),
    Mutation(
        "address",
        "slot",
        "a variable whose address matters has one address for life",
        (
            Change(
                _BINDINGS,
                "and not (self._is_number(v) and self._has_only_values(v))",
                "and False",
            ),
        ),
        (
            "cases_preconditions",
            "cases_objects",
            "cases_parameters",
        ),
        ("address", "reference", "array_reference"),
    ),
    Mutation(
        "memory",
        "rematerialized value",
        "names in an initializer are constants",
        (
            Change(
                _BINDINGS,
                'checks[f"static_assert({REGIONS}is_constant(+({name}))); "] = None',
                "pass",
            ),
            Change(
                f"{_REGIONS}plan.py",
                "(word in shared or not is_probably_constant(unit, word))",
                "False",
            ),
            Change(_BINDINGS, "if division.uses.is_address(first):", "if False:"),
        ),
        (
            "cases_preconditions",
            "cases_values_behind_names",
        ),
        (
            "memory_conversion",
            "memory_reference_member",
            "memory_variable_template",
            "memory_macro_memory",
        ),
    ),
    Mutation(
        "operators",
        "rematerialized value",
        "operators in an initializer are built in",
        (
            Change(
                _BINDINGS,
                'checks[f"static_assert({REGIONS}is_built_in<decltype({name})>); "] = None',
                "pass",
            ),
            Change(
                _HEADER,
                "constexpr bool is_built_in = is_number_or_pointer<remove_cv_t<__T>>;",
                "constexpr bool is_built_in = true;",
            ),
        ),
        ("cases_preconditions", "cases_values_behind_names"),
        ("memory_conversion", "memory_operator", "memory_enum_operator", "memory_enum_compare"),
    ),
    Mutation(
        "calls",
        "rematerialized value",
        "`min` and `max` are those of CUDA",
        (Change(_BINDINGS, "checks |= dict.fromkeys(self._check_call(call))", "pass"),),
        ("cases_preconditions", "cases_values_behind_names"),
        ("memory_user_max",),
    ),
    Mutation(
        "hidden_array",
        "rematerialized value",
        "the name of an array in shared memory stands for its address",
        (
            Change(
                f"{_REGIONS}uses.py",
                "return first < index < last and self._is_one_of(self._shared.names, index)",
                "return self._is_one_of(self._shared.names, index)",
            ),
            Change(
                f"{_REGIONS}declared_names.py",
                "and unit.words[index] in shared.scopes",
                "or unit.words[index] in shared.names",
            ),
        ),
        ("cases_preconditions",),
    ),
    Mutation(
        "pointer_as_array",
        "rematerialized value",
        "an array in shared memory is one",
        (
            Change(
                f"{_REGIONS}forms.py",
                "if unit.words[index] not in others and places[unit.words[index]] == 1",
                "if places[unit.words[index]] == 1",
            ),
            Change(
                _HEADER,
                "constexpr bool stands_for_address = false;",
                "constexpr bool stands_for_address = true;",
            ),
        ),
        ("cases_preconditions",),
    ),
    Mutation(
        "hidden",
        "rematerialized value",
        "no other declaration hides a name in an initializer",
        (
            Change(
                _ANALYZE,
                "return not words.isdisjoint(self._inner) or",
                "return",
            ),
        ),
        (
            "cases_preconditions",
            "region_forms",
            "region_subscripts",
        ),
        ("shadow",),
    ),
    Mutation(
        "uses",
        "rematerialized value",
        "every use only reads the value",
        (
            Change(
                f"{_REGIONS}uses.py",
                'return all(use.kind == "read" for use in self.list_uses(variable))',
                'return all(use.kind != "changed" for use in self.list_uses(variable))',
            ),
        ),
        (
            "cases_parameters",
            "region_forms",
        ),
        ("index_copies", "address", "reference", "overloads_on_const"),
    ),
    Mutation(
        "operands",
        "rematerialized value",
        "the other operands are numbers or pointers",
        (
            Change(
                _HEADER,
                "((is_built_in<__Operands> || is_array_or_pointer<__Operands>) &&\n"
                "                                    ...)> {};",
                "true> {};",
            ),
        ),
        (
            "cases_values_behind_names",
            "cases_objects",
        ),
        ("overloads_on_const", "memory_enum_compare", "memory_subscript_operator", "index_copies"),
    ),
    Mutation(
        "taken",
        "rematerialized value",
        "a function that gets the name alone as an argument takes a value",
        (
            Change(
                _HEADER,
                "takes_value<__Number, __Parameters...>() &&\n"
                "    (is_plain<remove_cv_t<remove_reference_t<__Arguments>>> && ...);",
                "true;",
            ),
            Change(
                f"{_REGIONS}grammar/contexts.py",
                "if len(values) != len(arguments) or not values[place]:",
                "if False:",
            ),
        ),
        ("cases_parameters",),
    ),
    Mutation(
        "named_numbers",
        "rematerialized value",
        "a variable that it initializes is a number, also by the name of a type",
        (
            Change(
                f"{_REGIONS}grammar/contexts.py",
                'return Use("read", types=(base,)) if is_scalar_type(unit, nested) else _UNKNOWN',
                'return Use("read")',
            ),
        ),
        ("cases_preconditions",),
    ),
    Mutation(
        "uniform_uses",
        "uniform variable",
        "every use only reads the value, or assigns a plain expression",
        (
            Change(_ANALYZE, 'use.kind == "read" or (', 'use.kind in ("read", "unknown") or ('),
            Change(_ANALYZE, 'if use.kind == "read":', "if index not in self._assignments:"),
            Change(
                _BINDINGS,
                'return f"[[maybe_unused]] const auto {name} = __kbuild_u{number}__;"',
                'return f"[[maybe_unused]] auto {name} = __kbuild_u{number}__;"',
            ),
        ),
        (
            "cases_parameters",
            "region_forms",
        ),
        ("uniform_loop", "function", "reference", "address"),
    ),
    Mutation(
        "uniform_values",
        "uniform variable",
        "all threads that live assign it",
        (
            Change(
                _ANALYZE,
                "if self._find_mask(index) is not own or not self._is_uniform(",
                "if not self._is_uniform(",
            ),
        ),
        (
            "cases_preconditions",
            "region_guards",
            "region_masks",
        ),
        ("uniform_branches", "masked_loop", "uniform_loop"),
    ),
    Mutation(
        "uniform_fixed",
        "uniform variable",
        "a value that is computed again from it has not changed since",
        (Change(_ANALYZE, "if not self._is_fixed(used, variable):", "if False:"),),
        (
            "cases_preconditions",
            "region_forms",
            "region_guards",
        ),
        ("uniform_loop", "index_copies"),
    ),
    Mutation(
        "guard_plain",
        "guard",
        "both sides are plain expressions of what the row has in common",
        (
            Change(
                _GUARDS,
                "if not all(is_plain(unit, division, side) for side in (left, right)):",
                "if False:",
            ),
        ),
        (
            "cases_preconditions",
            "region_guards",
        ),
        ("parameter_guard", "subscripts", "uniform_branches"),
    ),
    Mutation(
        "guard_wraps",
        "guard",
        "the index grows by one from thread to thread",
        (
            Change(
                _HEADER,
                "if (__from <= __to && static_cast",
                "if (true || static_cast",
            ),
        ),
        ("cases_preconditions", "region_guards"),
        ("subscripts", "parameter_guard"),
    ),
    Mutation(
        "guard_and",
        "guard",
        "`&&` behind it is that of C++",
        (
            Change(
                _HEADER,
                "constexpr enable_if_t<is_built_in<__T>, __T> condition(__T __value)",
                "constexpr __T condition(__T __value)",
            ),
        ),
        ("cases_preconditions",),
    ),
    Mutation(
        "subscript_wraps",
        "subscript",
        "the index grows by one from thread to thread",
        (
            Change(
                _HEADER,
                "if (static_cast<unsigned long long>(__last) -",
                "if (false && static_cast<unsigned long long>(__last) -",
            ),
        ),
        ("region_subscripts",),
        ("subscripts",),
    ),
    Mutation(
        "same_function",
        "divided function",
        "all declarations of a name are those of its definitions in one namespace",
        (
            Change(
                _FUNCTIONS,
                "return all(index in names or self._is_mention(index)",
                "return all(True",
            ),
            Change(
                _FUNCTIONS, "if len({found.namespaces for found in functions}) > 1:", "if False:"
            ),
        ),
        (
            "cases_preconditions",
            "cases_objects",
            "region_functions",
        ),
        ("overloads", "function"),
    ),
    Mutation(
        "own_operation",
        "divided function",
        "an operation is not a function of the user",
        (
            Change(
                _DIVISION,
                "for name in sorted((self._facts.waiting.own & words) - known):",
                "for name in ():",
            ),
        ),
        (
            "cases_preconditions",
            "cases_values_behind_names",
            "cases_spelling",
        ),
        ("user_lane",),
    ),
    Mutation(
        "parameters",
        "divided function",
        "references refer to what they do in the source",
        (
            Change(
                _HEADER,
                "is_converted<__T, __Argument>,",
                "true,",
            ),
            Change(
                _HEADER,
                "can_move<remove_cv_t<__T>> || is_copied_from<remove_cv_t<__T>, __Argument>,",
                "true,",
            ),
        ),
        ("cases_preconditions", "cases_parameters"),
        ("function", "base_reference", "copies"),
    ),
    Mutation(
        "operators",
        "divided function",
        "nobody can tell a parameter from its copy",
        (
            Change(
                _HEADER,
                "static_assert(can_move<__type> || is_copied_from",
                "static_assert(true || is_copied_from",
            ),
        ),
        ("region_arguments",),
        (),
    ),
    Mutation(
        "function_parameters",
        "divided function",
        "a parameter of a function can differ between threads",
        (
            Change(
                _ANALYZE,
                "is_own = variable.is_parameter and self._kernel.is_function",
                "is_own = False",
            ),
        ),
        ("cases_preconditions", "cases_parameters"),
        ("parameter_guard", "function"),
    ),
    Mutation(
        "marks",
        "mark",
        "loops in which a thread can wait are marked",
        (
            Change(
                f"{_MIXED}waits/loops.py",
                "if is_new and not meets and is_loop:",
                "if False:",
            ),
        ),
        ("region_waits",),
    ),
    Mutation(
        "unmarked",
        "mark",
        "a kernel without marks calls no atomic function",
        (Change(_REVIEW, "if _POLL in reached and is_unmarked:", "if False:"),),
        ("cases_waits",),
    ),
    Mutation(
        "operators_of_loops",
        "mark",
        "no operator of a class decides whether a loop ends",
        (
            Change(
                _MARKS,
                "(!(__is_class(remove_reference_t<__Types>) ||",
                "(!(false && __is_class(remove_reference_t<__Types>) ||",
            ),
        ),
        ("cases_waits",),
    ),
    Mutation(
        "block_scope",
        "block scope",
        "a pointer with the scope of the block leads to an element of a shared object",
        (
            Change(
                "native/device/cpu/kbuild_cpu/atomics.h",
                "if constexpr (is_same_v<typename element_of<__Object>::__type, __T> &&",
                "if constexpr (true ||",
            ),
        ),
        ("cases_declarations",),
    ),
    Mutation(
        "updates",
        "mark",
        "`atomicCAS` is that of CUDA",
        (
            Change(
                _MARKS,
                "is_same_v<decltype(find_update",
                "true || is_same_v<decltype(find_update",
            ),
        ),
        ("cases_waits",),
    ),
    Mutation(
        "counters",
        "mark",
        "a function that gets a counter is that of CUDA",
        (
            Change(
                f"{_MIXED}waits/loops.py",
                "return word.startswith(_OWN) and word not in users and not is_member",
                "return word.startswith(_OWN)",
            ),
        ),
        ("cases_waits",),
    ),
    Mutation(
        "destructors",
        "parallel region",
        "an argument makes no object with a destructor",
        (Change(_REGION, "if operation.destroys_nothing", "if False"),),
        ("cases_sequencing",),
    ),
    Mutation(
        "numbers",
        "parallel region",
        "what an operation overtakes is a number",
        (Change(_REGION, "or variable in self._text.division.numbers", "or False"),),
        ("cases_sequencing",),
    ),
    Mutation(
        "statics",
        "divided function",
        "static variables of its types exist once",
        (Change(_REVIEW, "{_WAITS, *waits, *statics}", "{_WAITS, *waits}"),),
        ("cases_parameters",),
    ),
    Mutation(
        "constants",
        "divided function",
        "nobody takes the address of a constant that is static",
        (
            Change(
                f"{_REGIONS}forms.py",
                "unit.words[index] == name and not uses.reads_constant(index)",
                "False",
            ),
        ),
        ("cases_parameters",),
    ),
    Mutation(
        "directives",
        "rematerialized value",
        "no using-directive hides a name in an initializer",
        (Change(_ANALYZE, "or (bool(words) and has_directive)", ""),),
        ("cases_preconditions",),
    ),
    Mutation(
        "lists",
        "rematerialized value",
        "every use in a list only reads the value",
        (
            Change(
                f"{_REGIONS}grammar/contexts.py",
                "own = self._read_operand(parts[place], span)",
                'own = _READ if self._unit.get(opening or 0) == "{" else '
                "self._read_operand(parts[place], span)",
            ),
        ),
        ("cases_parameters",),
    ),
    Mutation(
        "objects",
        "copy of a parameter",
        "the copy constructor and the destructor are trivial",
        (Change(_KERNEL_TEXT, "::kbuild_cpu::are_bytes<__VA_ARGS__>", "true"),),
        ("cases_parameters",),
    ),
    Mutation(
        "shared_parameters",
        "shared parameter",
        "the name refers to the object of the launch",
        (
            Change(
                f"{_MIXED}parameters.py",
                "is_shared = GRID_CONSTANT in before.split() and not parameter.is_pack",
                "is_shared = False",
            ),
        ),
        ("cases_parameters",),
    ),
    Mutation(
        "lanes",
        "place of lanes",
        "a variable has one address in an inlined function, and the call can be copied",
        (
            Change(
                "native/device/cpu/kbuild_cpu/warp.h",
                "return converge_at(&__place, __call);",
                "return converge_at(nullptr, __call);",
            ),
        ),
        ("cases_branches",),
    ),
)
