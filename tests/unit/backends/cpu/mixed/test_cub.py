"""Tests of what kbuild makes of CUB's code on the CPU."""

from __future__ import annotations

import pytest

from kbuild.backends.cpu.mixed.cub import reject_device_algorithms, translate_cub
from kbuild.cxx.unit import Unit
from kbuild.errors import SourceError

SHUFFLE = "shfl.sync.up.b32"
HALVES = (
    f'"mov.b64 {{lo, hi}}, %1;" "{SHUFFLE} lo|p, lo, %2, %3, OP;" "{SHUFFLE} hi|p, hi, %2, %3, OP;"'
)
CUB = '# 1 "/x/cub/config.cuh" 1 3\n# 1 "a.cu" 2\n'


def translate(text: str) -> str:
    for edit in sorted(translate_cub(Unit(text)), key=lambda edit: edit.start, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


@pytest.mark.parametrize(
    ("statement", "function"),
    [
        ('"bfe.u32 %0, %1, %2, %3;"', "extract_bits"),
        ('"bfind.u32 %0, %1;"', "find_top_bit"),
        ('"mov.u32 %0, %%lanemask_lt;"', "read_lanemask_lt"),
        ('"shl.b32 %0, %1, %2;"', "shift_left"),
        (f'"{SHUFFLE} %0, %1, %2, %3, %4;"', "shuffle_up"),
        (
            (
                f'"{{" "  .reg .s32 r0;" "  .reg .pred p;" "  {SHUFFLE} r0|p, %1, %2, %3, %5;"'
                '"  @p add.s32 r0, r0, %4;" "  mov.s32 %0, r0;" "}"'
            ),
            "add_up",
        ),
        (
            (
                '"{" "  .reg .s64 r0;" "  .reg .u32 lo;" "  .reg .u32 hi;" "  .reg .pred p; "'
                + HALVES.replace("OP", "%5").replace(';"', '; "')
                + '" mov.b64 r0, {lo, hi};" " @p add.s64 r0, r0, %4;" " mov.s64 %0, r0;" "}"'
            ),
            "add_up",
        ),
        (
            (
                '"{ .reg .u32 lo; .reg .u32 hi; .reg .pred p; "'
                + HALVES.replace("OP", "%4").replace(';"', '; "')
                + '"mov.b64 %0, {lo, hi}; @p add.u64 %0, %0, %1;}"'
            ),
            "add_own_up",
        ),
        ('"ld." "cg" ".u32 %0, [%1];"', "load"),
        ('"st." "cs" ".v2.u32 [%0], {%1, %2};"', "store"),
    ],
)
def test_statements_are_calls(statement: str, function: str) -> None:
    text = f'asm volatile({statement}\n : "=r"(a)\n : "r"((int) b[1]), "r"(c)); f();'

    assert translate(text) == f"::kbuild_cpu::ptx::{function}(a, (int) b[1], c)\n\n; f();"


@pytest.mark.parametrize(
    "text",
    [
        'asm volatile("mov.u32 %0, %%smid;" : "=r"(a));',
        'asm("rdtsc" : "=a"(low));',
        'void f() __asm__("g");',
        "asm(",
    ],
)
def test_other_assembly_stays(text: str) -> None:
    assert translate(text) == text


def test_aliases_with_the_name_of_their_class_are_qualified() -> None:
    text = "struct S { using WarpScan = WarpScan<T, 8>; using Mine = WarpScan<T, 8>; };"

    assert "using WarpScan = cub::WarpScan<T, 8>; using Mine = WarpScan<T, 8>;" in translate(text)


def test_algorithms_for_devices_are_errors() -> None:
    text = f"{CUB}\nauto e = cub :: DeviceScan::ExclusiveSum<int>(p);\n"

    with pytest.raises(SourceError, match=r"a\.cu:2: .*'cub::DeviceScan::ExclusiveSum'"):
        reject_device_algorithms(text)


@pytest.mark.parametrize(
    "text", ["DeviceScan::ExclusiveSum(p);", f"{CUB}struct DeviceScan; Device::Scan(p);"]
)
def test_other_classes_can_have_such_names(text: str) -> None:
    reject_device_algorithms(text)
