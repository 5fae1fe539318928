"""KB301 to KB304: handles, the host symbols that stand for kernels.

Only KB302 reports a handle that is a function. Its location, size, and first bytes have no
further meaning, so KB303 and KB308 ignore it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.demangle.names import demangle
from kbuild.facts import ArtifactFacts, HandleFacts, Place, Section
from kbuild.formats.elf.constants import SHF_MERGE, SHF_WRITE
from kbuild.verify.rule import LacksEvidence, NotApplicable, Rule, Violation, rule
from kbuild.verify.wording import EXAMPLES, KERNELS, plural

_POINTER_BYTES: Final = 8
_READ_ONLY_SECTIONS: Final = (".data.rel.ro", ".rodata")


@rule("KB301", "missing-handle", severity="error", needs=("note",))
def missing_handle(facts: ArtifactFacts) -> Iterator[Violation]:
    """The file that registers a kernel defines its handle.

    Why: Launches pass the handle. Without it, the host program does not link ("undefined
        reference"), or it links with the handle of another file, which no runtime knows:
        "invalid device function".

        Only a note says which handles must exist, so files of other tools are not
        judged.

    Fix: Link the target's own stub object unchanged. Look for a version script, `objcopy
        --strip-symbol`, or a linker option that removes or renames symbols.

    Source: `kbuild/module.h`, `struct kbuild_kernel`; LLVM review D86376.
    """
    if facts.kind == "object" and any(module.record.has_host_texts for module in facts.modules):
        raise LacksEvidence("the objects of mixed sources define the handles")
    unjudged = []
    for handle in facts.handles:
        if handle.symbol is not None:
            continue
        is_registered = handle.registered is not None and handle.registered.place is not None
        if facts.has_symbol_table or (handle.registered is not None and not is_registered):
            yield Violation(
                message=f"the file does not define the handle of {KERNELS}", symbol=handle.kernel
            )
        else:
            unjudged.append(handle)
    if unjudged:
        raise LacksEvidence(f"stripped: {plural(len(unjudged), 'handle')} without a name")


@rule("KB302", "handle-is-function", severity="error", needs=())
def handle_is_function(facts: ArtifactFacts) -> Iterator[Violation]:
    """A kernel's host identity is a variable, not a function (an info for other tools' files).

    Why: A function with the kernel's name is host code. A debugger's `break kernel` stops in
        it instead of in the kernel. Calling the kernel by mistake compiles, links, and runs. A
        linker can fold the function with that of another kernel (KB304).

        A local function of 8 bytes that the file registers is not code. In host texts of mixed
        sources, clang writes the null pointer of a kernel without linkage as such a function.

    Fix: Link the stub unit that kbuild generated, and nothing else that defines the kernel's
        name. Look for a host function with that name, or for a compiler's own stub. nvcc and
        clang for CUDA always generate functions. kbuild and clang for HIP generate variables.

    Source: `kbuild/module.h`, `struct kbuild_kernel`; llvm#57178.
    """
    if not facts.handles and not facts.host_kernels:
        raise NotApplicable("the file has no handle")
    for one in facts.host_kernels:
        if one.kind == "function":
            yield Violation(
                message=f"functions are the host identities of {KERNELS}",
                symbol=one.kernel,
                severity="info",
            )
    unjudged = []
    for handle in facts.handles:
        if handle.is_function and not _is_local_pointer(handle):
            yield Violation(message=f"the handle of {KERNELS} is a function", symbol=handle.kernel)
        elif handle.symbol is None and handle.is_found:
            unjudged.append(handle)
    if unjudged:
        raise LacksEvidence(f"stripped: {plural(len(unjudged), 'handle')} without a symbol")


def _is_local_pointer(handle: HandleFacts) -> bool:
    """Return whether a handle is the function that clang writes for a kernel without linkage."""
    symbol, registered = handle.symbol, handle.registered
    return (
        handle.row.linkage == "internal"
        and symbol is not None
        and symbol.binding == "local"
        and symbol.size == _POINTER_BYTES
        and registered is not None
        and registered.place == symbol.place
    )


@rule("KB303", "handle-layout", severity="error", needs=("note",))
def handle_layout(facts: ArtifactFacts) -> Iterator[Violation]:
    """A handle is a separate, read-only, aligned pointer: a data object that is never merged.

    Why: A launch reads one pointer from the handle. If the handle is code, too small, or
        misaligned, the launch reads something else. If it is writable, a stray write redirects
        launches. In a mergeable section, two kernels can become one.

        The handle of an explicit instance of a kernel template is in executable code that starts
        with the instructions by which launches recognize it.

        Only a note says what a handle is, so files of other tools are not judged.

    Fix: Compile the stub unit without flags that change data (sanitizers, LTO), and link with
        the default `-z relro`. Keep the section `.data.rel.ro` in linker scripts.

    Source: measured: clang's address sanitizer makes a handle 32 bytes long; gABI, chapter 4.
    """
    unjudged = []
    for handle in facts.handles:
        if handle.symbol is None:
            unjudged += [handle] if handle.is_found else []
            continue
        if handle.is_function:
            continue
        for defect in _layout_defects(facts, handle):
            yield Violation(message=f"the handle of {KERNELS} {defect}", symbol=handle.kernel)
    if unjudged:
        raise LacksEvidence(f"stripped: {plural(len(unjudged), 'handle')} without a symbol")


def _layout_defects(facts: ArtifactFacts, handle: HandleFacts) -> Iterator[str]:
    symbol, place = handle.symbol, handle.place
    if symbol is None or place is None:
        return
    section = facts.section_of(place)
    if symbol.type != "object":
        yield f"has type {symbol.type!r} instead of 'object'"
    if symbol.size != _POINTER_BYTES:
        yield f"has {symbol.size} bytes instead of {_POINTER_BYTES}"
    if section is not None:
        yield from _section_defects(section, place, handle)


def _section_defects(section: Section, place: Place, handle: HandleFacts) -> Iterator[str]:
    if (section.address + place.offset) % _POINTER_BYTES or section.alignment % _POINTER_BYTES:
        yield f"is not aligned to {_POINTER_BYTES} bytes"
    if section.flags & SHF_MERGE:
        yield f"is in the mergeable section {section.name}"
    if handle.has_code and not section.flags & SHF_WRITE:
        return
    is_named_read_only = section.name in _READ_ONLY_SECTIONS or section.name.startswith(
        tuple(f"{name}." for name in _READ_ONLY_SECTIONS)
    )
    if not is_named_read_only:
        yield f"is in {section.name} instead of {' or '.join(_READ_ONLY_SECTIONS)}"
    elif handle.is_read_only is False:
        yield f"is in {section.name}, which stays writable (RELRO does not cover it)"


@rule("KB304", "identity-folded", severity="error", needs=())
def identity_folded(facts: ArtifactFacts) -> Iterator[Violation]:
    """No two kernels share a handle.

    Why: The runtime identifies kernels by the addresses of their handles. Two kernels with one
        address are one kernel to it, so launching the second one runs the first one.

        It is an error in files of all tools: the symbols show that an identity is lost.

    Fix: Link without folding of identical data: no `--icf=all`, no
        `--ignore-data-address-equality`, no aliases between handles.

    Source: llvm#57178; measured with lld and gold `--icf=all`.
    """
    if not facts.handles and not facts.host_kernels:
        raise NotApplicable("the file has no handle")
    yield from _folded_foreign(facts)
    at_place: dict[Place, HandleFacts] = {}
    for handle in facts.handles:
        if handle.place is None:
            continue
        first = at_place.setdefault(handle.place, handle)
        # If two files instantiate one template, the linker keeps one handle for both.
        is_instance = first.row.linkage == handle.row.linkage == "weak"
        is_same = is_instance and first.row.device_name == handle.row.device_name
        if first.kernel != handle.kernel and not is_same:
            yield Violation(
                message=f"two kernels share a handle: {EXAMPLES}",
                symbol=handle.kernel,
                where=f"with {first.row.display}",
            )
    if any(not handle.is_found for handle in facts.handles):
        raise LacksEvidence("some handles cannot be found")


def _folded_foreign(facts: ArtifactFacts) -> Iterator[Violation]:
    at_place: dict[Place, str] = {}
    for one in facts.host_kernels:
        if one.symbol is not None and one.symbol.place is not None:
            first = at_place.setdefault(one.symbol.place, one.kernel)
            if first != one.kernel:
                yield Violation(
                    message=f"two kernels share an identity: {EXAMPLES}",
                    symbol=one.kernel,
                    where=f"with {demangle(first)}",
                )


RULES: Final[tuple[Rule, ...]] = (
    missing_handle,
    handle_is_function,
    handle_layout,
    identity_folded,
)
