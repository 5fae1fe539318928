"""Digests of the functions and data in an AMDGPU code object, for comparing builds."""

from __future__ import annotations

from collections.abc import Iterator

from kbuild.facts import CodeFacts
from kbuild.formats.buffer import Buffer
from kbuild.formats.elf.code import ElfCode, Span, digest
from kbuild.formats.elf.constants import EM_AMDGPU, STT_FUNC, STT_OBJECT
from kbuild.formats.elf.device import DeviceElf

_DESCRIPTOR = ".kd"
# Variables of one byte whose names contain a hash of the compilation.
_COMPILATION = "__hip_cuid_"
_READ_ONLY = b".rodata"


def read_object_code(data: Buffer) -> CodeFacts:
    """Return the digests of the functions and data in a code object."""
    elf = DeviceElf(data, EM_AMDGPU, "code object")
    code = ElfCode(elf)
    functions = tuple((span.name, code.digest(span)) for span in code.spans(STT_FUNC))
    return CodeFacts(functions=functions, data=tuple(_read_data(elf, code)))


def _read_data(elf: DeviceElf, code: ElfCode) -> Iterator[tuple[str, str]]:
    objects: list[Span] = list(code.spans(STT_OBJECT))
    for span in objects:
        # A descriptor contains the address of the code, which varies, and the resources of the
        # kernel, which are compared elsewhere.
        if not span.name.endswith(_DESCRIPTOR) and not span.name.startswith(_COMPILATION):
            yield span.name, code.digest(span)
    for section in code.sections(prefix=_READ_ONLY):
        rest = code.unnamed(section, objects)
        if rest.strip(b"\0"):
            yield elf.section_name(section), digest((rest,))
