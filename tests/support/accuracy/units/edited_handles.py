"""kbuild's handles, debug stubs, and registration with some bytes changed."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Final

from kbuild.demangle.stub_names import name_stub
from kbuild.formats.elf.file import Elf
from kbuild.inspect.paths import inspect_content
from kbuild.verify.policy.model import Severity
from support.accuracy.build_env import BuildEnv
from support.accuracy.model import Case, Mutation
from support.accuracy.units.stub_units import (
    load_library_beside_data,
    load_sound_library,
    sound_library,
)
from support.files.hand_made import AXPY, SCALE, SCALE_STUB
from support.files.mutations import (
    change_alignment,
    change_symbol,
    file_offset,
    patch,
    section_range,
)

Edit = Callable[[bytes], bytes]


def _nameless_handle(data: bytes) -> bytes:
    def change(fields: list[int]) -> None:
        fields[0] = 0

    return change_symbol(data, SCALE, change)


def _small_handle(data: bytes) -> bytes:
    def change(fields: list[int]) -> None:
        fields[5] = 4

    return change_symbol(data, SCALE, change)


def _function_handle(data: bytes) -> bytes:
    def change(fields: list[int]) -> None:
        fields[1] = fields[1] & 0xF0 | 2

    return change_symbol(data, SCALE, change)


def _shared_handle(data: bytes) -> bytes:
    (facts,) = inspect_content("x", data)
    first, second = facts.handles
    assert first.symbol is not None
    assert second.symbol is not None
    old, new = (struct.pack("<Q", s.value) for s in (second.symbol, first.symbol))

    def change(fields: list[int]) -> None:
        (fields[4],) = struct.unpack("<Q", new)

    # The kernel table contains the handle's address, in a relocation without a symbol.
    data = change_symbol(data, AXPY, change)
    rela = section_range(data, ".rela.dyn")
    at = data.index(old, rela.start, rela.stop)
    return patch(data, at, new)


def _filled_handle(data: bytes) -> bytes:
    (facts,) = inspect_content("x", data)
    place, constructor = facts.handles[0].place, facts.modules[0].constructor
    assert place is not None
    assert constructor is not None
    address = Elf(data).address(constructor)
    return patch(data, file_offset(data, place), struct.pack("<Q", address))


def _other_initializer(data: bytes) -> bytes:
    (facts,) = inspect_content("x", data)
    constructor = facts.modules[0].constructor
    assert constructor
    address = Elf(data).address(constructor)
    rela = section_range(data, ".rela.dyn")
    at = data.index(struct.pack("<Q", address), rela.start, rela.stop)
    return patch(data, at, struct.pack("<Q", address + 1))


def _broken_descriptor_abi(data: bytes) -> bytes:
    (facts,) = inspect_content("x", data)
    descriptor = facts.modules[0].descriptor
    assert descriptor
    return patch(data, file_offset(data, descriptor), struct.pack("<I", 99))


def _misaligned_fat_binary(data: bytes) -> bytes:
    return change_alignment(data, ".kbuild_fatbin", 4)


def _misaligned_note(data: bytes) -> bytes:
    return change_alignment(data, ".note.kbuild", 1)


def _nameless_stub(data: bytes) -> bytes:
    def change(fields: list[int]) -> None:
        fields[0] = 0

    return change_symbol(data, SCALE_STUB, change)


def _stub_of_data(data: bytes) -> bytes:
    def change(fields: list[int]) -> None:
        fields[1] = fields[1] & 0xF0 | 1

    return change_symbol(data, SCALE_STUB, change)


def _stub_without_row(data: bytes) -> bytes:
    def change(fields: list[int]) -> None:
        fields[1] = fields[1] & 0xF0 | 2

    return change_symbol(data, name_stub(AXPY), change)


def _weak_stub(data: bytes) -> bytes:
    def change(fields: list[int]) -> None:
        fields[1] = fields[1] & 0x0F | 2 << 4

    return change_symbol(data, SCALE_STUB, change)


def _protected_stub(data: bytes) -> bytes:
    def change(fields: list[int]) -> None:
        fields[2] = 3

    return change_symbol(data, SCALE_STUB, change)


def _no_unregister(data: bytes) -> bytes:
    # The third pointer of the note, relative to its own address: see hand_made.py.
    return patch(data, section_range(data, ".note.kbuild").start + 20 + 8 + 16, bytes(8))


def _mutate(rule: str, way: str, edit: Edit, severity: Severity = "error") -> Mutation:
    def broken(build_env: BuildEnv) -> Case:
        return Case(paths=(build_env.edit(way, load_sound_library(build_env), edit),))

    return Mutation(rule=rule, way=way, severity=severity, broken=broken, sound=sound_library())


def _mutate_stub(rule: str, way: str, edit: Edit, severity: Severity = "error") -> Mutation:
    def broken(build_env: BuildEnv) -> Case:
        return Case(paths=(build_env.edit(way, load_library_beside_data(build_env), edit),))

    def sound(build_env: BuildEnv) -> Case:
        return Case(paths=(load_library_beside_data(build_env),))

    return Mutation(rule=rule, way=way, severity=severity, broken=broken, sound=sound)


MUTATIONS: Final = (
    _mutate("KB301", "symbol without a name", _nameless_handle),
    _mutate("KB302", "symbol's type changed", _function_handle),
    _mutate("KB303", "symbol's size changed", _small_handle),
    _mutate("KB304", "second kernel at the first one's address", _shared_handle),
    _mutate("KB308", "handle filled", _filled_handle),
    _mutate("KB401", "initializer leads elsewhere", _other_initializer),
    _mutate("KB401", "descriptor of an unknown version", _broken_descriptor_abi),
    _mutate("KB407", "note without the unregistering function", _no_unregister, "warning"),
    _mutate("KB505", "fat binary's section aligned less", _misaligned_fat_binary),
    _mutate("KB505", "note's section aligned less", _misaligned_note),
    _mutate_stub("KB305", "stub's symbol without a name", _nameless_stub),
    _mutate_stub("KB305", "stub's symbol is data", _stub_of_data),
    _mutate_stub("KB306", "data becomes a function", _stub_without_row, "warning"),
    _mutate_stub("KB307", "stub's symbol becomes weak", _weak_stub),
    _mutate_stub("KB307", "stub's symbol becomes protected", _protected_stub),
)
