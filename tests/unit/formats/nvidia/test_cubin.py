from __future__ import annotations

import contextlib
import functools
import re
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbuild.errors import InputError
from kbuild.formats.nvidia.cubin.facts import CubinFacts, CubinKernel
from kbuild.formats.nvidia.cubin.nv_info import CubinParam
from kbuild.formats.nvidia.cubin.reader import read_cubin
from support.files.nvidia_builders import CubinBuilder, attribute, note, param, tool_note

INFO, COMPAT, NOTE, NOBITS = 0x7000_0000, 0x7000_0086, 7, 8
HOPPER = 0x06005A04
ABI_7 = 0x0050_0550


def _pair(code: int, symbol: int, number: int) -> bytes:
    return attribute(4, code, struct.pack("<II", symbol, number))


def _three(code: int, *numbers: int) -> bytes:
    return attribute(4, code, struct.pack("<III", *numbers))


def _only(builder: CubinBuilder) -> CubinKernel:
    facts = read_cubin(builder.build())
    assert facts.problems == ()
    (kernel,) = facts.kernels
    return kernel


PARAMS = attribute(4, 0x0A, struct.pack("<IHH", 1, 0x160, 0x18)) + attribute(3, 0x19, 0x18)
FULL = b"".join(
    (
        attribute(4, 0x37, struct.pack("<I", 130)),
        param(2, 16, 8),
        param(1, 4, 4),
        param(0, 0, 4),
        PARAMS,
        _three(0x05, 256, 1, 1),
        _three(0x10, 128, 2, 1),
        _three(0x3D, 2, 1, 1),
        attribute(4, 0x3F, struct.pack("<I", 4)),
        attribute(2, 0x4C, 3),
        attribute(1, 0x04),
    )
)


def _full(flags: int = HOPPER, kind: int = 2) -> CubinBuilder:
    builder = CubinBuilder(flags=flags, type=kind)
    builder.section(".note.nv.cuinfo", NOTE, note(1000, struct.pack("<HHHH", 2, 90, 130, 0)))
    builder.section(".note.nv.tkinfo", NOTE, tool_note("-maxrregcount 32 -arch sm_90 -m 64"))
    kernel = builder.kernel("_Z1kifPf", FULL, code_info=24 << 24)
    builder.section(
        ".nv.info",
        INFO,
        _pair(0x2F, kernel, 40) + _pair(0x11, kernel, 48) + _pair(0x12, kernel, 64),
    )
    code = 3
    builder.section(".nv.constant0._Z1kifPf", 1, bytes(0x178), code)
    builder.section(".nv.shared._Z1kifPf", NOBITS, 1024 + 1200, code)
    builder.section(".nv.local._Z1kifPf", NOBITS, 8, code)
    # Cubins for sm_100 contain copies of these sections with separate types.
    builder.section(".nv.merc.nv.info._Z1kifPf", 0x7000_0083, b"\xff", code)
    constant = builder.section(".nv.constant3", 1, bytes(64))
    memory = builder.section(".nv.global", NOBITS, 64)
    shared = builder.section(".nv.shared.reserved.0", NOBITS, 64)
    builder.symbol("table", 1, constant, size=64)
    builder.symbol("_ZL6hidden", 1, memory, size=4, binding=0)
    builder.symbol("shared_with_host", 13, memory, size=8, other=0x24)
    builder.symbol("elsewhere", 1, 0, size=8)
    builder.symbol("tile", 1, shared, size=8)
    builder.symbol("_Z6devicei", 2, code, size=16)
    return builder


def test_all_fields_of_a_kernel_are_read() -> None:
    assert _only(_full()) == CubinKernel(
        name="_Z1kifPf",
        linkage="external",
        code_bytes=16,
        params=(
            CubinParam(index=0, offset=0, size=4),
            CubinParam(index=1, offset=4, size=4),
            CubinParam(index=2, offset=16, size=8),
        ),
        layout=((0, 4), (4, 4), (16, 8)),
        params_offset=0x160,
        params_size=0x18,
        registers=40,
        shared_bytes=1200,
        stack_bytes=64,
        frame_bytes=48,
        local_bytes=8,
        constant_bytes=0x178,
        barriers=3,
        max_threads=(256, 1, 1),
        required_block=(128, 2, 1),
        cluster=(2, 1, 1),
        max_cluster_rank=4,
    )


