from __future__ import annotations

import contextlib
import functools
import re
import struct
import time
from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbuild.errors import InputError
from kbuild.formats.amd.code_object import metadata as code_object_metadata
from kbuild.formats.amd.code_object.facts import CodeObject, CodeObjectKernel, CodeObjectParam
from kbuild.formats.amd.code_object.reader import is_code_object, read_code_object
from support.files.amd_builders import (
    FUNC,
    OBJECT,
    OLD_KERNEL,
    CodeObjectBuilder,
    argument,
    descriptor,
    kernel_metadata,
    metadata_note,
)

FULL = kernel_metadata(
    "_Z1kif",
    args=[
        argument(0, 4, **{".name": "n", ".type_name": "int"}),
        argument(8, 8, "global_buffer"),
        argument(16, 8, "hidden_block_count_x"),
        argument(24, 8, "hidden_none"),
    ],
    reqd_workgroup_size=[8, 4, 2],
)


def _full(**changes: Any) -> CodeObjectBuilder:
    builder = CodeObjectBuilder(**changes)
    builder.metadata(FULL, target="gfx90a:sramecc+:xnack-")
    builder.kernel("_Z1kif")
    data = builder.section(".data", 1, bytes(64), 0x3000, 3)
    rodata = builder.section(".rodata.more", 1, bytes(8), 0x4000)
    builder.symbol("grid", OBJECT, data, value=0x3000, size=20)
    builder.symbol("shared.managed", OBJECT, data, value=0x3020, size=4)
    builder.symbol("shared", OBJECT, data, value=0x3028, size=8, binding=2)
    builder.symbol("alone.managed", OBJECT, data, value=0x3030, size=4)
    builder.symbol("_ZL5table", OBJECT, rodata, value=0x4000, size=8, binding=0)
    builder.symbol("elsewhere", OBJECT, 0, size=8)
    builder.symbol("tile", OBJECT, 0xFF00, size=8)
    return builder


def _only(builder: CodeObjectBuilder) -> CodeObjectKernel:
    facts = read_code_object(builder.build())
    assert facts.problems == ()
    (kernel,) = facts.kernels
    return kernel


def _damaged(message: str, builder: CodeObjectBuilder) -> CodeObject:
    facts = read_code_object(builder.build())
    assert any(re.search(message, f"{p.where}: {p.message}") for p in facts.problems), facts
    return facts


def test_all_fields_of_a_kernel_are_read() -> None:
    assert _only(_full()) == CodeObjectKernel(
        name="_Z1kif",
        linkage="external",
        code_bytes=96,
        params=(
            CodeObjectParam(
                index=0, offset=0, size=4, value_kind="by_value", name="n", type_name="int"
            ),
            CodeObjectParam(
                index=1, offset=8, size=8, value_kind="global_buffer", name=None, type_name=None
            ),
        ),
        hidden_params=2,
        kernarg_bytes=16,
        kernarg_alignment=8,
        vgprs=10,
        agprs=2,
        sgprs=20,
        vgpr_spills=3,
        sgpr_spills=4,
        lds_bytes=400,
        scratch_bytes=32,
        max_threads=256,
        required_block=(8, 4, 2),
        wavefront_size=64,
        uses_dynamic_stack=False,
    )


def test_all_fields_of_a_code_object_are_read() -> None:
    data = _full().build()
    assert is_code_object(data)
    facts = read_code_object(data)
    assert (facts.arch, facts.version, facts.flags) == ("gfx90a:sramecc+:xnack-", 5, 0x53F)
    assert not facts.is_relocatable
    assert [(v.name, v.kind, v.size, v.linkage, v.is_read_only) for v in facts.variables] == [
        ("grid", None, 20, "external", False),
        ("shared", "managed", 4, "weak", False),
        ("alone.managed", None, 4, "external", False),
        ("_ZL5table", None, 8, "internal", True),
    ]


def test_stripped_code_object_gives_the_same_facts() -> None:
    assert read_code_object(_full(is_stripped=True).build()) == read_code_object(_full().build())


