"""Read from the object of a text which kernels run in a model that they must not have.

The text is compiled in good hope. Then the object says which code a kernel reaches, after
templates, operators, conversions, and destructors. A kernel that reaches a wait from a loop gets
fibers. One that reaches a read of the index, or a function that reports the thread, stores it. If
the address of such a function is taken anywhere, every kernel with a call through a pointer counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, Literal, NamedTuple

from kbuild.formats.elf.constants import STT_OBJECT
from kbuild.formats.elf.device import DeviceElf
from kbuild.formats.elf.headers import read_machine
from kbuild.formats.elf.reachability import Reachability
from kbuild.formats.elf.symbol_entries import SymbolEntry

# The symbol with which device code calls what waits; see kbuild_cpu/scheduling.h. Other functions
# of the runtime belong to the host API, and need a thread.
_WAITS: Final = "kbuild_cpu_waits"
_RUNTIME: Final = "kbuild_cpu_"
# Functions of checks; see kbuild/detail/cpu_checks.h.
_CHECK: Final = "kbuild_cpu_check_"
# What a thread can wait for, and a loop in which it does; see waits/loops.py.
_POLL: Final = "kbuild_cpu_yield"
_LOOP: Final = "kbuild_cpu_loops"
_THREAD_INDEX: Final = "_ZDC9threadIdxE"  # KBUILD_CPU_INDEX_SYMBOL in cpu_device_api.h
_VARIABLES: Final = (_WAITS, _THREAD_INDEX, "kbuild_cpu_api", _LOOP)
_INDEX: Final = frozenset((_THREAD_INDEX, "kbuild_cpu_api", "__assert_fail"))
_HARMLESS: Final = frozenset(
    (
        *("kbuild_cpu_api", "kbuild_cpu_runner", "kbuild_cpu_progress", "kbuild_cpu_shared"),
        *("kbuild_cpu_yield", "kbuild_cpu_fail_thread", "kbuild_cpu_loops"),
    )
)
# A part of the symbol of a static variable that belongs to a divided function, or to a type in one.
# Undivided code has another such variable.
_DIVIDED: Final = "__kbuild_split_"
_TYPE: Final = 0xF  # of a symbol's information
_CONSTANT_SECTIONS: Final = (b".rodata", b".data.rel.ro", b".lrodata")
# Variables in the bodies of kernels; see kernel_text.h.
_DEFINITION: Final = re.compile(r"_ZZ(?P<kernel>.+)E21__kbuild_definition__")
_EXECUTION: Final = re.compile(r"_ZZ(?P<kernel>.+)E20__kbuild_execution__")
_PARAMETERS: Final = re.compile(r"_ZZ.+E21__kbuild_parameters__")
_C_NAME: Final = re.compile(r"\d+(\D.*)")
# Functions of another source, in a device link: C++ functions, except those of its library.
_FOREIGN: Final = re.compile(r"_Z(?!N?K?S[tabiod]|T|SN?t|[dn][alwv]|GV)")
_LIBRARY: Final = re.compile(r"_ZN?K?S[tabiod]")


class Finding(NamedTuple):
    """What is wrong with the model of a kernel.

    Attributes:
        kind: ``waits``, ``index``, ``objects`` if parameters have functions of their own, or
            ``marks`` if its loops need marks.
        kernel: The number of its definition in the text.
    """

    kind: Literal["waits", "index", "objects", "marks"]
    kernel: int


def review_object(
    data: bytes, foreign: frozenset[str] | None = None, *, has_pointers: bool = False
) -> tuple[Finding, ...]:
    """Return what is wrong with the models of the kernels in an object.

    Args:
        data: The object.
        foreign: The C functions that another source can define; None without a device link.
        has_pointers: Whether pointers to functions of other sources exist.

    Raises:
        InputError: The object is damaged.
    """
    elf = DeviceElf(data, read_machine(data), "object")
    names = {elf.symbol_name(symbol): symbol for symbol in elf.symbols}
    reviewed = {
        kernel: symbol.size - 1
        for name, symbol in names.items()
        for kernel in _list_kernels(name, _DEFINITION)
        if kernel in names
    }
    undefined = [name for name, symbol in names.items() if symbol.section == 0]
    waits = {
        name
        for name in undefined
        if name.startswith(_RUNTIME) and not name.startswith(_CHECK) and name not in _HARMLESS
    }
    if foreign is not None:
        waits |= {name for name in undefined if name in foreign or _FOREIGN.match(name)}
    # A user can specialize what the C++ library declares, also in another source.
    library = {name for name in undefined if _LIBRARY.match(name)}
    index = _INDEX | (library if foreign is not None else set())
    waits |= library if has_pointers else set()
    statics = {name for name, symbol in names.items() if _is_divided_static(elf, name, symbol)}
    reachability = Reachability(data, waits | index | statics | {_POLL, _LOOP}, _VARIABLES)
    # Host code takes the addresses of kernels, which device code launches, and does not call.
    kernels = (kernel for name in names for kernel in _list_kernels(name, _EXECUTION))
    addressed = reachability.find_addressed(kernels)
    found = {*_list_objects(names)}
    for kernel, facts in reviewed.items():
        number, is_unmarked, stores_index = facts >> 2, facts & 2, facts & 1
        reach = reachability.find_reach(kernel)
        reached = set(reach.symbols)
        if reach.has_indirect_call:
            reached |= waits if has_pointers else addressed
            reached |= _INDEX if foreign is not None else set()
        if _POLL in reached and is_unmarked:
            found.add(Finding("marks", number))
        if {_POLL, _LOOP} <= reached:
            reached |= {_WAITS}
        if not {_WAITS, *waits, *statics}.isdisjoint(reached):
            found.add(Finding("waits", number))
        elif not stores_index and not index.isdisjoint(reached):
            found.add(Finding("index", number))
    return tuple(sorted(found))


def _is_divided_static(elf: DeviceElf, name: str, symbol: SymbolEntry) -> bool:
    """Return whether a symbol is that of a static variable that a divided function changes."""
    is_defined = 0 < symbol.section < len(elf.sections)
    if _DIVIDED not in name or symbol.info & _TYPE != STT_OBJECT or not is_defined:
        return False
    section = elf.sections[symbol.section]
    return not any(elf.has_name(section, prefix) for prefix in _CONSTANT_SECTIONS)


def _list_objects(names: Mapping[str, SymbolEntry]) -> Iterator[Finding]:
    """Yield the kernels whose parameters have functions of their own, by their variables."""
    for name, symbol in names.items():
        number, have_functions = divmod(symbol.size - 1, 2)
        if have_functions and _PARAMETERS.fullmatch(name):
            yield Finding("objects", number)


def _list_kernels(name: str, variable: re.Pattern[str]) -> Iterator[str]:
    """Yield the possible symbols of the kernel whose body declares a variable."""
    match = variable.match(name)
    if match is not None:
        yield f"_Z{match['kernel']}"
        c_name = _C_NAME.fullmatch(match["kernel"])
        if c_name is not None:
            yield c_name[1]
