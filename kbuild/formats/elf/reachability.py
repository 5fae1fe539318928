"""Which symbols the functions of an object file can reach.

The unit is a section: if any byte of a section is referenced, everything in it counts as reached.
Objects from ``-ffunction-sections -fdata-sections`` have a section per function and variable.
Others have larger sections, so that functions reach more than they use, but never less.

A closure follows relocations of any type, also through data: tables of pointers, vtables, and
switch tables. It also follows the exception tables of functions, because a landing pad can be in
another section. It ends at symbols that the object does not define.

Sources: System V ABI (gABI 4.1), "Relocation"; Linux Standard Base 5.0, "Exception Frames".
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final, TypeAlias

from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer
from kbuild.formats.elf.branches import (
    check_machine,
    has_indirect_branch,
    is_branch,
    list_addresses,
)
from kbuild.formats.elf.constants import (
    ET_REL,
    SHF_ALLOC,
    SHF_EXECINSTR,
    SHT_CREL,
    SHT_REL,
    SHT_RELA,
    STT_FILE,
    STT_SECTION,
    STT_TLS,
)
from kbuild.formats.elf.device import DeviceElf
from kbuild.formats.elf.headers import SectionHeader, read_machine
from kbuild.values import dataclass

# offset, type, symbol, addend
_Row: TypeAlias = tuple[int, int, int, int]
_ROW: Final = struct.Struct("<QIIq")
_FRAMES: Final = b".eh_frame"
_EXCEPTIONS: Final = b".gcc_except_table"
# Only the loader, the unwinder, and tools read the addresses in these sections.
_INERT: Final = (
    *(_FRAMES, _EXCEPTIONS, b"__patchable_function_entries", b".note."),
    *(b".init_array", b".fini_array", b".preinit_array", b".ctors", b".dtors"),
)
# R_X86_64_64, 32, and 32S; R_AARCH64_ABS64 and ABS32
_ABSOLUTE: Final = frozenset((1, 10, 11, 257, 258))
# R_X86_64_PC32 and PC64; R_AARCH64_PREL64 and PREL32
_RELATIVE: Final = frozenset((2, 24, 260, 261))
# Functions that compilers generate for options against speculative execution. They branch through
# a pointer with the instruction that others return with.
_THUNKS: Final = (b"__x86_indirect_thunk", b"__llvm_retpoline", b"__llvm_lvi_thunk")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What the code and data that a function refers to, directly or indirectly, contain.

    Attributes:
        symbols: The requested symbols that the code and data refer to or define.
        has_indirect_call: Whether the code can contain a call or jump through a pointer. Jumps
            through switch tables also count.
    """

    symbols: frozenset[str]
    has_indirect_call: bool