def test_descriptor_of_a_relocatable_object_is_found() -> None:
    builder = CodeObjectBuilder(type=1)
    builder.metadata(kernel_metadata("k"))
    rodata = builder.section(".rodata", 1, bytes(64) + descriptor())
    builder.symbol("k.kd", OBJECT, rodata, value=64, size=64)
    facts = read_code_object(builder.build())
    assert (facts.is_relocatable, facts.problems) == (True, ())
    assert facts.kernels[0].code_bytes is None


def _arch(abi: int, flags: int, target: str | None = None) -> str:
    builder = CodeObjectBuilder(abi=abi, flags=flags)
    builder.metadata(target=target)
    return read_code_object(builder.build()).arch


def test_arch_comes_from_header_when_metadata_lacks_it() -> None:
    assert _arch(1, 0x02C) == "gfx900:xnack-"
    assert _arch(1, 0x12C) == "gfx900:xnack+"
    assert _arch(1, 0x22F) == "gfx906:sramecc+:xnack-"
    assert _arch(1, 0x036) == "gfx1030"
    assert _arch(2, 0x53F) == "gfx90a"
    assert _arch(3, 0xE3F) == "gfx90a:sramecc+:xnack-"
    assert _arch(3, 0xB4C) == "gfx942:sramecc-:xnack+"
    assert _arch(4, 0x0100_0054) == "gfx11-generic"
    assert _arch(4, 0x0100_055F) == "gfx9-4-generic"
    assert _arch(4, 0x54F, "gfx9-4-generic:xnack+") == "gfx9-4-generic:xnack+"


def test_unknown_or_contradictory_arch_is_a_problem() -> None:
    builder = CodeObjectBuilder(flags=0xFE)
    builder.metadata(target=None)
    assert _damaged("unknown processor .ELF flags 0xfe", builder).arch == ""
    builder = CodeObjectBuilder(flags=0xFE)
    builder.metadata(target="gfx9999")
    facts = read_code_object(builder.build())
    assert (facts.arch, facts.problems) == ("gfx9999", ())
    builder = CodeObjectBuilder(flags=0x53F)
    builder.metadata(target="gfx942")
    assert _damaged("for gfx942, but the ELF header is for gfx90a", builder).arch == "gfx942"
    builder = CodeObjectBuilder()
    builder.section(".note", 7, metadata_note({"amdhsa.target": "amdgcn-amd"}))
    assert read_code_object(builder.build()).arch == "gfx90a"


def test_only_names_are_read_from_version_2() -> None:
    builder = CodeObjectBuilder(abi=0, flags=0x2C)
    text = builder.section(".text", 1, bytes(300), 0x1000, 6)
    builder.symbol("_Z1kv", OLD_KERNEL, text, value=0x1000, size=300)
    facts = _damaged("unsupported code object version 2", builder)
    assert [(k.name, k.code_bytes, k.params) for k in facts.kernels] == [("_Z1kv", 300, None)]
    assert len(facts.problems) == 1


def test_unknown_later_version_is_still_read() -> None:
    assert len(_damaged("unsupported code object version 7", _full(abi=5)).kernels) == 1


