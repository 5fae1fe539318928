from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbuild.formats.nvidia.ptxas_log import FunctionUsage, read_log

# Toolkit 13: no constants since sm_90, compile times, and separate device functions.
LOG_13 = """\
k.cu(3): warning #177-D: variable "i" was declared but never referenced
ptxas info    : Overriding maximum register limit 256 for '_Z1kPi' with  64 of maxrregcount option
ptxas info    : 131 bytes gmem
ptxas info    : Compiling entry function '_Z1kPi' for 'sm_90a'
ptxas info    : Function properties for _Z1kPi
    48 bytes stack frame, 8 bytes spill stores, 16 bytes spill loads
ptxas info    : Used 24 registers, used 1 barriers, 48 bytes cumulative stack size, 1200 bytes smem
ptxas info    : Compile time = 3.715 ms
ptxas info    : (C7510) Potential Performance Loss: 'setmaxnreg' ignored
ptxas info    : Function properties for _Z3reciPi
    72 bytes stack frame, 32 bytes spill stores, 32 bytes spill loads
ptxas info    : 52 bytes gmem, 64 bytes cmem[3], 32 bytes cmem[4]
ptxas info    : Compiling entry function '_Z1kPi' for 'sm_80'
ptxas info    : Function properties for _Z1kPi
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 20 registers, used 0 barriers, 417 bytes cmem[0], 8 bytes cmem[2]
"""

# Relocatable code: functions precede the kernels.
LOG_RELOCATABLE = """\
ptxas info    : 0 bytes gmem
ptxas info    : Function properties for _Z3deviPi$1
    264 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Compiling entry function '_Z2k2Pi' for 'sm_90'
ptxas info    : Function properties for _Z2k2Pi
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 24 registers, used 0 barriers
"""

# Older formats: no barriers, separate numbers for additions of the compiler, and callees before
# the registers.
LOG_OLD = """\
ptxas info    : Compiling entry function '_Z1kPi' for 'sm_20'
ptxas info    : Function properties for _Z1kPi
    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
ptxas info    : Function properties for _Z3devPi
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 14 registers, 40+16 bytes smem, 48 bytes cmem[0], 4 bytes cmem[16]
"""

LOG_NVLINK = """\
nvlink info    : 52 bytes gmem, 64 bytes cmem[3]
nvlink info    : Function properties for '_Z1kPi':
nvlink info    : used 8 registers, used 1 barriers, 16 stack, 0 bytes smem, 536 bytes cmem[0], \
0 bytes lmem
"""


def test_kernels_and_functions_are_read_for_each_architecture() -> None:
    hopper, function, ampere = read_log(LOG_13)
    assert hopper == FunctionUsage(
        name="_Z1kPi",
        arch="sm_90a",
        is_entry=True,
        registers=24,
        barriers=1,
        frame_bytes=48,
        spill_stores=8,
        spill_loads=16,
        stack_bytes=48,
        shared_bytes=1200,
    )
    assert hopper.spill_bytes == 24
    assert (function.name, function.arch, function.is_entry) == ("_Z3reciPi", "sm_90a", False)
    assert (function.registers, function.spill_bytes) == (None, 64)
    assert (ampere.arch, ampere.registers, ampere.constant_bytes) == ("sm_80", 20, 417)
    assert (ampere.spill_bytes, ampere.shared_bytes) == (0, None)


def test_function_before_its_kernel_has_the_same_architecture() -> None:
    function, kernel = read_log(LOG_RELOCATABLE)
    assert (function.arch, function.is_entry, function.frame_bytes) == ("sm_90", False, 264)
    assert (kernel.name, kernel.is_entry, kernel.registers) == ("_Z2k2Pi", True, 24)


def test_registers_belong_to_the_kernel_when_callees_come_first() -> None:
    kernel, function = read_log(LOG_OLD)
    assert (kernel.registers, kernel.shared_bytes, kernel.spill_bytes) == (14, 56, 8)
    assert (kernel.constant_bytes, kernel.barriers) == (48, None)
    assert (function.name, function.registers) == ("_Z3devPi", None)


def test_linker_report_has_no_architecture() -> None:
    (kernel,) = read_log(LOG_NVLINK)
    assert kernel == FunctionUsage(
        name="_Z1kPi",
        arch=None,
        is_entry=None,
        registers=8,
        barriers=1,
        stack_bytes=16,
        shared_bytes=0,
        constant_bytes=536,
        local_bytes=0,
    )
    assert kernel.spill_bytes is None


def test_later_report_replaces_earlier_one() -> None:
    again = LOG_13.replace("Used 24", "Used 30")
    assert [u.registers for u in read_log(LOG_13 + again)] == [30, None, 20]


@given(st.data())
def test_arbitrary_text_does_not_raise(data: st.DataObject) -> None:
    lines = (LOG_13 + LOG_RELOCATABLE + LOG_OLD + LOG_NVLINK).splitlines()
    picked = data.draw(
        st.lists(
            st.sampled_from(lines) | st.sampled_from([line[20:] for line in lines]), max_size=20
        )
    )
    cut = data.draw(st.integers(0, 2000))
    assert all(usage.name for usage in read_log("\n".join(picked)[:cut]))


@pytest.mark.parametrize("text", ["", "    8 bytes stack frame", "ptxas info : Used 8 registers"])
def test_lines_without_a_function_are_skipped(text: str) -> None:
    assert read_log(text) == ()
