from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kbuild.backends.cpu import host as cpu_host
from kbuild.backends.cuda import host as cuda_host
from kbuild.backends.hip import host as hip_host
from kbuild.backends.interface.host import kernels_of_prefixed_stub
from kbuild.errors import ToolchainError
from kbuild.facts import ArtifactFacts
from kbuild.formats.elf.file import Elf
from kbuild.inspect import inspect_path
from kbuild.inspect.host import text_search
from kbuild.inspect.host.kernels import read_host_kernels
from kbuild.inspect.host.text_search import find_names, find_texts
from kbuild.resources import find_runtime
from support.tools.toolchains import require_programs

# Two empty containers, each 16 bytes.
CONTAINERS = """\
.section .nv_fatbin, "a"
.balign 8
first: .long 0xba55ed50; .short 1, 16; .quad 0
second: .long 0xba55ed50; .short 1, 16; .quad 0
"""


def assemble(directory: Path, text: str, *options: str) -> Path:
    (directory / "host.s").write_text(text + '\n.section .note.GNU-stack, ""\n')
    path = directory / "host.out"
    command = ["gcc", "-nostdlib", *options, "host.s", "-o", path.name]
    subprocess.run(command, cwd=directory, check=True, capture_output=True)
    return path


def read(directory: Path, text: str, *options: str) -> ArtifactFacts:
    (facts,) = inspect_path(assemble(directory, text, *options))
    return facts


def wrapper(container: str, magic: int = 0x466243B1, version: int = 1) -> str:
    return f".long {magic}, {version}; .quad {container}, 0\n"


LINKS = [
    ("-c",),
    ("-shared",),
    ("-shared", "-fuse-ld=lld"),
    ("-shared", "-Wl,-z,pack-relative-relocs"),
    ("-no-pie", "-static", "-Wl,-e,0"),
]


@pytest.mark.parametrize("options", LINKS, ids=" ".join)
def test_wrappers_point_to_their_containers(tmp_path: Path, options: tuple[str, ...]) -> None:
    if any("lld" in option for option in options):
        require_programs("ld.lld")
    text = '.section .nvFatBinSegment, "aw"\n.balign 8\n' + wrapper("second", version=2)
    text += ".zero 8\n" + wrapper("first")
    facts = read(tmp_path, CONTAINERS + text, *options)

    assert [w.container for w in facts.wrappers] == [1, 0]
    assert [w.version for w in facts.wrappers] == [2, 1]
    assert [w.is_device_linked for w in facts.wrappers] == [True, False]
    assert [w.place.offset for w in facts.wrappers] == [0, 32]
    assert [w.problem for w in facts.wrappers] == [None, None]


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        (wrapper("first", magic=7), "not a fat binary wrapper (magic number 0x7)"),
        (wrapper("first", version=9), "unknown fat binary wrapper version 9"),
        (wrapper("0"), "its pointer to a container is null or points outside of the file"),
        (wrapper("first + 4"), "it points to .nv_fatbin+0x4, not the start of a container"),
        (".long 0x466243b1, 1; .quad first\n", "the fat binary wrapper is truncated"),
    ],
)
def test_damaged_wrapper_has_a_problem(tmp_path: Path, record: str, problem: str) -> None:
    facts = read(tmp_path, CONTAINERS + '.section .nvFatBinSegment, "aw"\n' + record, "-c")

    (found,) = facts.wrappers
    assert found.problem == problem
    assert found.container == (0 if "version 9" in problem else None)


def test_wrapper_can_point_to_a_container_in_another_file(tmp_path: Path) -> None:
    text = CONTAINERS + '.section .nvFatBinSegment, "aw"\n' + wrapper("elsewhere")

    (found,) = read(tmp_path, text, "-c").wrappers

    assert (found.container, found.awaits, found.problem) == (None, "elsewhere", None)


