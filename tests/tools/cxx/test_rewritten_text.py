"""Compilers accept what the rewriter writes, and every launch starts the right kernel."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Final

import pytest

from kbuild import resources
from kbuild.cxx.kernels import find_kernels
from kbuild.cxx.launches import find_launches
from kbuild.cxx.model import Edit, HostText
from kbuild.cxx.rewrite import rewrite
from kbuild.cxx.unit import Unit
from support.tools.toolchains import NEWER_CLANG, require_programs

HERE: Final = Path(__file__).parent
INCLUDE: Final = f"-I{resources.native_directory() / 'include'}"
STRICT: Final = ("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror")
FURTHER: Final = (
    "-Wno-gnu-line-marker",
    "-Wno-unknown-warning-option",
    "-Wcast-qual",
    "-Wuseless-cast",
    "-Wextra-semi",
)
# The extent and the number of threads that launches have unless they are about configurations.
USUAL: Final = "1,1,1 2,1,1 0"
SPELLED: Final = "kernel_spelled(int, unsigned int, float const*, int*, int (*)(int, int))"
LAUNCHED: Final = {
    0: f"kernel_forward(int, int) {USUAL}",
    8: "void kernel_template<int>(int, int*, int) 1,2,1 32,1,1 0",
    9: f"kernel_forward(int, int) {USUAL}",
    10: f"{SPELLED} {USUAL}",
    11: f"kernel_incomplete(int, Incomplete) {USUAL}",
    12: f"outer::v1::kernel_inline(int) {USUAL}",
    13: f"outer::v1::kernel_inline(int) {USUAL}",
    14: f"outer::deep::kernel_deep(int) {USUAL}",
    15: f"outer::deep::kernel_deep(int) {USUAL}",
    16: f"outer::deep::kernel_adl(int, outer::deep::Argument) {USUAL}",
    17: f"void outer::deep::kernel_pack<3, int, double>(int, int, double) {USUAL}",
    18: f"kernel_friend(int, Friend) {USUAL}",
    19: f"void kernel_friend_template<int>(int, Box<int>) {USUAL}",
    20: f"kernel_c {USUAL}",
    21: f"kernel_overloaded(int) {USUAL}",
    22: f"kernel_overloaded(int, float*, int) {USUAL}",
    23: f"void kernel_overloaded<double>(int, double*, double) {USUAL}",
    24: f"kernel_beside_host(int) {USUAL}",
    25: f"void kernel_nested<Box, int>(int, Box<int>) {USUAL}",
    26: f"void kernel_unnamed<HasType, int, 3>(int, HasType) {USUAL}",
    27: f"kernel_late(int) {USUAL}",
    28: f"kernel_defaults(int, Box<Box<int> >, bool) {USUAL}",
    29: "void kernel_template<double>(int, double*, double) 2,1,1 32,1,1 0",
    30: f"outer::deep::kernel_deep(int) {USUAL}",
    31: f"outer::deep::kernel_deep(int) {USUAL}",
    1: "kernel_late(int) 1,1,1 1,1,1 0",
    3: "kernel_c 1,1,1 1,1,1 0",
    4: "outer::deep::kernel_deep(int) 1,1,1 1,1,1 0",
    2: "void kernel_template<double>(int, double*, double) 1,1,1 1,1,1 0",
    5: "kernel_late(int) 1,1,1 1,1,1 0",
    6: "kernel_late(int) 1,1,1 1,1,1 0",
    7: "void kernel_template<double>(int, double*, double) 1,1,1 1,1,1 0",
    32: "kernel_late(int) 1,1,1 1,1,1 0",
    33: f"kernel_late(int) {USUAL}",
    34: f"kernel_late(int) {USUAL}",
    35: f"kernel_late(int) {USUAL}",
    36: f"kernel_late(int) {USUAL}",
    37: f"kernel_late(int) {USUAL}",
    38: f"kernel_c {USUAL}",
    39: f"void kernel_template<int>(int, int*, int) {USUAL}",
    40: "kernel_c 3,1,1 4,1,1 0",
    41: f"kernel_c {USUAL}",
    42: "kernel_c 5,1,1 1,1,1 0",
    43: "kernel_c 1,2,3 64,1,1 4",
    44: "kernel_c 7,8,9 4,5,6 0",
    45: "kernel_c 6,1,1 1,1,1 0",
    47: f"void kernel_pack_first<char, double>(int, double, char) {USUAL}",
    48: f"kernel_sizes(int, int*, unsigned long) {USUAL}",
    46: "kernel_c 1,1,1 1,1,1 0",
}

# Launches 49 and 50. Not every demangler knows the names of constrained templates.
CONSTRAINED: Final = ("kernel_concept", "kernel_auto")
CONCEPTS: Final = 20  # the standard that introduced them


def run(*argv: str | Path) -> str:
    result = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


def preprocess(compiler: str, standard: int, *options: str) -> str:
    return run(
        *(compiler, "-E", f"-std=c++{standard}", INCLUDE, *options),
        *("-x", "c++", HERE / "launches.cu"),
    )


def rewrite_host_text(text: str) -> str:
    """Rewrite the text, and leave the kernels declared only, as the host passes do."""
    code = Unit(text)
    kernels = find_kernels(code)
    edits = [
        Edit(start=found.start(), end=found.end(), text="")
        for found in re.finditer("__kbuild_global__ ?", text)
    ]
    for kernel in kernels:
        if kernel.body is not None:
            edits.append(Edit(start=kernel.body[0], end=kernel.body[1], text=";"))
        elif kernel.form == "instantiation":
            edits.append(Edit(start=kernel.start, end=kernel.start, text="extern "))
    found = HostText(kernels=kernels, launches=find_launches(code), edits=tuple(edits))
    return rewrite(code, found, "unit").text


def define_kernels(undefined: list[str]) -> str:
    """Return assembler code with an empty handle for each kernel, and a table of their names."""
    names = run("c++filt", *undefined).splitlines()
    handles = "".join(f".globl {symbol}\n{symbol}: .quad 0\n" for symbol in undefined)
    rows = "".join(f".quad {symbol}, {index}f\n" for index, symbol in enumerate(undefined))
    texts = "".join(f'{index}: .string "{name}"\n' for index, name in enumerate(names))
    table = f".globl kernel_names\nkernel_names:\n{rows}.quad 0, 0\n"
    return f'.data\n{handles}{table}{texts}.section .note.GNU-stack,"",@progbits\n'


@pytest.mark.parametrize(("compiler", "standard"), [("g++", 11), ("g++", 20), (NEWER_CLANG, 20)])
def test_every_launch_starts_the_right_kernel(tmp_path: Path, compiler: str, standard: int) -> None:
    require_programs(compiler)
    text = preprocess(compiler, standard, "-include", "kbuild/chevron.hpp")
    (tmp_path / "text.ii").write_text(rewrite_host_text(text))
    run(
        *(compiler, f"-std=c++{standard}", *STRICT, *FURTHER, "-g"),
        *("-c", tmp_path / "text.ii", "-o", tmp_path / "text.o"),
    )
    undefined = run("nm", "-u", "--format=just-symbols", tmp_path / "text.o").split()
    kernels = [symbol for symbol in undefined if "kernel_" in symbol]
    (tmp_path / "kernels.s").write_text(define_kernels(kernels))
    run(
        *(compiler, INCLUDE, HERE / "recorder.cpp", tmp_path / "text.o", tmp_path / "kernels.s"),
        *("-o", tmp_path / "program"),
    )
    launched = [line.partition(" ") for line in run(tmp_path / "program").splitlines()]
    started = {int(number): rest for number, _, rest in launched}
    constrained = {number: started.pop(number) for number in (49, 50) if number in started}
    assert started == LAUNCHED
    assert list(started) == list(LAUNCHED)
    assert len(constrained) == (len(CONSTRAINED) if standard >= CONCEPTS else 0)
    for name, launched_name in zip(CONSTRAINED, constrained.values(), strict=False):
        assert name in launched_name


def test_the_device_pass_generates_the_kernels(tmp_path: Path) -> None:
    define = ("-DKBUILD_DEVICE_CODE", "-D__device__=")
    text = preprocess("g++", 17, *define, "-include", "kbuild/chevron.hpp")
    code = Unit(text)
    kernels = find_kernels(code)
    edits = tuple(
        Edit(start=found.start(), end=found.end(), text="")
        for found in re.finditer("__kbuild_global__ ?", text)
    )
    found = HostText(kernels=kernels, launches=find_launches(code), edits=edits)
    (tmp_path / "text.ii").write_text(rewrite(code, found, "unit").text)
    run("g++", "-std=c++17", "-O2", "-c", tmp_path / "text.ii", "-o", tmp_path / "text.o")
    defined = run("nm", "--defined-only", "-C", tmp_path / "text.o")
    expected = {launched.rsplit(" ", 3)[0] for launched in LAUNCHED.values()}
    assert [name for name in sorted(expected) if f" {name}\n" not in defined] == []
