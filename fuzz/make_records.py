"""Seeds that kbuild's own code writes: notes, records, launch records, and debug information."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

from kbuild import records
from kbuild.formats.elf.file import Elf
from kbuild.formats.offload import binary as offload_binary
from kbuild.formats.target_note import SECTION, read_notes
from kbuild.model import DeviceImage, Kernel, KernelRecord, Param, Resources, Variable
from kbuild.runtime.launch_records.file import (
    CapturedBuffer,
    CapturedCode,
    CapturedImage,
    CapturedPointer,
    CaptureNote,
    LaunchOrigin,
    LaunchOutcome,
    LaunchRecord,
    RecordedConfig,
    write_launch_record,
)
from kbuild.stages.compile import CompiledSource

_SIGNATURES: Final = """\
typedef float v4 __attribute__((vector_size(16)));
enum class Byte : unsigned char { high = 200 };
namespace ns {
struct Item { int a : 5; unsigned b : 7; char c; double d; v4 v; };
void scale(float *x, Item y) { *x = y.c; }
}
extern "C" void f(Byte, int (ns::Item::*)(), decltype(nullptr)) {}
"""


def make_records(directory: Path, kbuild_object: bytes) -> dict[str, bytes]:
    """Return seeds by their path in the corpus.

    Args:
        directory: A directory for temporary files.
        kbuild_object: An object with kbuild's note.
    """
    elf = Elf(kbuild_object)
    (section,) = (section for section in elf.sections if section.name == SECTION)
    note = kbuild_object[section.offset : section.offset + section.size]
    (read,), _ = read_notes(note)
    (directory / "f.cpp").write_text(_SIGNATURES)
    argv = ("g++", "-g", "-w", "-c", "f.cpp", "-o", "f.o")
    subprocess.run(argv, cwd=directory, check=True)
    return {
        "note/kbuild.note": note,
        "record/target.json": records.dump(records.RECORD_SCHEMA, read.record),
        "record/image.json": records.dump(records.IMAGE_SCHEMA, _make_source()),
        "launch-record/full.launch": _make_launch_record(directory),
        "dwarf/signatures.o": (directory / "f.o").read_bytes(),
    }


def _make_source() -> CompiledSource:
    params = (Param(index=0, offset=0, size=8, type="float*"),)
    kernel = Kernel(
        name="_Z1kPf", display="k(float*)", params=params, resources=Resources(registers=10)
    )
    variable = Variable(name="weight", display="weight", kind="constant", size=8)
    image = DeviceImage(
        source="k.cu",
        arch="sm_90",
        kind="elf",
        path=Path("k.cubin"),
        sha256="00",
        size=9,
        kernels=(kernel,),
        variables=(variable,),
    )
    return CompiledSource(source="k.cu", backend="cuda", images=(image,), log="", warnings="")


def _make_launch_record(directory: Path) -> bytes:
    strings = (("triple", "x86_64-unknown-linux-gnu"), ("arch", "x86-64"))
    record = LaunchRecord(
        backend="cpu",
        kernel=KernelRecord(
            handle="_Z4axpyfPf",
            device_name="_Z4axpyfPf",
            display="axpy(float, float*)",
            linkage="external",
            container=0,
            params=(
                Param(index=0, offset=0, size=4, type="float", name="a"),
                Param(index=1, offset=8, size=8, type="float*", name="x"),
            ),
        ),
        config=RecordedConfig(grid=(2, 1, 1), block=(32, 1, 1), shared_bytes=16, cluster=(2, 1, 1)),
        arguments=bytes(16),
        code=CapturedCode(
            fat_binary=offload_binary.write([(1, strings, b"image")]),
            images=(CapturedImage(arch="sm_80", kind="ptx", content=b"// PTX"),),
        ),
        pointers=(CapturedPointer(offset=8, buffer=0, buffer_offset=0x10),),
        buffers=(CapturedBuffer(address=0x1000, size=100, content=bytes(range(100))),),
        notes=(CaptureNote(kind="over-limit", message="too large"),),
        origin=LaunchOrigin(program="/bin/a b", pid=7, file="main.cpp", line=3),
        outcome=LaunchOutcome(code=9, message="no"),
    )
    path = directory / "one.launch"
    write_launch_record(path, record)
    return path.read_bytes()
