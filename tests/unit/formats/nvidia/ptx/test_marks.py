from __future__ import annotations

import pytest

from kbuild.errors import InputError
from kbuild.formats.nvidia.ptx.marks import mark_entry
from kbuild.formats.nvidia.ptx.text import read_ptx
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


def test_only_the_entry_is_marked() -> None:
    marked = mark_entry(PTX, "first", HighWaterMarks(max_threads=1024, max_registers=64))

    assert bounds(PTX)["first"] == ((128, 2, 1), None)
    assert bounds(marked) == bounds(PTX) | {"first": ((1024, 1, 1), None)}
    assert b".maxnreg 64\n{" in marked
    assert b".minnctapersm" not in marked
    assert b'.pragma "nounroll {";' in marked
    assert b".maxntid 1, 1, 1 in a comment" in marked
    assert marked.count(b".maxnreg 40") == 1


def test_marks_are_replaced_by_others() -> None:
    once = mark_entry(PTX, "first", HighWaterMarks(max_threads=1024, max_registers=64))
    again = mark_entry(once, "first", HighWaterMarks(max_threads=256))

    assert bounds(again)["first"] == ((256, 1, 1), None)
    assert b".maxnreg 64" not in again


def test_a_required_block_stays() -> None:
    marked = mark_entry(PTX, "first_two", HighWaterMarks(max_registers=32))

    assert bounds(marked)["first_two"] == (None, (32, 1, 1))
    assert b".maxnreg 32" in marked


def test_entries_without_parameters_or_directives_are_marked() -> None:
    marked = mark_entry(PTX, "$odd$name", HighWaterMarks(max_threads=512))

    assert bounds(marked)["$odd$name"] == ((512, 1, 1), None)


@pytest.mark.parametrize("name", ["firs", "absent", ".*"])
def test_entries_that_are_not_there_are_told(name: str) -> None:
    with pytest.raises(InputError, match="defines no kernel"):
        mark_entry(PTX, name, HighWaterMarks(max_threads=1))
