"""Tests for normalizing disassembly and names, on short texts as the tools print them."""

from __future__ import annotations

import pytest

from kbuild.backends.cpu import code as cpu_code
from kbuild.backends.cuda import code as cuda_code
from kbuild.backends.hip import code as hip_code
from kbuild.backends.interface.code import MARK, drop_unused_labels, hide_name
from kbuild.backends.objdump import iterate_functions
from kbuild.errors import InputError
from kbuild.formats.nvidia.ptx.code import read_ptx_code, read_ptx_lines

SASS = """\
	.target	sm_90
//--------------------- .text.k               --------------------------
	.section	.text.k,"ax",@progbits
        .type           k,@function
k:
.text.k:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/                   FADD R2, R3.reuse, R4 ;
        /*0020*/              @!P0 BRA `(.L_x_9) ;
        /*0030*/                   MOV R4, 0x50 ;
        /*0040*/                   CALL.REL.NOINC `($k$_Z4slowf) ;
        /*0050*/                   MOV R5, 0x50 &req={1} ?WAIT2_END_GROUP ;
.L_x_9:
        /*0060*/                   EXIT ;
.L_x_8:
        /*0070*/                   NOP;
//--------------------- .text.other           --------------------------
	.section	.text.other,"ax",@progbits
        /*0000*/                   EXIT ;
"""


def test_sass_is_normalized() -> None:
    listing = cuda_code.read_disassembly(SASS, b"", frozenset({"k"}))

    assert listing == {
        "k": (
            "LDC R1, c[0x0][0x28]",
            "FADD R2, R3, R4",
            f"@!P0 BRA `(L{MARK}0)",
            "MOV R4, `(return address)",
            "CALL.REL.NOINC `($@$_Z4slowf)",
            "MOV R5, `(return address)",
            f"L{MARK}0:",
            "EXIT",
        )
    }


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "_ZN36_GLOBAL__N__08c242af_4_k_cu__Z4slowf2anEPi",
            "_ZN36_GLOBAL__N__12345678_4_k_cu__Z4slowf2anEPi",
        ),
        (
            "_ZN36_GLOBAL__N__08c242af_4_k_cu__Z4slowf2anEPi",
            "_ZN33_GLOBAL__N__08c242af_4_k_cu_first2anEPi",
        ),
        (
            "__nv_static_25__08c242af_4_k_cu__Z4slowf__Z2stPi",
            "__nv_static_25__99999999_4_k_cu__Z4slowf__Z2stPi",
        ),
    ],
)
def test_names_that_differ_only_in_hashes_are_the_same(one: str, other: str) -> None:
    assert one != other
    assert cuda_code.canonical_name(one) == cuda_code.canonical_name(other)


@pytest.mark.parametrize(
    "name",
    ["_Z1fPi", "plain", "_ZN12_GLOBAL__N_12anEPi", "_ZN9999_GLOBAL__N_1", "__nv_static_9999_x", ""],
)
def test_other_names_are_different(name: str) -> None:
    assert cuda_code.canonical_name(name) != cuda_code.canonical_name(f"{name}x")


def test_hashes_of_other_compilers_are_removed() -> None:
    assert hip_code.canonical_name("_ZL1kPi.intern.0123456789abcdef") == "_ZL1kPi"
    assert hip_code.canonical_name("_Z1kPi") == "_Z1kPi"
    assert cpu_code.canonical_name("_ZL1kPi.kbuild_0123456789abcdef") == "_ZL1kPi"


PTX = """\
.version 8.0
.target sm_80
.address_size 64
// a { comment
.global .align 4 .b8 table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
.extern .shared .align 4 .b8 dynamic[];
.visible .entry other() { ret; }
.visible .entry k(
	.param .u64 k_param_0
)
.maxntid 256, 1, 1
{
	.reg .b32 %r<4>;
	.loc 1 7 3
	mov.u32 %r1, 5; // why
$L__BB1_2:
	bra $L__BB1_2;
}
"""


def test_ptx_is_normalized() -> None:
    lines = read_ptx_lines(PTX.encode(), frozenset({"k"}), str)

    assert lines == {
        "k": (
            ".visible .entry @(",
            ".param .u64 @_param_0",
            ")",
            ".maxntid 256, 1, 1",
            "{",
            f"mov.u32 %r{MARK}1, 5;",
            f"L{MARK}2:",
            f"bra L{MARK}2;",
        )
    }