@pytest.mark.parametrize(
    ("properties", "abi", "wavefront", "stack"),
    [(0, 3, 64, False), (1 << 10, 3, 32, False), (1 << 11, 3, 64, True), (1 << 11, 2, 64, None)],
)
def test_descriptor_is_used_when_metadata_is_missing(
    properties: int, abi: int, wavefront: int, stack: bool | None
) -> None:
    builder = CodeObjectBuilder(abi=abi)
    builder.kernel("k", descriptor(properties=properties), binding=2)
    (kernel,) = _damaged("metadata: the code object has no metadata", builder).kernels
    assert (kernel.name, kernel.linkage, kernel.code_bytes) == ("k", "weak", 96)
    assert (kernel.lds_bytes, kernel.scratch_bytes, kernel.kernarg_bytes) == (400, 32, 16)
    assert (kernel.wavefront_size, kernel.uses_dynamic_stack) == (wavefront, stack)
    assert (kernel.params, kernel.hidden_params, kernel.vgprs) == (None, None, None)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"group_segment_fixed_size": 1},
            "lds_bytes is 1 in the metadata, but 400 in the descriptor",
        ),
        ({"private_segment_fixed_size": 1}, "scratch_bytes is 1"),
        ({"kernarg_segment_size": 1}, "kernarg_bytes is 1"),
        ({"wavefront_size": 32}, "wavefront_size is 32"),
        ({"uses_dynamic_stack": True}, "uses_dynamic_stack is True"),
        ({"vgpr_count": "10"}, "vgpr_count must be a non-negative integer"),
        ({"vgpr_count": True}, "vgpr_count must be a non-negative integer"),
        ({"vgpr_count": -1}, "vgpr_count must be a non-negative integer"),
        ({"reqd_workgroup_size": [1, 2]}, "must consist of three sizes"),
        ({"reqd_workgroup_size": [1, 2, "3"]}, "must consist of three sizes"),
        ({"reqd_workgroup_size": 3}, "must consist of three sizes"),
        ({"args": 3}, "arguments are not a list"),
        ({"args": [3]}, "an argument is not a map"),
        ({"args": [{".offset": 3}]}, "an argument has no offset, size, or kind"),
        ({"symbol": "other.kd"}, "kernel k: the kernel is not in the metadata"),
        ({"symbol": "other.kd"}, "kernel other: the kernel is in the metadata"),
        ({"symbol": 3}, "kernel 0 of the metadata has no symbol"),
    ],
)
def test_contradictions_and_damaged_metadata_are_problems(
    changes: dict[str, Any], message: str
) -> None:
    builder = CodeObjectBuilder()
    builder.metadata(kernel_metadata("k", **changes))
    builder.kernel("k")
    (kernel,) = _damaged(message, builder).kernels
    assert kernel.name == "k"


def test_fields_missing_from_metadata_are_none() -> None:
    builder = CodeObjectBuilder()
    builder.metadata(kernel_metadata("k", agpr_count=..., args=..., uses_dynamic_stack=...))
    builder.kernel("k", descriptor(kernarg=0))
    kernel = _only(builder)
    assert (kernel.agprs, kernel.params, kernel.uses_dynamic_stack) == (None, (), False)
    assert kernel.kernarg_bytes == 16


def test_descriptor_outside_its_section_is_a_problem() -> None:
    builder = CodeObjectBuilder()
    builder.metadata(kernel_metadata("k"))
    builder.kernel("k", descriptor()[:63])
    (kernel,) = _damaged("kernel k: the descriptor is outside", builder).kernels
    assert kernel.vgprs == 10


def _noted(content: bytes) -> CodeObjectBuilder:
    builder = CodeObjectBuilder()
    builder.section(".note", 7, content)
    builder.kernel("k")
    return builder


SOUND = metadata_note({"amdhsa.kernels": [kernel_metadata("k")]})


def test_notes_of_other_owners_are_skipped() -> None:
    others = metadata_note({}, owner=b"GNU\0") + metadata_note({}, kind=3)
    assert _only(_noted(others + SOUND)).vgprs == 10


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (SOUND[:8], "cut off in its header"),
        (SOUND[:40], "the note ends at byte"),
        (metadata_note(b""), "not valid MessagePack"),
        (metadata_note(b"\xc1"), "not valid MessagePack"),
        (metadata_note(b"\x90\x90"), "not valid MessagePack"),
        (metadata_note([1]), "the metadata is not a map"),
        (metadata_note({1: 2}), "not valid MessagePack"),
        (metadata_note(b"\x81\x90\x01"), "not valid MessagePack"),
        (metadata_note({"a": msgpack.ExtType(5, b"x")}), "not valid MessagePack"),
        (metadata_note({"a": [0] * 70_000}), "not valid MessagePack"),
        (metadata_note({"amdhsa.kernels": 5}), "kernels in the metadata are not a list"),
        (metadata_note({"amdhsa.kernels": [5]}), "kernel 0 of the metadata has no symbol"),
    ],
)
def test_damaged_notes_are_problems(content: bytes, message: str) -> None:
    (kernel,) = _damaged(message, _noted(content)).kernels
    assert (kernel.lds_bytes, kernel.vgprs) == (400, None)


