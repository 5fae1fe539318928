"""KB501 to KB503 and KB505: how the layout of the linked file affects kernels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from kbuild.facts import ArtifactFacts, Place, Section
from kbuild.formats import target_note
from kbuild.verify.file_set import FileSet
from kbuild.verify.identities import binds_to_itself, copied_names, is_symbolic
from kbuild.verify.rule import LINKED, NotApplicable, Rule, Violation, rule
from kbuild.verify.wording import KERNELS, PLACES

# `struct kbuild_note_header` and the parts of every ELF note need this alignment in memory.
_NOTE_ALIGNMENT: Final = 4


@rule("KB501", "copy-relocated-handle", severity="error", needs=())
def copy_relocated_handle(facts: ArtifactFacts, files: FileSet) -> Iterator[Violation]:
    """No executable contains a copy of a library's handle or device variable.

    Why: A program refers to data of a library at a fixed address, so the dynamic linker copies the
        data into the program, and the library must use the copy, too. Compilers do this for
        kernels without `-fPIE`, and for variables also with it, which is the default. A library
        that is linked with `-Bsymbolic`, or whose symbols are protected, registers its own handle
        or variable instead. A library of mixed sources does so with its device variables, unless
        it is built with `RDC ON`. Then every launch from the program fails ("invalid device
        function"), and every copy to or from the variable ("invalid device symbol"). If the library
        does use the copy, this is a warning: everything works until somebody links the library
        differently.

    Fix: Link the library without `-Bsymbolic`, or compile the code of the executable that names
        the kernel or variable with `-fPIC`. For kernels, `-fPIE` is enough (CMake:
        POSITION_INDEPENDENT_CODE).

    Source: reproduced with gcc 12: `-no-pie` for kernels, the default for variables.
    """
    if facts.kind != "executable":
        raise NotApplicable("not an executable")
    others = [(other, files.exports_of(other)) for other in files.others(facts)]
    if not any(exports.kernels or exports.variables for _, exports in others):
        raise NotApplicable("no other file of the call exports a kernel or device variable")
    for name in sorted(copied_names(facts)):
        # If several files define the symbol, report one that registers its own.
        found = [
            (not binds_to_itself(other, identity), what, other)
            for other, exports in others
            for what, identities in (("handle", exports.kernels), ("variable", exports.variables))
            if (identity := identities.get(name)) is not None and identity.is_data
        ]
        if found:
            follows, what, other = min(found, key=lambda one: one[0])
            yield _copied(name, what, other, follows=follows)


def _copied(name: str, what: str, other: ArtifactFacts, *, follows: bool) -> Violation:
    effect = "must keep using the copy" if follows else f"registers its own {what} instead"
    return Violation(
        message=f"the executable has a copy of the {what} {KERNELS} from {other.path}, "
        f"which {effect}",
        symbol=name,
        severity="warning" if follows else "error",
    )


@rule("KB502", "symbolic-binding", severity="warning", needs=())
def symbolic_binding(facts: ArtifactFacts, files: FileSet) -> Iterator[Violation]:
    """A shared object that exports handles or device variables uses the executable's copies.

    Why: With `-Bsymbolic`, the library always registers its own handles and device variables. If an
        executable has copies of them, launches and copies from it fail, see KB501. Any program has
        a copy of a variable that it names, and one that is not position-independent has a copy of
        a handle. It is only an info for files of other tools, whose authors may know all programs
        that use them. Without `RDC ON`, the device variables of mixed sources are local to their
        source, as with nvcc, so that this rule does not judge how they are bound.

    Fix: Link without `-Bsymbolic`, or hide the symbols with `VISIBILITY hidden`.
        `-Bsymbolic-functions` is harmless, because handles and variables are data.

    Source: measured with bfd, gold, and lld; see KB501.
    """
    exports = files.exports_of(facts)
    exported = [
        identity
        for identity in (*exports.kernels.values(), *exports.variables.values())
        if identity.is_data and identity.symbol.visibility == "default"
    ]
    if facts.kind != "shared-object" or not exported:
        raise NotApplicable("not a shared object that exports handles or device variables")
    for identity in exported:
        is_aliased = identity.is_alias and not is_symbolic(facts)
        if binds_to_itself(facts, identity) and not is_aliased:
            yield Violation(
                message="the file uses its own handles or device variables even if they are copied "
                f"(-Bsymbolic): {KERNELS}",
                symbol=identity.symbol.name,
                severity="warning" if identity.is_own else "info",
            )


@rule("KB503", "text-relocation", severity="error", needs=())
def text_relocation(facts: ArtifactFacts, files: FileSet) -> Iterator[Violation]:
    """Code that refers to kernels is position-independent where it must be.

    Why: A four-byte address does not work in a shared object: "relocation R_X86_64_32 against
        symbol can not be used when making a shared object". If the linker accepts it, the loader
        writes into code, which hardened systems refuse ("cannot make segment writable for
        relocation"). Other systems load the file, so this is a warning without a note.

    Fix: Compile with `-fPIC` (CMake: POSITION_INDEPENDENT_CODE) and link without `-z notext`.
        In objects of an executable that is linked with `-no-pie`, such addresses are legal (an
        info), but they make the linker copy handles, see KB501.

    Source: hypre#475, risc0#2540; x86-64 psABI, section 3.5.
    """
    meant = [
        (reference, files.find_kernel(reference, facts))
        for reference in facts.references
        if reference.kind == "absolute-32"
    ]
    uses_kernels = any(files.named(symbol.name, facts) for symbol in facts.symbols)
    if not (facts.modules or facts.containers or uses_kernels):
        raise NotApplicable("the file does not refer to kernels")
    if facts.dynamic is not None and facts.dynamic.has_text_relocations:
        yield Violation(
            message="the loader must write into read-only segments (DT_TEXTREL)",
            severity=None if facts.modules else "warning",
        )
    is_for_sharing = _is_meant_for_sharing(facts)
    for reference, kernel in meant:
        if kernel is not None:
            what = "debug stub" if kernel.is_stub else "handle"
            yield Violation(
                message=f"{_section_name(facts, reference.place)} contains a four-byte address of "
                f"the {what} of {KERNELS}",
                symbol=kernel.handle.kernel,
                severity="error" if is_for_sharing else "info",
            )


def _is_meant_for_sharing(facts: ArtifactFacts) -> bool:
    """Return whether an object shows that it belongs to a shared object.

    It does if it exports its own kernels, which only SHARED and MODULE targets do by default.
    Loads from the GOT show nothing, because gcc also emits them with -fno-plt -fno-pie.
    """
    return any(module.record.visibility == "default" for module in facts.modules)


def _section_name(facts: ArtifactFacts, place: Place) -> str:
    section = facts.section_of(place)
    return section.name if section else "a section"


@rule("KB505", "section-alignment", severity="error", needs=())
def section_alignment(facts: ArtifactFacts) -> Iterator[Violation]:
    """Fat binaries and notes are aligned as their formats require.

    Why: The runtime reads headers and images in place. It rejects misaligned ones, or reads
        them from the wrong place. Whether a section with too small an alignment works depends
        on what the linker places before it. In files of other tools, too small an alignment is a
        warning in an object, and only a wrong address is an error in a linked file.

    Fix: Link the stub unit that kbuild generated. Look for `objcopy --set-section-alignment` and
        for linker scripts with SUBALIGN.

    Source: LLVM's OffloadBinary.h; gABI, "Note Section".
    """
    notes = [section for section in facts.sections if section.name == target_note.SECTION]
    if not facts.containers and not notes:
        raise NotApplicable("neither a fat binary nor a note")
    needs = {(container.place.section, container.alignment) for container in facts.containers}
    needs |= {(section.index, _NOTE_ALIGNMENT) for section in notes}
    for index, alignment in sorted(needs):
        if index < len(facts.sections):
            yield from _misaligned(facts.sections[index], alignment, facts)


def _misaligned(section: Section, needed: int, facts: ArtifactFacts) -> Iterator[Violation]:
    # The linker can still place the section correctly. After the link, its address decides.
    is_own = bool(facts.modules)
    # An alignment of 0 means 1.
    if max(section.alignment, 1) % needed and (is_own or facts.kind not in LINKED):
        yield Violation(
            message=f"{section.name} is aligned to {section.alignment} bytes, but its format "
            f"requires {needed}",
            severity=None if is_own else "warning",
        )
    elif section.address % needed:
        yield Violation(
            message=f"{section.name} is at {section.address:#x}, not at a multiple of {needed}"
        )
    else:
        yield from _misplaced(section, facts)


def _misplaced(section: Section, facts: ArtifactFacts) -> Iterator[Violation]:
    containers: Iterable[tuple[int, int]] = (
        (c.place.offset, c.alignment) for c in facts.containers if c.place.section == section.index
    )
    for offset, needed in containers:
        if offset % needed:
            yield Violation(
                message=f"the container at {PLACES} is not aligned to {needed} bytes",
                where=f"{section.name}+{offset:#x}",
            )


RULES: Final[tuple[Rule, ...]] = (
    copy_relocated_handle,
    symbolic_binding,
    text_relocation,
    section_alignment,
)
