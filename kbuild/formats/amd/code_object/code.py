"""The code of AMDGPU code objects: what tells one function's from another's."""

from __future__ import annotations

from collections.abc import Iterator

from kbuild.facts import CodeFacts
from kbuild.formats.amd.code_object.image import EM_AMDGPU
from kbuild.formats.buffer import Buffer
from kbuild.formats.elf.code import STT_FUNC, STT_OBJECT, ElfCode, Span, digest
from kbuild.formats.elf.device import DeviceElf

_DESCRIPTOR = ".kd"
# Named after a hash of the compilation, one byte each.
_COMPILATION = "__hip_cuid_"
_READ_ONLY = b".rodata"


def read_object_code(data: Buffer) -> CodeFacts:
    """The digests of a code object's functions and data."""
    elf = DeviceElf(data, EM_AMDGPU, "code object")
    code = ElfCode(elf)
    functions = tuple((span.name, code.digest(span)) for span in code.spans(STT_FUNC))
    return CodeFacts(functions=functions, data=tuple(_read_data(elf, code)))


def _read_data(elf: DeviceElf, code: ElfCode) -> Iterator[tuple[str, str]]:
    objects: list[Span] = list(code.spans(STT_OBJECT))
    for span in objects:
        # A descriptor says where the code is; what else it says is among the resources.
        if not span.name.endswith(_DESCRIPTOR) and not span.name.startswith(_COMPILATION):
            yield span.name, code.digest(span)
    for section in code.sections(named=_READ_ONLY):
        rest = code.unnamed(section, objects)
        if rest.strip(b"\0"):
            yield elf.section_name(section), digest((rest,))