@pytest.mark.parametrize(
    "opening",
    [b"\x91", b"\x81\xa0", b"\xdc\xff\xff", b"\xdd\xff\xff\xff\xff", b"\xdf\xff\xff\xff\xff"],
)
@pytest.mark.parametrize("depth", [100, 1000, 1_000_000])
def test_deeply_nested_metadata_is_rejected_quickly(opening: bytes, depth: int) -> None:
    started = time.monotonic()
    _damaged("metadata: ", _noted(metadata_note(opening * depth)))
    assert time.monotonic() - started < 10


def test_large_metadata_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_object_metadata, "_LARGEST", 100)
    _damaged("the limit is 100", _noted(SOUND))


def test_metadata_keys_with_invalid_utf8_are_ignored() -> None:
    assert _only(_noted(SOUND.replace(b"_spill_count", b"_spill_coun\xff"))).vgpr_spills is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "cut off in its ELF header"),
        (b"\x7fELF" + bytes(100), "not a code object"),
        (CodeObjectBuilder(os_abi=0).build(), "unsupported OS ABI 0"),
    ],
)
def test_other_files_are_rejected(content: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_code_object(content)


@functools.cache
def _sound() -> bytes:
    return _full().build()


@given(st.data())
def test_damage_is_reported_without_raising(data: st.DataObject) -> None:
    content = bytearray(_sound())
    for _ in range(data.draw(st.integers(1, 4))):
        offset = data.draw(st.integers(0, len(content) - 1))
        content[offset] = data.draw(st.integers(0, 255))
    with contextlib.suppress(InputError):
        read_code_object(bytes(content[: data.draw(st.integers(0, len(content)))]))


def test_every_flipped_bit_and_every_truncation_is_handled() -> None:
    sound = _sound()
    for offset in range(len(sound)):
        flipped = bytearray(sound)
        flipped[offset] ^= 1 << offset % 8
        for content in (bytes(flipped), sound[:offset]):
            with contextlib.suppress(InputError):
                read_code_object(content)


@given(st.recursive(st.none() | st.integers(-9, 9) | st.text(max_size=3), st.lists, max_leaves=9))
def test_any_value_of_any_metadata_key_is_handled(value: Any) -> None:
    for key in FULL:
        read_code_object(_noted(metadata_note({"amdhsa.kernels": [FULL | {key: value}]})).build())
    for key in FULL[".args"][0]:
        row = FULL | {".args": [FULL[".args"][0] | {key: value}]}
        read_code_object(_noted(metadata_note({"amdhsa.kernels": [row]})).build())
    read_code_object(_noted(metadata_note({"amdhsa.kernels": value, "x": value})).build())
    read_code_object(_noted(metadata_note({"amdhsa.target": value})).build())


def test_many_kernels_are_read_quickly() -> None:
    started = time.monotonic()
    builder = CodeObjectBuilder()
    builder.metadata(*(kernel_metadata(f"k{number}") for number in range(5000)))
    rodata = builder.section(".rodata", 1, descriptor() * 5000, 0x1000)
    text = builder.section(".text", 1, b"", 0x2000)
    for number in range(5000):
        builder.symbol(f"k{number}.kd", OBJECT, rodata, value=0x1000 + 64 * number, size=64)
        builder.symbol(f"k{number}", FUNC, text, size=number)
    facts = read_code_object(builder.build())
    assert facts.problems == ()
    assert [k.code_bytes for k in facts.kernels] == list(range(5000))
    assert time.monotonic() - started < 10


def test_wrong_magic_is_not_a_code_object() -> None:
    assert not is_code_object(b"")
    assert not is_code_object(_sound()[:18] + struct.pack("<H", 190))
