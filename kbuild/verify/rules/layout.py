"""KB5xx: how the linker laid the file out, and what that does to kernels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from kbuild.facts import ArtifactFacts, Place, Section
from kbuild.formats import note
from kbuild.verify.file_set import FileSet, Identity, identities_of
from kbuild.verify.rule import NotApplicable, Rule, Violation, rule, set_rule
from kbuild.verify.wording import shorten

# What `struct kbuild_note_header` needs where the file is mapped, and every note's parts.
_NOTE_ALIGNMENT: Final = 4


@set_rule("KB501", "copy-relocated-handle", severity="error", needs=())
def copy_relocated_handle(facts: ArtifactFacts, files: FileSet) -> Iterator[Violation]:
    """No executable has a library's handle copied into itself.

    Why: Code that is not position-independent needs the handle at a fixed address, so the
        dynamic linker copies it into the executable. The library must then use the copy too;
        linked with `-Bsymbolic`, or with protected handles, it registers its own one, and
        every launch from the executable fails ("invalid device function"). Where it does
        use the copy (a warning), launches work until somebody links it otherwise.

    Fix: Compile the executable with `-fPIE` or `-fPIC` (CMake: POSITION_INDEPENDENT_CODE)
        where it takes a kernel's address, or link the library without `-Bsymbolic`.

    Source: reproduced with gcc 12, `-no-pie`.
    """
    if facts.kind != "executable":
        raise NotApplicable("no executable")
    if not files.has_handles:
        raise NotApplicable("no handle in the files of this call")
    for reference in facts.references:
        if reference.kind != "copy":
            continue
        originals = [i for i in files.named(reference.symbol, facts) if not i.is_stub]
        if originals:
            # What one of the files breaks is broken, whichever is loaded.
            original = next((i for i in originals if _binds_to_itself(i)), originals[0])
            yield _copied(original)


def _copied(original: Identity) -> Violation:
    name, path = original.handle.row.display, original.file.path
    is_broken = _binds_to_itself(original)
    effect = "registers its own instead" if is_broken else "must go on using the copy"
    return Violation(
        message=f"the handle of {name} is copied out of {path}, which {effect}",
        symbol=original.handle.kernel,
        severity="error" if is_broken else "warning",
    )


def _binds_to_itself(kernel: Identity) -> bool:
    """Whether the defining file uses its own handle although others may interpose it."""
    if kernel.symbol is not None and kernel.symbol.visibility == "protected":
        return True
    if kernel.file.kind == "object":
        return False
    # The pointer that is registered is the truth; options only say what it should be.
    registered = kernel.handle.registered
    if registered is not None and registered.place is not None and not registered.interposable:
        return True
    return kernel.file.dynamic is not None and kernel.file.dynamic.is_symbolic


@rule("KB502", "symbolic-binding", severity="warning", needs=())
def symbolic_binding(facts: ArtifactFacts) -> Iterator[Violation]:
    """A shared object that exports handles lets the program's copy of them count.

    Why: With `-Bsymbolic` the library registers its own handles whatever happens. As soon
        as an executable that is not position-independent takes a kernel's address, the two
        differ, and every launch from it fails ("invalid device function"): see KB501.

    Fix: Link without `-Bsymbolic` (`-Bsymbolic-functions` is harmless, handles are data), or
        hide the handles: `VISIBILITY hidden`.

    Source: measured with bfd, gold and lld; see KB501.
    """
    exported = [
        kernel
        for kernel in identities_of(facts)
        if facts.kind == "shared-object"
        and not kernel.is_stub
        and kernel.is_exported
        and kernel.symbol is not None
        and kernel.symbol.visibility == "default"
    ]
    if not exported:
        raise NotApplicable("no shared object that exports handles")
    bound = [kernel.handle.row.display for kernel in exported if _binds_to_itself(kernel)]
    if bound:
        yield Violation(
            message="the file binds the handles that it exports to itself (-Bsymbolic): "
            f"{shorten(bound)}"
        )


@set_rule("KB503", "text-relocation", severity="error", needs=())
def text_relocation(facts: ArtifactFacts, files: FileSet) -> Iterator[Violation]:
    """Code that deals with kernels is position-independent where it has to be.

    Why: Addresses in four bytes do not fit a shared object: "relocation R_X86_64_32 against
        symbol can not be used when making a shared object". Those that the linker lets
        through make the loader write into code, which hardened systems refuse ("cannot make
        segment writable for relocation").

    Fix: Compile with `-fPIC` (CMake: POSITION_INDEPENDENT_CODE) and link without
        `-z notext`. In objects of an executable that is linked with `-no-pie` it is legal
        (an info), but makes the linker copy handles: see KB501.

    Source: hypre#475, risc0#2540; x86-64 psABI, section 3.5.
    """
    meant = [
        (reference, files.meant_by(reference, facts))
        for reference in facts.references
        if reference.kind == "absolute-32"
    ]
    uses_kernels = any(files.named(symbol.name, facts) for symbol in facts.symbols)
    if not (facts.modules or facts.containers or uses_kernels):
        raise NotApplicable("nothing to do with kernels")
    if facts.dynamic is not None and facts.dynamic.has_text_relocations:
        yield Violation(message="the loader has to write into read-only segments (DT_TEXTREL)")
    is_for_sharing = _is_meant_for_sharing(facts)
    for reference, kernel in meant:
        if kernel is not None:
            what = "debug stub" if kernel.is_stub else "handle"
            yield Violation(
                message=f"{_section_name(facts, reference.place)} has the address of "
                f"{kernel.handle.row.display}'s {what} in four bytes",
                symbol=reference.symbol or kernel.handle.kernel,
                severity="error" if is_for_sharing else "info",
            )


def _is_meant_for_sharing(facts: ArtifactFacts) -> bool:
    """Whether an object belongs into a shared object, as far as it says.

    It does when its own kernels are to be exported: the default of SHARED and MODULE
    targets alone.  Loads from the GOT say nothing: gcc emits them with -fno-plt -fno-pie.
    """
    return any(module.record.visibility == "default" for module in facts.modules)


def _section_name(facts: ArtifactFacts, place: Place) -> str:
    section = facts.section_of(place)
    return section.name if section else "a section"


@rule("KB505", "section-alignment", severity="error", needs=())
def section_alignment(facts: ArtifactFacts) -> Iterator[Violation]:
    """Fat binaries and notes are aligned as their formats ask.

    Why: The runtime reads headers and images where they lie. Misaligned ones are rejected
        or read from the wrong place; a section that asks for less than its format needs
        works or not depending on what the linker puts before it.

    Fix: Link the stub unit that kbuild made; look for `objcopy --set-section-alignment` and
        for linker scripts with SUBALIGN.

    Source: LLVM's OffloadBinary.h; gABI, "Note Section".
    """
    notes = [section for section in facts.sections if section.name == note.SECTION]
    if not facts.containers and not notes:
        raise NotApplicable("neither fat binary nor note")
    needs = {(container.place.section, container.alignment) for container in facts.containers}
    needs |= {(section.index, _NOTE_ALIGNMENT) for section in notes}
    for index, alignment in sorted(needs):
        if index < len(facts.sections):
            yield from _misaligned(facts.sections[index], alignment, facts)


def _misaligned(section: Section, needed: int, facts: ArtifactFacts) -> Iterator[Violation]:
    # Zero means the same as one.
    if max(section.alignment, 1) % needed:
        yield Violation(
            message=f"{section.name} is aligned to {section.alignment} bytes, "
            f"its format needs {needed}"
        )
    elif section.address % needed:
        yield Violation(
            message=f"{section.name} lies at {section.address:#x}, not at a multiple of {needed}"
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
                message=f"the container at {section.name}+{offset:#x} is not at a multiple of "
                f"{needed}"
            )


RULES: Final[tuple[Rule, ...]] = (
    copy_relocated_handle,
    symbolic_binding,
    text_relocation,
    section_alignment,
)