def test_functions_and_data_are_found_in_ptx() -> None:
    code = read_ptx_code(PTX.encode(), str)

    assert [name for name, _ in code.functions] == ["other", "k"]
    assert [name for name, _ in code.data] == ["table"]


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("$L__BB1_", "$L__BB7_", ()),
        (".loc 1 7 3", ".loc 1 99 3", ()),
        ("// why", "// because", ()),
        ("%r1, 5", "%r1, 6", ("k",)),
        ("7, 8}", "7, 9}", ("table",)),
        ("256, 1", "128, 1", ("k",)),
        ("k_param_0", "l_param_0", ("k",)),
    ],
)
def test_only_relevant_changes_change_the_digest_of_ptx(
    old: str, new: str, changed: tuple[str, ...]
) -> None:
    before = read_ptx_code(PTX.encode(), str)
    after = read_ptx_code(PTX.replace(old, new).encode(), str)

    pairs = zip((*before.functions, *before.data), (*after.functions, *after.data), strict=True)
    assert tuple(a[0] for a, b in pairs if a != b) == changed


def test_name_of_a_function_is_not_part_of_its_code() -> None:
    renamed = PTX.replace(" k(", " kk(").replace("k_param", "kk_param")
    (_, old), (_, new) = (read_ptx_code(text.encode(), str).functions for text in (PTX, renamed))

    assert (old[0], new[0]) == ("k", "kk")
    assert old[1] == new[1]


def test_truncated_ptx_is_read_up_to_its_end() -> None:
    for end in range(len(PTX)):
        read_ptx_code(PTX[:end].encode(), str)


def test_long_names_in_ptx_take_linear_time() -> None:
    text = f".global .b8 {'a' * 300_000}.;\n.global .b8 table[2][ 3 ] = 1;"
    assert [name for name, _ in read_ptx_code(text.encode(), str).data] == ["table"]


def test_functions_are_found_in_objdump_output() -> None:
    output = "\nDisassembly of section .text:\n\n0000 <a>:\n 0: nop\n\n0004 <b>:\n 4: ret\n"

    assert [tuple(f) for f in iterate_functions(output, frozenset("b"))] == [("b", (" 4: ret",))]
    assert [f.name for f in iterate_functions(output, frozenset("ab"))] == ["a", "b"]


@pytest.mark.parametrize(
    ("instruction", "size"),
    [
        ("addss [x],%xmm0", 4),
        ("vfmadd213sd [x],%xmm1,%xmm0", 8),
        ("paddq [x],%xmm0", 16),
        ("vmovaps [x],%ymm0", 32),
        ("vpaddd [x],%zmm0,%zmm1", 64),
        ("mov [x],%rax", 8),
        ("vmulps [x]{1to8},%ymm6,%ymm0", 4),
        ("vmulpd [x]{1to8},%zmm6,%zmm0{%k1}", 8),
        ("vcvtpd2ps [x]{1to4},%xmm0", 8),
        ("vfpclasspd $1,[x]{1to4},%k1", 8),
        ("vpbroadcastd [x],%ymm0", 4),
        ("vbroadcasti128 [x],%ymm0", 16),
    ],
)
def test_constant_operand_is_read_with_its_size(instruction: str, size: int) -> None:
    assert cpu_code._find_width(instruction) == size


def test_unused_labels_are_removed() -> None:
    lines = [f"L{MARK}1:", f"L{MARK}12:", f"bra L{MARK}12"]

    assert list(drop_unused_labels(lines)) == lines[1:]


@pytest.mark.parametrize("reader", [cuda_code, hip_code, cpu_code])
@pytest.mark.parametrize("data", [b"", b"\x7fELF", b"\x7fELF\x02\x01\x01" + bytes(60)])
def test_damaged_image_is_an_input_error(reader: object, data: bytes) -> None:
    with pytest.raises(InputError):
        reader.read_code(data, "elf")  # type: ignore[attr-defined]


def test_only_whole_words_are_the_name_of_a_kernel() -> None:
    assert hide_name("call a; mov %rax, a+8", "a") == "call @; mov %rax, @+8"
    assert hide_name("CALL `($k$_Z4slowf)", "k") == "CALL `($@$_Z4slowf)"
    assert hide_name("mov %eax, 1", "") == "mov %eax, 1"