def test_all_fields_of_a_module_are_read() -> None:
    facts = read_cubin(_full().build())
    assert (facts.arch, facts.abi, facts.virtual_arch, facts.toolkit) == ("sm_90", 8, 90, "13.0")
    assert not facts.is_relocatable
    assert facts.tool
    assert facts.tool.tool == "ptxas"
    assert facts.tool.command_line == "-maxrregcount 32 -arch sm_90 -m 64"
    assert [(v.name, v.kind, v.size, v.linkage) for v in facts.variables] == [
        ("table", "constant", 64, "external"),
        ("_ZL6hidden", "global", 4, "internal"),
        ("shared_with_host", "managed", 8, "external"),
    ]


@pytest.mark.parametrize(
    ("flags", "kind", "shared"),
    [(HOPPER, 2, 1200), (HOPPER, 1, 2224), (0x06005004, 2, 2224), (0x06006402, 2, 1200)],
)
def test_reserved_shared_memory_is_not_counted(flags: int, kind: int, shared: int) -> None:
    assert _only(_full(flags, kind)).shared_bytes == shared


def _arch(builder: CubinBuilder) -> str:
    return read_cubin(builder.build()).arch


def test_arch_is_found_for_every_toolkit() -> None:
    assert _arch(CubinBuilder(abi=7, flags=ABI_7)) == "sm_80"
    assert _arch(CubinBuilder(abi=7, flags=0x005A_0D5A)) == "sm_90a"
    assert _arch(CubinBuilder(flags=0x06007902)) == "sm_121"
    assert _arch(CubinBuilder(flags=0x0600640A)) == "sm_100a"
    builder = CubinBuilder(flags=HOPPER)
    builder.section(".nv.compat", COMPAT, attribute(2, 0x09, 1) + attribute(3, 0x0D, 0x101))
    assert _arch(builder) == "sm_90a"
    builder = CubinBuilder(flags=0x06006402)
    builder.section(".nv.compat", COMPAT, attribute(2, 0x09, 0))
    builder.section(".note.nv.tkinfo", NOTE, tool_note("-arch sm_100f -m 64 "))
    assert _arch(builder) == "sm_100f"


def test_toolkit_version_is_found_for_every_toolkit() -> None:
    facts = read_cubin(CubinBuilder(abi=7, flags=ABI_7, version=118).build())
    assert (facts.toolkit, facts.virtual_arch) == ("11.8", 0x50)
    # Toolkit 12.9 for sm_100 writes an older note, which contains only the architecture.
    builder = CubinBuilder()
    builder.section(".note.nv.cuver", NOTE, note(1000, struct.pack("<HHII", 1, 100, 1, 1)))
    facts = read_cubin(builder.build())
    assert (facts.toolkit, facts.virtual_arch) == (None, 100)
    builder.section(".note.nv.tkinfo", NOTE, tool_note("-arch sm_100", "release 12.9, V12.9.86"))
    assert read_cubin(builder.build()).toolkit == "12.9"
    builder = CubinBuilder()
    builder.kernel("k", attribute(4, 0x37, struct.pack("<I", 118)))
    assert read_cubin(builder.build()).toolkit == "11.8"


def test_abi_7_numbers_are_read_from_section_headers() -> None:
    builder = CubinBuilder(abi=7, flags=ABI_7)
    builder.kernel("k", b"", code_info=24 << 24 | 1, code_flags=0x500006)
    kernel = _only(builder)
    assert (kernel.registers, kernel.barriers) == (24, 5)
    assert (kernel.params, kernel.stack_bytes) == ((), None)


def test_registers_are_unknown_when_headers_lack_them() -> None:
    builder = CubinBuilder(flags=HOPPER)
    builder.kernel("k", b"", code_info=24 << 24)
    assert _only(builder).registers is None


