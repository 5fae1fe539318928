"""KB504 and KB506: distances and memory protection in the layout of a linked file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.facts import ArtifactFacts, Section
from kbuild.formats.elf.constants import SHF_ALLOC, SHF_EXECINSTR, SHF_WRITE, SHF_X86_64_LARGE
from kbuild.verify.rule import LINKED, NotApplicable, Rule, Violation, rule

# Code refers to data by a signed 32-bit distance.
_REACH: Final = 1 << 31
_WARNED_FROM: Final = 0.75
_EXECUTABLE, _WRITABLE = 1, 2


@rule("KB504", "two-gigabyte-distance", severity="error", needs=())
def two_gigabyte_distance(facts: ArtifactFacts) -> Iterator[Violation]:
    """Code and the data that it uses are less than two gigabytes apart.

    Why: Fat binaries between code and data push the data out of reach of ordinary code:
        "relocation truncated to fit: R_X86_64_PC32". Close to the limit, the next architecture
        causes the error. In files of other tools, larger distances are a warning, too: their
        code was linked, so it does not refer to data that is out of reach.

    Fix: Build fewer architectures, compress them (in kbuild COMPRESSION), split the library,
        or place fat binaries behind the data with a linker script.

    Source: pytorch#48588, pytorch#39968, rocm-systems#7009; x86-64 psABI, "code models".
    """
    if facts.kind not in LINKED or not facts.containers:
        raise NotApplicable("not a linked file with device code")
    loaded = [section for section in facts.sections if section.flags & SHF_ALLOC]
    code = [section for section in loaded if section.flags & SHF_EXECINSTR]
    # Code uses full addresses for sections that the medium code model marks as large.
    is_far = SHF_X86_64_LARGE if facts.machine == "x86_64" else 0
    data = [s for s in loaded if s.flags & SHF_WRITE and not s.flags & is_far]
    distance = max((_distance(c, d) for c in code for d in data), default=0)
    if distance >= _WARNED_FROM * _REACH:
        is_out = distance >= _REACH
        yield Violation(
            message=f"{distance / 2**30:.2f} GiB between code and data"
            + ("" if is_out else ", and code can address at most 2 GiB"),
            severity=None if is_out and facts.modules else "warning",
        )


def _distance(code: Section, data: Section) -> int:
    """Return the distance between the far ends of two sections."""
    ends = (code.address + code.size, data.address + data.size)
    return max(ends) - min(code.address, data.address)


@rule("KB506", "hardening", severity="info", needs=())
def hardening(facts: ArtifactFacts) -> Iterator[Violation]:
    """A file with kernels needs no memory that is both writable and executable.

    Why: Executable stacks, and segments that are writable and executable, make errors
        exploitable. Hardened systems refuse to load them: "cannot enable executable stack".

    Fix: Give assembly files a `.note.GNU-stack` section. Link with `-z relro -z noexecstack` and
        without `-N`.

    Source: gABI, "Program Header"; ld(1), `-z`.
    """
    if facts.kind not in LINKED or not (facts.containers or facts.modules):
        raise NotApplicable("not a linked file with device code")
    for segment in facts.segments:
        if segment.type == "PT_GNU_STACK" and segment.flags & _EXECUTABLE:
            yield Violation(message="the stack is executable")
        if segment.type == "PT_LOAD" and segment.flags & _EXECUTABLE and segment.flags & _WRITABLE:
            yield Violation(message="a segment is writable and executable")
    if facts.segments and all(segment.type != "PT_GNU_RELRO" for segment in facts.segments):
        yield Violation(message="no data becomes read-only after loading (RELRO)")


RULES: Final[tuple[Rule, ...]] = (two_gigabyte_distance, hardening)
