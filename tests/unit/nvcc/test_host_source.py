"""The assembly of a stub unit becomes a part of another unit."""

from __future__ import annotations

from pathlib import Path

from kbuild.nvcc.host_source import _separate

UNIT = """\
\t.file\t"stub.cpp"
\t.section\t.rodata.str1.1,"aMS",@progbits,1
.LC0:
\t.string\t"local kbuild_record"
\t.hidden\tkbuild_record
kbuild_record:
\t.incbin "{path}"
\t.incbin "{path}", 1, 2
local:
\tleaq\t.LC0(%rip), %rdi
\tjmp\tlocal@PLT
\t.local\tcount
\t.comm\tcount,4,4
\t.globl\tkbuild_unit_1
\t.hidden\tkbuild_unit_1
kbuild_unit_1:
\t.quad\tlocal+8
\t.weak\tkbuild_module_1
\t.set\tkbuild_module_1,kbuild_data
\t.globl\tshared
shared:
\t.ident\t"GCC"
\t.section\t.note.GNU-stack,"",@progbits"""
PART = """\
\t.section\t.rodata.str1.1,"aMS",@progbits,1
.LC0.kbuild:
\t.string\t"local kbuild_record"
\t.hidden\tkbuild_record.kbuild
kbuild_record.kbuild:
\t.byte 97,0,255
\t.byte 0,255
local.kbuild:
\tleaq\t.LC0.kbuild(%rip), %rdi
\tjmp\tlocal.kbuild@PLT
\t.local\tcount.kbuild
\t.comm\tcount.kbuild,4,4
\t.hidden\tkbuild_unit_1
kbuild_unit_1:
\t.quad\tlocal.kbuild+8
\t.weak\tkbuild_module_1
\t.set\tkbuild_module_1,kbuild_data
\t.globl\tshared
shared:"""


def test_local_symbols_and_included_files_are_separate(tmp_path: Path) -> None:
    included = tmp_path / "content"
    included.write_bytes(b"a\0\xff")

    lines = UNIT.format(path=included).splitlines()
    assert "\n".join(_separate(lines)) == PART