def test_stack_of_recursive_function_is_unknown() -> None:
    builder = CubinBuilder()
    kernel = builder.kernel("k", b"")
    builder.section(".nv.info", INFO, _pair(0x12, kernel, 0xFFFF_FFFF) + _pair(0x11, kernel, 0))
    assert (_only(builder).stack_bytes, _only(builder).frame_bytes) == (None, 0)


def test_large_parameters_use_the_second_record_format() -> None:
    builder = CubinBuilder()
    record = struct.pack("<IHHHBB", 0, 0, 0, 5000, 0, 0)
    builder.kernel("k", attribute(4, 0x45, record) + attribute(3, 0x19, 5000))
    kernel = _only(builder)
    assert kernel.params == (CubinParam(index=0, offset=0, size=5000),)
    assert kernel.params_size == 5000


def test_linkage_follows_the_symbol_binding() -> None:
    builder = CubinBuilder()
    for name, binding in (("internal", 0), ("external", 1), ("weak", 2)):
        code = builder.section(f".text.{name}", 1, bytes(16))
        builder.section(f".nv.info.{name}", INFO, b"", code)
        builder.symbol(name, 2, code, size=16, other=0x10, binding=binding)
    facts = read_cubin(builder.build())
    assert [kernel.linkage for kernel in facts.kernels] == ["internal", "external", "weak"]


def test_unknown_attributes_are_skipped() -> None:
    builder = CubinBuilder()
    builder.kernel("k", attribute(2, 0x90, 1) + attribute(4, 0x91, b"bytes") + param(0, 0, 8))
    facts = read_cubin(builder.build())
    assert facts.kernels[0].params == (CubinParam(index=0, offset=0, size=8),)


@pytest.mark.parametrize(
    ("info", "message"),
    [
        (attribute(5, 0x90), "unknown format 5"),
        (b"\4\x17\xff\0", "cut off"),
        (b"\4", "cut off"),
        (param(1, 0, 4), "not numbered"),
        (param(0, 0, 4) * 2, "not numbered"),
        (attribute(4, 0x17, b"abc"), "too short"),
        (attribute(4, 0x45, b"abc"), "too short"),
        (attribute(4, 0x05, b"abc"), "too short"),
    ],
)
def test_damaged_kernel_is_a_problem_and_the_next_one_is_read(info: bytes, message: str) -> None:
    builder = CubinBuilder()
    builder.kernel("broken", info)
    builder.kernel("sound", FULL)
    facts = read_cubin(builder.build())
    assert [k.name for k in facts.kernels] == ["broken", "sound"]
    broken, sound = facts.kernels
    assert (broken.params, broken.params_size, broken.barriers) == (None, None, None)
    assert sound.params is not None
    (problem,) = facts.problems
    assert problem.where == "kernel broken"
    assert re.search(message, problem.message)


def test_kernel_without_attributes_is_a_problem() -> None:
    builder = CubinBuilder()
    builder.symbol("k", 2, builder.section(".text.k", 1, bytes(16)), size=16, other=0x10)
    (problem,) = read_cubin(builder.build()).problems
    assert "no .nv.info section" in problem.message


@pytest.mark.parametrize(
    ("name", "kind", "content", "message"),
    [
        (".note.nv.cuinfo", NOTE, b"abc", "cut off in its header"),
        (".note.nv.cuinfo", NOTE, struct.pack("<III", 12, 999, 1000), "the note ends"),
        (".note.nv.cuinfo", NOTE, note(1000, b"ab"), "cuinfo note is too short"),
        (".note.nv.tkinfo", NOTE, note(2000, b"ab"), "tkinfo note is too short"),
        (".note.nv.tkinfo", NOTE, note(2000, b"\xff" * 24), "outside the note"),
        (".nv.compat", COMPAT, b"\7\0\0\0", "unknown format 7"),
        (".nv.info", INFO, attribute(4, 0x2F, b"abc"), "too short"),
    ],
)
def test_damaged_section_is_a_problem(name: str, kind: int, content: bytes, message: str) -> None:
    builder = CubinBuilder()
    builder.section(name, kind, content)
    builder.kernel("k", FULL)
    facts = read_cubin(builder.build())
    assert len(facts.kernels) == 1
    (problem,) = facts.problems
    assert re.search(message, problem.message)


