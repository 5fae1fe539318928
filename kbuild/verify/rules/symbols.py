"""KB301 to KB304: handles, the host symbols that stand for kernels.

A handle that is a function is KB302's alone: where code lies, how large it is and what its
first bytes are says nothing more (KB303, KB308).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.demangle.names import demangle
from kbuild.facts import ArtifactFacts, HandleFacts, Place, Section
from kbuild.formats.elf.file import SHF_MERGE
from kbuild.verify.rule import (
    KERNELS,
    LacksEvidence,
    NotApplicable,
    Rule,
    Violation,
    name_kernels,
    rule,
)

_POINTER_BYTES: Final = 8
_READ_ONLY_SECTIONS: Final = (".data.rel.ro", ".rodata")


@rule("KB301", "missing-handle", severity="error", needs=("note",))
def missing_handle(facts: ArtifactFacts) -> Iterator[Violation]:
    """Every kernel of the kernel table has its handle in the file that registers it.

    Why: The handle is what launches pass. Without it the host program does not link
        ("undefined reference"), or links against another file's handle, which no runtime
        knows: "invalid device function".

    Fix: Link the target's own stub object unchanged; look for a version script,
        `objcopy --strip-symbol` or a linker option that drops or renames symbols.

    Source: DESIGN.md, "Kernel identity"; LLVM review D86376.
    """
    unseen = []
    for handle in facts.handles:
        if handle.symbol is not None:
            continue
        is_registered = handle.registered is not None and handle.registered.place is not None
        if facts.has_symbol_table or (handle.registered is not None and not is_registered):
            yield Violation(
                message=f"no symbol {handle.kernel} is defined for {handle.row.display}",
                symbol=handle.kernel,
            )
        else:
            unseen.append(handle)
    if unseen:
        raise LacksEvidence(f"stripped: {_count(unseen)} without a name")


@rule("KB302", "handle-is-function", severity="error", needs=())
def handle_is_function(facts: ArtifactFacts) -> Iterator[Violation]:
    """A kernel's host identity is a variable, not a function (an info for other tools' files).

    Why: A function of the kernel's name is host code: a debugger's `break kernel` stops in
        it and not in the kernel, calling the kernel by mistake compiles, links and runs, and
        a linker may fold it with another kernel's (KB304).

    Fix: Link the stub unit that kbuild made and nothing else that defines the kernel's name:
        look for a host function of that name, or for a compiler's own stub of it. nvcc and
        clang's CUDA always make functions; kbuild and clang's HIP make variables.

    Source: DESIGN.md, "Kernel identity"; llvm#57178.
    """
    if not facts.handles and not facts.host_kernels:
        raise NotApplicable("no handle")
    functions = [one.kernel for one in facts.host_kernels if one.kind == "function"]
    if functions:
        yield Violation(
            message=f"host functions stand for {KERNELS}",
            kernels=name_kernels(functions),
            severity="info",
        )
    unseen = []
    for handle in facts.handles:
        if handle.is_function:
            yield Violation(
                message=f"the handle of {handle.row.display} is a function", symbol=handle.kernel
            )
        elif handle.symbol is None and handle.is_found:
            unseen.append(handle)
    if unseen:
        raise LacksEvidence(f"stripped: {_count(unseen)} without a symbol")


@rule("KB303", "handle-layout", severity="error", needs=("note",))
def handle_layout(facts: ArtifactFacts) -> Iterator[Violation]:
    """A handle is one read-only pointer of its own: a data object, aligned, never merged.

    Why: Launching reads one pointer from the handle. If it is code, too small or
        misaligned, the launch reads something else; if it is writable, a stray write
        redirects launches; in a mergeable section two kernels may become one.

    Fix: Compile the stub unit without flags that change data (sanitisers, LTO) and link with
        the default `-z relro`; keep the section `.data.rel.ro` in linker scripts.

    Source: measured: clang's address sanitiser makes a handle 32 bytes; gABI, chapter 4.
    """
    unseen = []
    for handle in facts.handles:
        if handle.symbol is None:
            unseen += [handle] if handle.is_found else []
            continue
        if handle.is_function:
            continue
        for defect in _layout_defects(facts, handle):
            yield Violation(
                message=f"the handle of {handle.row.display} {defect}", symbol=handle.kernel
            )
    if unseen:
        raise LacksEvidence(f"stripped: {_count(unseen)} without a symbol")


def _layout_defects(facts: ArtifactFacts, handle: HandleFacts) -> Iterator[str]:
    symbol, place = handle.symbol, handle.place
    if symbol is None or place is None:
        return
    section = facts.section_of(place)
    if symbol.type != "object":
        yield f"is no data object but of type {symbol.type!r}"
    if symbol.size != _POINTER_BYTES:
        yield f"has {symbol.size} bytes, not {_POINTER_BYTES}"
    if section is not None:
        yield from _section_defects(section, place, handle.is_read_only)


def _section_defects(section: Section, place: Place, is_read_only: bool | None) -> Iterator[str]:
    if (section.address + place.offset) % _POINTER_BYTES or section.alignment % _POINTER_BYTES:
        yield f"is not aligned to {_POINTER_BYTES} bytes"
    if section.flags & SHF_MERGE:
        yield f"lies in the mergeable section {section.name}"
    is_named_read_only = section.name in _READ_ONLY_SECTIONS or section.name.startswith(
        tuple(f"{name}." for name in _READ_ONLY_SECTIONS)
    )
    if not is_named_read_only:
        yield f"lies in {section.name}, not in {' or '.join(_READ_ONLY_SECTIONS)}"
    elif is_read_only is False:
        yield f"lies in {section.name}, which stays writable (no RELRO covers it)"


@rule("KB304", "identity-folded", severity="error", needs=())
def identity_folded(facts: ArtifactFacts) -> Iterator[Violation]:
    """No two kernels share one handle.

    Why: The runtime knows kernels by the address of their handles. Two kernels at one
        address are one kernel to it: launching the second runs the first.

    Fix: Link without folding of identical data: no `--icf=all`, no
        `--ignore-data-address-equality`, no aliases between handles.

    Source: llvm#57178; measured with lld and gold `--icf=all`.
    """
    if not facts.handles and not facts.host_kernels:
        raise NotApplicable("no handle")
    yield from _folded_foreign(facts)
    at_place: dict[Place, HandleFacts] = {}
    for handle in facts.handles:
        if handle.place is None:
            continue
        first = at_place.setdefault(handle.place, handle)
        # Two targets may instantiate one template; the linker keeps one handle for both.
        if first.kernel != handle.kernel:
            yield Violation(
                message=f"{handle.row.display} and {first.row.display} have one handle",
                symbol=handle.kernel,
            )
    if any(not handle.is_found for handle in facts.handles):
        raise LacksEvidence("some handles are not to be found")


def _folded_foreign(facts: ArtifactFacts) -> Iterator[Violation]:
    at_place: dict[Place, str] = {}
    for one in facts.host_kernels:
        if one.symbol is not None and one.symbol.place is not None:
            first = at_place.setdefault(one.symbol.place, one.kernel)
            if first != one.kernel:
                yield Violation(
                    message=f"{demangle(one.kernel)} and {demangle(first)} have one identity",
                    symbol=one.kernel,
                )


def _count(handles: list[HandleFacts]) -> str:
    return f"{len(handles)} handle{'' if len(handles) == 1 else 's'}"


RULES: Final[tuple[Rule, ...]] = (
    missing_handle,
    handle_is_function,
    handle_layout,
    identity_folded,
)
