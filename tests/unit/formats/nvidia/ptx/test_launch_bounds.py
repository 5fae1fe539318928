from __future__ import annotations

import pytest

from kbuild.errors import InputError
from kbuild.formats.nvidia.ptx.launch_bounds import set_launch_bounds
from kbuild.formats.nvidia.ptx.reader import read_ptx
from kbuild.model import HighWaterMarks

PTX = b"""\
//
// .entry first( .maxntid 1, 1, 1 in a comment stays
.version 9.0
.target sm_90
.address_size 64

	// .globl	first
.visible .entry first(
	.param .u64 .ptr .global .align 4 first_param_0,
	.param .align 8 .b8 first_param_1[16]
)
.maxntid 128, 2
.minnctapersm 4
.pragma "nounroll {";
{
	.reg .b64 %rd<2>;
	ret;
}
.visible .entry first_two()
.reqntid 32, 1, 1
.maxnreg 40
{
	ret;
}
.entry $odd$name
{
	ret;
}
"""


def bounds(ptx: bytes) -> dict[str, tuple[object, object]]:
    return {k.name: (k.max_threads, k.required_block) for k in read_ptx(ptx).kernels}


def test_only_the_named_kernel_gets_bounds() -> None:
    marked = set_launch_bounds(PTX, "first", HighWaterMarks(max_threads=1024, max_registers=64))

    assert bounds(PTX)["first"] == ((128, 2, 1), None)
    assert bounds(marked) == bounds(PTX) | {"first": ((1024, 1, 1), None)}
    assert b".maxnreg 64\n{" in marked
    assert b".minnctapersm" not in marked
    assert b'.pragma "nounroll {";' in marked
    assert b".maxntid 1, 1, 1 in a comment" in marked
    assert marked.count(b".maxnreg 40") == 1


def test_bounds_replace_earlier_bounds() -> None:
    once = set_launch_bounds(PTX, "first", HighWaterMarks(max_threads=1024, max_registers=64))
    again = set_launch_bounds(once, "first", HighWaterMarks(max_threads=256))

    assert bounds(again)["first"] == ((256, 1, 1), None)
    assert b".maxnreg 64" not in again


def test_required_block_size_stays() -> None:
    marked = set_launch_bounds(PTX, "first_two", HighWaterMarks(max_registers=32))

    assert bounds(marked)["first_two"] == (None, (32, 1, 1))
    assert b".maxnreg 32" in marked


def test_kernels_without_parameters_or_directives_get_bounds() -> None:
    marked = set_launch_bounds(PTX, "$odd$name", HighWaterMarks(max_threads=512))

    assert bounds(marked)["$odd$name"] == ((512, 1, 1), None)


@pytest.mark.parametrize("name", ["firs", "absent", ".*"])
def test_missing_kernel_is_an_error(name: str) -> None:
    with pytest.raises(InputError, match="does not define kernel"):
        set_launch_bounds(PTX, name, HighWaterMarks(max_threads=1))