REGISTERING = """\
.text
.globl _Z5scalePf
.hidden _Z5scalePf
.type _Z5scalePf, @function
_Z5scalePf: ret
.size _Z5scalePf, 1
.type _ZL4tinyPf, @function
_ZL4tinyPf: ret
.size _ZL4tinyPf, 1
.type register, @function
register:
    lea name_of_scale(%rip), %rdx
    lea _Z5scalePf(%rip), %rsi
    call __cudaRegisterFunction@PLT
    lea name_of_tiny(%rip), %rdx
    lea _ZL4tinyPf(%rip), %rsi
    call __cudaRegisterFunction@PLT
    lea name_of_table(%rip), %rdx
    call __cudaRegisterVar@PLT
    ret
.size register, . - register
.type other, @function
other: lea name_of_other(%rip), %rdi
    ret
.size other, . - other
.section .rodata.str1.1, "aMS", @progbits, 1
name_of_scale: .asciz "_Z5scalePf"
name_of_tiny: .asciz "_Z4tinyPf"
name_of_table: .asciz "table"
name_of_other: .asciz "other_kernel"
"""
KERNELS = {"cuda": ("_Z5scalePf", "_Z4tinyPf", "other_kernel")}


def test_object_registers_the_kernels_that_it_passes_to_the_runtime(tmp_path: Path) -> None:
    elf = Elf(assemble(tmp_path, REGISTERING, "-c").read_bytes())

    found = read_host_kernels(elf, elf.symbols, KERNELS, ())
    assert [(k.kernel, k.symbol and k.symbol.name, k.kind, k.is_registered) for k in found] == [
        ("_Z5scalePf", "_Z5scalePf", "function", True),
        ("_Z4tinyPf", "_ZL4tinyPf", "function", True),
        ("other_kernel", None, None, False),  # mentioned, but not by the code that registers
    ]


def test_registration_is_unknown_in_object_without_registrations(tmp_path: Path) -> None:
    elf = Elf(assemble(tmp_path, ".text\nret\n", "-c").read_bytes())

    assert {k.is_registered for k in read_host_kernels(elf, elf.symbols, KERNELS, ())} == {None}


def test_linked_file_registers_kernels_whose_names_it_contains(tmp_path: Path) -> None:
    segment = '.section .nvFatBinSegment, "aw"\n.balign 8\n' + wrapper("first")
    text = REGISTERING.replace("other_kernel", "another_kernel1")
    path = assemble(tmp_path, CONTAINERS + segment + text, "-shared")
    (facts,) = inspect_path(path)
    kernels = {"cuda": ("_Z5scalePf", "kernel", "_Z4tinyPf")}

    elf = Elf(path.read_bytes())
    found = read_host_kernels(elf, elf.symbols, kernels, facts.wrappers)
    assert [k.is_registered for k in found] == [True, False, True]
    unwrapped = read_host_kernels(elf, elf.symbols, kernels, ())
    assert {k.is_registered for k in unwrapped} == {False}


def test_symbols_of_one_name_are_distinguished_by_their_registration(tmp_path: Path) -> None:
    """With separable compilation, file-local kernels have unique names in images."""
    ids = ("_aaaaaaaa_4_a_cu_00000000", "_bbbbbbbb_4_b_cu_00000000")
    names = [f"__nv_static_25_{source}__Z1sPi" for source in ids]
    source = tmp_path / "one.s"
    for number, name in enumerate(names):
        source.write_text(
            f".text\n.zero {number}\n.type _ZL1sPi, @function\n_ZL1sPi: ret\n.size _ZL1sPi, 1\n"
            '.section .text.startup, "ax"\n.type r, @function\nr: lea 1f(%rip), %rdx\n'
            "lea _ZL1sPi(%rip), %rsi\ncall __cudaRegisterFunction@PLT\nret\n.size r, . - r\n"
            f'.section .rodata\n1: .asciz "{name}"\n'
        )
        subprocess.run(["gcc", "-c", source, "-o", f"{number}.o"], cwd=tmp_path, check=True)
    subprocess.run(["ld", "-r", "0.o", "1.o", "-o", "both.o"], cwd=tmp_path, check=True)
    elf = Elf((tmp_path / "both.o").read_bytes())

    found = read_host_kernels(elf, elf.symbols, {"cuda": tuple(names)}, ())
    assert [k.is_registered for k in found] == [True, True]
    places = [k.symbol.place for k in found if k.symbol]
    assert len(set(places)) == 2