def _rejected(message: str, content: bytes) -> None:
    with pytest.raises(InputError, match=message):
        read_cubin(content)


@functools.cache
def _sound() -> bytes:
    return _full().build()


@pytest.mark.parametrize(
    ("offset", "layout", "value", "message"),
    [
        (0, "<I", 0, "not a cubin"),
        (4, "<B", 1, "not a cubin"),
        (18, "<H", 62, "not a cubin"),
        (8, "<B", 9, "unsupported cubin ABI 9"),
        (40, "<Q", 1 << 63, "section header"),
        (58, "<H", 40, "section headers of 40 bytes"),
        (60, "<H", 0xFEFF, "section headers end"),
        (60, "<H", 0, "there are 0 sections"),
        (62, "<H", 0xFEFF, "names are in section 65279"),
        (62, "<H", 0xFFFF, None),
    ],
)
def test_every_header_field_is_checked(
    offset: int, layout: str, value: int, message: str | None
) -> None:
    content = bytearray(_sound())
    struct.pack_into(layout, content, offset, value)
    if message:
        _rejected(message, bytes(content))
    else:
        # The names are read from section 0, which is empty.
        assert isinstance(read_cubin(bytes(content)), CubinFacts)


def test_truncated_header_is_rejected() -> None:
    _rejected("cut off in its ELF header", _sound()[:60])


def test_overlapping_sections_are_rejected_quickly() -> None:
    builder = CubinBuilder()
    for index in range(100):
        builder.kernel(f"k{index}", FULL)
    content = bytearray(builder.build())
    table = struct.unpack_from("<Q", content, 40)[0]
    for index in range(1, 201):
        row = table + 64 * index
        if struct.unpack_from("<I", content, row + 4)[0] == INFO:
            struct.pack_into("<QQ", content, row + 24, 0, len(content))
    facts = read_cubin(bytes(content))
    assert any("overlap" in problem.message for problem in facts.problems)


def test_names_with_shared_tails_are_rejected_quickly() -> None:
    builder = CubinBuilder()
    memory = builder.section(".nv.global", NOBITS, 8)
    builder.symbol("n" * 60_000, 1, memory, size=8)
    for _ in range(1000):
        builder.symbol("", 1, memory, size=8)
    content = bytearray(builder.build())
    symbols = content.find(struct.pack("<IBBHQQ", 60_002, 0x11, 0, memory, 0, 8))
    for index in range(1000):
        struct.pack_into("<I", content, symbols + 24 * index, 1 + index)
    _rejected("names and tables .* larger than the file", bytes(content))


def test_section_numbers_too_large_for_the_header_are_read() -> None:
    builder = CubinBuilder()
    for _ in range(0xFF00):
        builder.section("", NOBITS, 0)
    kernel = builder.kernel("k", FULL)
    table = builder.section("", 18, struct.pack(f"<{kernel + 1}I", *[0] * kernel, 0xFF01))
    builder.symbols[kernel - 1] = ("k", 0x12, 0x10, 0xFFFF, 16)
    builder.symbol("absolute", 1, 0xFFF1, size=8)
    content = bytearray(builder.build())
    rows = struct.unpack_from("<Q", content, 40)[0]
    struct.pack_into("<I", content, rows + 64 * table + 40, len(builder.sections) + 2)
    facts = read_cubin(bytes(content))
    assert [k.name for k in facts.kernels] == ["k"]
    assert facts.kernels[0].max_threads == (256, 1, 1)
    assert facts.variables == ()


@given(st.data())
def test_damage_is_reported_without_raising(data: st.DataObject) -> None:
    content = bytearray(_sound())
    for _ in range(data.draw(st.integers(0, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    damaged = bytes(content[: data.draw(st.integers(0, len(content)) | st.just(len(content)))])
    with contextlib.suppress(InputError):
        assert read_cubin(damaged).arch.startswith("sm_")


@given(st.binary(max_size=300))
def test_arbitrary_bytes_are_rejected(content: bytes) -> None:
    with pytest.raises(InputError):
        read_cubin(content)