class Reachability:
    """The references between the sections of a relocatable object file.

    Args:
        data: The object file, for x86-64 or aarch64.
        names: The requested symbols. References to other undefined symbols do not count.
        variables: Those of them that are variables, whose address is not that of a function.

    Raises:
        InputError: The data is not such an object file, or it is damaged. Methods also raise this
            error.
    """

    def __init__(self, data: Buffer, names: Iterable[str], variables: Iterable[str] = ()) -> None:
        self._machine = read_machine(data)
        self._elf = elf = DeviceElf(data, self._machine, "relocatable object file")
        check_machine(self._machine)
        if elf.type != ET_REL:
            raise InputError(f"an ELF file of type {elf.type}; expected a relocatable object file")
        count = len(elf.sections)
        # The section that defines each symbol; 0 for others.
        self._homes = [s.section if s.section < count else 0 for s in elf.symbols]
        self._requested = {number: name for name in names for number in self._find(name)}
        self._variables = frozenset(variables)
        self._rows: dict[int, list[_Row]] = {}
        self._targets: dict[int, set[int]] = {}
        self._names: dict[int, set[str]] = {}
        self._codes: dict[int, bytes] = {}
        self._can_branch: dict[int, bool] = {}
        self._has_thunks = any(thunk in elf.symbol_names for thunk in _THUNKS)
        for number, name in self._requested.items():
            if home := self._homes[number]:
                self._names.setdefault(home, set()).add(name)
        for section in elf.sections:
            self._read_relocations(section)
        self._follow_frames()

    def _find(self, name: str) -> list[int]:
        """Return the numbers of the symbols with a name."""
        sought, names = name.encode() + b"\0", self._elf.symbol_names
        found: list[int] = []
        position = names.find(sought) if name else -1
        while position >= 0:
            found += self._numbers.get(position, ())
            position = names.find(sought, position + 1)
        return found

    @cached_property
    def _numbers(self) -> dict[int, list[int]]:
        """The numbers of the symbols by the offsets of their names."""
        found: dict[int, list[int]] = {}
        for number, symbol in enumerate(self._elf.symbols):
            found.setdefault(symbol.name, []).append(number)
        return found

    def _read_relocations(self, section: SectionHeader) -> None:
        """Read the relocations of a section that is loaded; others do not matter."""
        if section.type not in (SHT_RELA, SHT_REL, SHT_CREL):
            return
        index = section.info
        if not 0 < index < len(self._elf.sections):
            raise InputError(f"relocations of section {index}, which does not exist")
        if not self._elf.sections[index].flags & SHF_ALLOC:
            return
        if section.type != SHT_RELA or section.size % _ROW.size:
            raise InputError(
                f"relocations of type {section.type} with {section.size} bytes; expected type "
                f"{SHT_RELA} and entries of {_ROW.size} bytes"
            )
        rows: list[_Row] = list(_ROW.iter_unpack(self._elf.content(section)))
        numbers = {number for _, _, number, _ in rows}
        if numbers and max(numbers) >= len(self._homes):
            raise InputError(f"a relocation of symbol {max(numbers)}, which does not exist")
        self._rows.setdefault(index, []).extend(rows)
        if not self._has_name(index, _FRAMES):
            homes = {self._homes[number] for number in numbers} - {0}
            self._targets.setdefault(index, set()).update(homes)
            named = (self._requested[n] for n in numbers if n in self._requested)
            self._names.setdefault(index, set()).update(named)

    def _follow_frames(self) -> None:
        """Let each function refer to its exception table.

        A frame starts with the address of its code. The address of its table follows.
        """
        for index, rows in self._rows.items():
            if not self._has_name(index, _FRAMES):
                continue
            code = 0
            for _, _, number, _ in sorted(rows):
                home = self._homes[number]
                if self._is_code(home):
                    code = home
                elif code and self._has_name(home, _EXCEPTIONS):
                    self._targets.setdefault(code, set()).add(home)

    def _has_name(self, index: int, prefix: bytes) -> bool:
        return self._elf.has_name(self._elf.sections[index], prefix)

    def _is_code(self, index: int) -> bool:
        return bool(self._elf.sections[index].flags & SHF_EXECINSTR)

    def find_reach(self, function: str) -> Reach:
        """Return what a function reaches; for a name with several symbols, what any of them does.

        Raises:
            InputError: The object does not define the function.
        """
        starts = {self._homes[number] for number in self._find(function)} - {0}
        if not starts:
            raise InputError(f"the object file does not define the function '{function}'")
        return self._close(starts)

    def find_addressed(self, never_called: Iterable[str] = ()) -> frozenset[str]:
        """Return the requested symbols that a call through a pointer can reach.

        Args:
            never_called: Functions that nobody calls through a pointer.

        These are the ones that a function reaches whose address code or data contains. Addresses
        in lists for the loader or the unwinder do not count, and neither do those of labels in
        switch tables. An undefined symbol counts as a function if it is not thread-local.
        """
        ignored = {self._homes[number] for name in never_called for number in self._find(name)}
        sections = set(self._list_addressed_locally()) - ignored
        names = set()
        for index, rows in self._rows.items():
            if any(self._has_name(index, prefix) for prefix in _INERT):
                continue
            code = self._read_code(index) if self._is_code(index) else None
            for row in rows:
                offset, kind, number, _ = row
                home = self._homes[number]
                is_function = self._is_code(home) if home else self._is_function(number)
                if not is_function or home in ignored:
                    continue
                if code is None:
                    is_pointer = not home or not self._is_label(index, row)
                else:
                    is_pointer = not is_branch(self._machine, code, offset, kind)
                if is_pointer and home:
                    sections.add(home)
                elif is_pointer:
                    names.add(self._requested[number])
        return self._close(sections).symbols | names

    def _is_function(self, number: int) -> bool:
        """Return whether an undefined symbol is a requested one that can be a function."""
        if self._requested.get(number) in (None, *self._variables):
            return False
        return self._elf.symbols[number].info & 0xF != STT_TLS

    def _is_label(self, index: int, row: _Row) -> bool:
        """Return whether a relocation of data is surely for a label inside of a function."""
        _, kind, number, addend = row
        symbol, home = self._elf.symbols[number], self._homes[number]
        if kind in _ABSOLUTE:
            return symbol.value + addend not in self._entries[home]
        # The distance of a label from its switch table, which only its own function refers to.
        is_anonymous = symbol.info & 0xF == STT_SECTION
        return kind in _RELATIVE and is_anonymous and self._referrers.get(index) == {home}

    @cached_property
    def _entries(self) -> dict[int, set[int]]:
        """The offsets in each section at which functions can start."""
        # Compilers give private functions no symbol. Such a function is alone in its section.
        found = {index: {0} for index in range(len(self._elf.sections))}
        for symbol, home in zip(self._elf.symbols, self._homes, strict=True):
            if home and symbol.info & 0xF not in (STT_SECTION, STT_FILE):
                found[home].add(symbol.value)
        return found

    @cached_property
    def _referrers(self) -> dict[int, set[int]]:
        found: dict[int, set[int]] = {}
        for index, targets in self._targets.items():
            for target in targets:
                found.setdefault(target, set()).add(index)
        return found

    def _list_addressed_locally(self) -> Iterator[int]:
        """Yield the sections with code that loads the address of one of their own functions.

        Assemblers need no relocation for the address of a local symbol in the same section.
        """
        for index in range(len(self._elf.sections)):
            if self._is_code(index):
                addresses = list_addresses(self._machine, self._read_code(index))
                if not self._entries[index].isdisjoint(addresses):
                    yield index

    def _read_code(self, index: int) -> bytes:
        if index not in self._codes:
            self._codes[index] = bytes(self._elf.content(self._elf.sections[index]))
        return self._codes[index]

    def _close(self, starts: set[int]) -> Reach:
        found = set(starts)
        pending = list(starts)
        while pending:
            new = self._targets.get(pending.pop(), set()) - found
            found |= new
            pending += new
        names = (name for index in found for name in self._names.get(index, ()))
        return Reach(
            symbols=frozenset(names),
            has_indirect_call=self._has_thunks or any(map(self._has_indirect_branch, found)),
        )

    def _has_indirect_branch(self, index: int) -> bool:
        if not self._is_code(index):
            return False
        if index not in self._can_branch:
            kinds = {offset: kind for offset, kind, _, _ in self._rows.get(index, ())}
            code = self._read_code(index)
            self._can_branch[index] = has_indirect_branch(self._machine, code, kinds)
        return self._can_branch[index]
