"""Read CPU device code as the compiler leaves it: the kernels in an object file.

Every kernel has the attribute ``patchable_function_entry(1, 1)``, so the compiler lists its
address, minus one no-op, in ``__patchable_function_entries``. This works for static kernels,
kernels in namespaces, and templates alike, without attributes that templates do not accept.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator
from typing import Final

from kbuild.backends.cpu.adapters.generate import AdapterKernel, is_known_scalar, layout_parameters
from kbuild.backends.cpu.adapters.passing import find_obstacle
from kbuild.backends.cpu.contents import (
    LINKAGE_CODES,
    OWN_SUFFIX,
    VARIABLE_KINDS,
    display_name,
    display_variable,
)
from kbuild.backends.interface.read import ImageContent
from kbuild.demangle.names import demangle, is_nameable, split_function
from kbuild.errors import SourceError
from kbuild.facts import Place, Symbol
from kbuild.formats import dwarf
from kbuild.formats.elf.file import Elf
from kbuild.model import Kernel, Linkage, Resources, Variable, VariableKind
from kbuild.values import dataclass

KERNEL_LIST: Final = "__patchable_function_entries"
# The device variables of a mixed source; see native/device/cpu/mixed/device_text.h. Every object
# of a mixed source has this section.
VARIABLE_LIST: Final = ".kbuild_variables"

# The kinds and names of its variable templates.
_TEMPLATE_LIST: Final = ".kbuild_variable_templates"

_NO_OP_BYTES: Final = {"x86_64": 1, "aarch64": 4}
_LINKAGES: Final[dict[str, Linkage]] = {"global": "external", "weak": "weak", "local": "internal"}
_VARIABLE_ROW: Final = struct.Struct("<QQQ8x")  # address, size, kind
_MANAGED_SECTION: Final = ".data.kbuild_managed"
# The variable in the body of a kernel whose size is the launch bound; see kernel_text.h.
_BOUND: Final = "E16__kbuild_bound__"
# The one whose size says how many blocks a cluster has.
_CLUSTER: Final = "E18__kbuild_cluster__"
# The variable that says how the kernel runs the threads of a block.
_EXECUTION: Final = "E20__kbuild_execution__"
# Itanium C++ ABI, section 5.1.4.
_GUARD: Final = "_ZGV"
_RUN_INITIALIZERS: Final = "__tls_init"
# See kbuild/detail/cpu_check_hooks.h.
# The most static shared memory of a block, in bytes.
_MOST_SHARED: Final = 48 * 1024
_MOST_SHARED_HIP: Final = 64 * 1024
_SHARED_PLACE: Final = re.compile(r"(?P<function>.*?)(?:::)?__kbuild_place_of_(?P<name>\w+)__")
_ATOMIC_CHECK: Final = re.compile(r"__tsan_atomic\d")


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectFacts:
    """The facts about one object that an adapter and the table of an image need.

    Attributes:
        static_symbols: The symbols of kernels and variables that no other object can reach.
        defined_functions: The symbols of all functions that the object defines.
        is_mixed: Whether the object is made from a mixed source, so that it contains host code.
        has_atomic_checks: Whether it calls the checks of atomic accesses.
    """

    kernels: tuple[AdapterKernel, ...]
    variables: tuple[Variable, ...]
    static_symbols: tuple[str, ...]
    defined_functions: frozenset[str]
    is_x86: bool
    is_mixed: bool
    has_atomic_checks: bool


def read_object(data: bytes, where: str) -> ObjectFacts:
    """Read an object.

    Args:
        data: The object.
        where: Its name in messages.

    Raises:
        SourceError: The source contains a kernel that cannot work.
    """
    elf = Elf(data)
    symbols = _kernel_symbols(elf)
    is_mixed = bool(elf.sections_named(VARIABLE_LIST))
    _reject_shared_initializers(where, elf, _list_functions(symbols) if is_mixed else None)
    reject_large_shared_memory(where, elf.symbols)
    variables = tuple(_read_variables(elf) if is_mixed else _find_variables(elf))
    sizes = {s.name: s.size for s in elf.symbols if s.name.endswith((_BOUND, _CLUSTER))}
    executions = {
        s.name: elf.read_text(s.place) or ""
        for s in elf.symbols
        if s.name.endswith(_EXECUTION) and s.place is not None
    }
    return ObjectFacts(
        kernels=tuple(
            AdapterKernel(
                symbol=symbol.name,
                linkage=LINKAGE_CODES.index(_linkage(symbol)),
                parameters=parameters,
                max_threads=sizes.get(_name_variable(symbol.name, _BOUND), 0),
                cluster=sizes.get(_name_variable(symbol.name, _CLUSTER), 0),
                execution=executions.get(_name_variable(symbol.name, _EXECUTION), ""),
            )
            for symbol, parameters in _parameters(where, data, elf, symbols)
        ),
        variables=variables,
        static_symbols=(
            *(symbol.name for symbol in symbols if symbol.binding == "local"),
            *(variable.name for variable in variables if variable.linkage == "internal"),
        ),
        defined_functions=frozenset(
            symbol.name
            for symbol in elf.symbols
            if symbol.type == "function" and symbol.place is not None
        ),
        is_x86=elf.machine == "x86_64",
        is_mixed=is_mixed,
        has_atomic_checks=any(_ATOMIC_CHECK.match(s.name) for s in elf.symbols),
    )


def describe_object(data: bytes) -> ImageContent:
    """Describe an object that waits for a device link as its image would be described."""
    facts = read_object(data, "object")
    return ImageContent(
        kernels=tuple(
            Kernel(
                name=kernel.symbol,
                display=display_name(kernel.symbol),
                linkage=LINKAGE_CODES[kernel.linkage],
                params=layout_parameters(kernel),
                resources=Resources(max_threads=kernel.max_threads or None),
                execution=kernel.execution or None,
            )
            for kernel in facts.kernels
        ),
        variables=facts.variables,
    )


def _name_variable(kernel: str, name: str) -> str:
    """Return the symbol of a variable in the body of a kernel (Itanium C++ ABI, section 5.1.7)."""
    own = OWN_SUFFIX.sub("", kernel)
    return f"_ZZ{own[2:] if own.startswith('_Z') else f'{len(own)}{own}'}{name}"


def _is_static(symbol: Symbol) -> bool:
    return symbol.binding == "local" or OWN_SUFFIX.search(symbol.name) is not None


def _linkage(symbol: Symbol) -> Linkage:
    return "internal" if _is_static(symbol) else _LINKAGES.get(symbol.binding, "external")


def _kernel_symbols(elf: Elf) -> tuple[Symbol, ...]:
    """Return the functions that the entry sections list, in the order of their definition."""
    functions = {
        (symbol.place.section, symbol.place.offset): symbol
        for symbol in elf.symbols
        if symbol.type == "function" and symbol.place is not None
    }
    step = _NO_OP_BYTES.get(elf.machine, 0)
    found = []
    for section in elf.sections_named(KERNEL_LIST):
        for offset in range(0, section.size, 8):
            entry = elf.pointer_at(Place(section=section.index, offset=offset)).place
            if entry is None:
                continue
            symbol = functions.get((entry.section, entry.offset + step))
            if symbol is not None:
                found.append(symbol)
    return tuple(dict.fromkeys(found))


def _find_variables(elf: Elf) -> Iterator[Variable]:
    """Yield the variables that other files can refer to; host variables are already rejected."""
    for symbol in elf.symbols:
        is_variable = (
            symbol.type == "object"
            and symbol.place is not None
            and symbol.binding != "local"
            and symbol.size > 0
            and is_nameable(symbol.name)
            and not symbol.name.endswith(_BOUND)
        )
        if is_variable and symbol.place is not None:
            is_managed = elf.sections[symbol.place.section].name == _MANAGED_SECTION
            yield Variable(
                name=symbol.name,
                display=demangle(symbol.name),
                kind="managed" if is_managed else "device",
                size=symbol.size,
            )


def _read_variables(elf: Elf) -> Iterator[Variable]:
    """Yield the variables in the list of a mixed source."""
    objects = {
        (symbol.place.section, symbol.place.offset): symbol
        for symbol in elf.symbols
        if symbol.type == "object" and symbol.place is not None and symbol.size > 0
    }
    for section in elf.sections_named(VARIABLE_LIST):
        for offset in range(0, section.size, _VARIABLE_ROW.size):
            place = Place(section=section.index, offset=offset)
            _, size, kind = _VARIABLE_ROW.unpack(elf.read(place, _VARIABLE_ROW.size))
            address = elf.pointer_at(place)
            found = address.place and objects.get((address.place.section, address.place.offset))
            name = found.name if found else address.symbol
            if name is not None:
                yield Variable(
                    name=name,
                    display=display_variable(name),
                    kind=VARIABLE_KINDS[kind],
                    size=size,
                    linkage="internal" if found and found.binding == "local" else "external",
                )
    yield from _find_instances(elf)


def _find_instances(elf: Elf) -> Iterator[Variable]:
    """Yield the instances of the variable templates of a mixed source."""
    kinds: dict[str, VariableKind] = {}
    for section in elf.sections_named(_TEMPLATE_LIST):
        content = elf.read(Place(section=section.index, offset=0), section.size)
        for row in content.split(b"\0")[:-1]:
            kinds[row[1:].decode()] = VARIABLE_KINDS[int(row[:1])]
    if not kinds:
        return
    for symbol in elf.symbols:
        display = demangle(symbol.name) if symbol.type == "object" and symbol.place else ""
        kind = kinds.get(display.partition("<")[0])
        if kind is not None and display.endswith(">"):
            yield Variable(
                name=symbol.name,
                display=display,
                kind=kind,
                size=symbol.size,
                linkage="internal" if symbol.binding == "local" else "external",
            )


def _list_functions(symbols: tuple[Symbol, ...]) -> tuple[str, ...]:
    return tuple(f"{display_name(symbol.name)}::" for symbol in symbols)


def _reject_shared_initializers(
    where: str, elf: Elf, kernels: tuple[str, ...] | None = None
) -> None:
    """Reject ``__shared__`` variables with a constructor.

    gcc rejects them itself. With clang, every OS thread would run the constructor. If ``kernels``
    is not None, variables elsewhere can be thread-local variables of host code.
    """
    for symbol in elf.symbols:
        is_guard = symbol.type == "tls" and symbol.name.startswith(_GUARD)
        if symbol.place is not None and (is_guard or symbol.name == _RUN_INITIALIZERS):
            name = demangle(symbol.name).removeprefix("guard variable for ")
            if kernels is not None and not name.startswith(kernels):
                continue
            which = f" '{name}'" if is_guard else ""
            raise SourceError(
                f"{where}: a __shared__ variable{which} has a constructor, destructor, or "
                "initializer, but shared memory starts uninitialized; remove it"
            )


def reject_large_shared_memory(where: str, symbols: Iterable[Symbol]) -> None:
    """Reject functions whose ``__shared__`` variables do not fit into the memory of a block."""
    limit = _MOST_SHARED_HIP if where.endswith(".hip") else _MOST_SHARED
    sizes: dict[str, dict[str, int]] = {}  # of the variables of each function
    for symbol in symbols:
        is_variable = symbol.type == "tls" and symbol.place is not None
        if is_variable and (found := _SHARED_PLACE.fullmatch(demangle(symbol.name))):
            # No function needs to use all variables of a namespace.
            variables = sizes.setdefault(found["function"] or symbol.name, {})
            variables[found["name"]] = symbol.size
    for variables in sizes.values():
        total = sum(variables.values())
        if total > limit:
            names = ", ".join(f"'{name}'" for name in sorted(variables))
            raise SourceError(
                f"{where}: {total} bytes of __shared__ variables ({names}), but the limit is "
                f"{limit}; use dynamic shared memory ('extern __shared__')"
            )


def _parameters(
    where: str, data: bytes, elf: Elf, symbols: tuple[Symbol, ...]
) -> tuple[tuple[Symbol, tuple[dwarf.Parameter, ...]], ...]:
    names: dict[str, str] = {}
    for symbol in symbols:
        original = OWN_SUFFIX.sub("", symbol.name)
        names[original] = symbol.name
        if _is_static(symbol):
            names[split_function(demangle(original))[0]] = symbol.name
    places = {
        (symbol.place.section, symbol.place.offset): symbol.name
        for symbol in symbols
        if _is_static(symbol) and symbol.place is not None
    }
    signatures = dwarf.read_signatures(data, frozenset(names), places)
    found = {names.get(name, name): signature for name, signature in signatures.items()}
    for symbol in symbols:
        display = display_name(symbol.name)
        if symbol.name not in found:
            raise SourceError(
                f"{where}: no debug information for kernel '{display}'; do not pass -g0"
            )
        mistake = _find_mistake(found[symbol.name], is_x86=elf.machine == "x86_64")
        if mistake is not None:
            place = found[symbol.name].place or where
            raise SourceError(f"{place}: kernel '{display}' {mistake}")
    return tuple((symbol, found[symbol.name].parameters) for symbol in symbols)


def _find_mistake(signature: dwarf.Signature, *, is_x86: bool) -> str | None:
    """Describe a mistake in the kernel, as text that follows its name; or nothing."""
    if signature.result is not None:
        return f"returns '{signature.result}'; return void, and write results through a pointer"
    if signature.is_variadic:
        return "takes a variable number of arguments ('...'); declare each parameter"
    for parameter in signature.parameters:
        value = parameter.type
        if value.kind == "reference" and value.name.endswith("&&"):
            return f"takes an rvalue reference, '{value.name}'; pass the value, or a reference"
        obstacle = find_obstacle(value, is_x86=is_x86)
        if obstacle is None and not is_known_scalar(value):
            obstacle = "this kbuild cannot pass by value"
        if obstacle is not None:
            return f"takes '{value.name}' by value, which {obstacle}; pass a pointer"
    return None