@pytest.mark.parametrize("few", [0, 32])
def test_names_are_found_after_any_byte(
    tmp_path: Path, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_search, "_FEW", few)
    monkeypatch.setattr(text_search, "_CHUNK", 64)
    text = '.section .rodata, "a"\n.ascii "_Z5firstv\\0", "number_Z6secondv\\0", "xfill\\0"\n'
    text += '.zero 80, 0x41\n.asciz "_Z5thirdv"\n.asciz "copy"\n.ascii "_Z6unended"\n'
    text += '.data\n.asciz "_Z8writablev"\n'
    elf = Elf(assemble(tmp_path, text, "-shared").read_bytes())
    present = {"_Z5firstv", "_Z6secondv", "fill", "_Z5thirdv", "copy"}

    absent = {"_Z6unended", "_Z8writablev", "_Z5first", "", "cop", "\ud800"}
    assert find_names(elf, present | absent) == present
    assert find_texts(elf, [b"number", b"missing"]) == {b"number"}


def test_search_is_fast_for_forged_content(tmp_path: Path) -> None:
    text = '.section .rodata, "a"\n.rept 400000\n.ascii "_Z_Z"\n.endr\n.zero 4000000\n'
    elf = Elf(assemble(tmp_path, text, "-shared").read_bytes())

    assert find_names(elf, [f"_Z{number}" for number in range(1000)]) == frozenset()


@pytest.mark.parametrize(
    ("stub", "kernel"),
    [
        ("_ZN2ns20__device_stub__scaleEPffi", "_ZN2ns5scaleEPffi"),
        ("_Z19__device_stub__copyIfEvPKT_PS0_", "_Z4copyIfEvPKT_PS0_"),
        ("_ZN12_GLOBAL__N_119__device_stub__anonEPi", "_ZN12_GLOBAL__N_14anonEPi"),
        ("__device_stub__fill", "fill"),
    ],
)
def test_prefixed_stub_names_its_kernel(stub: str, kernel: str) -> None:
    assert kernels_of_prefixed_stub(stub) == (kernel,)


@pytest.mark.parametrize("name", ["_Z3foov", "", "_Z14__device_stub__v", "_Z999__device_stub__v"])
def test_other_names_are_not_stubs(name: str) -> None:
    assert kernels_of_prefixed_stub(name) == ()


def test_nvcc_stubs_name_their_kernels() -> None:
    assert cuda_host.kernels_of_stub("_Z22__device_stub__Z3pubPiPi") == ("_Z3pubPi", "pub")
    assert cuda_host.kernels_of_stub("_ZL33__device_stub__Z4copyIfEvPKT_PS0_PKfPf")[0] == (
        "_Z4copyIfEvPKT_PS0_"
    )
    assert cuda_host.kernels_of_stub("_Z9launch_itv") == ()


def test_host_name_drops_the_unique_part_of_a_device_name() -> None:
    static = "__nv_static_25__80a89be7_4_a_cu_8a2f2c7f__Z2stPi"
    assert cuda_host.host_name(static) == "_Z2stPi"
    assert cuda_host.host_name("__nv_static_99__x") == "__nv_static_99__x"
    assert cuda_host.host_name("_ZL2stPi__static__0123456789abcdef") == "_ZL2stPi"
    assert hip_host.host_name("_ZL2stPi.intern.5c12059d0de60843") == "_ZL2stPi"
    assert hip_host.host_name("_Z5scalePf") == "_Z5scalePf"


def test_cpu_runtime_is_recognized_by_its_texts() -> None:
    """The texts come from the sources of the runtime, which can change."""
    (library,) = cpu_host.CONVENTIONS.runtimes
    try:
        runtime = find_runtime("libkbuild_cpu.so.1")
    except ToolchainError as error:
        pytest.skip(str(error))
    elf = Elf(runtime.read_bytes())
    assert find_texts(elf, library.texts) == set(library.texts)
    (facts,) = inspect_path(runtime)
    assert facts.runtimes == ()  # it is the runtime itself
