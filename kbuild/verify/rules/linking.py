"""KB402, KB403, KB407 to KB409: what the host linker made of registration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.facts import ArtifactFacts, RuntimeFacts
from kbuild.verify.file_set import FileSet
from kbuild.verify.rule import LacksEvidence, NotApplicable, Rule, Violation, rule, set_rule
from kbuild.verify.wording import shorten

# The first that compilers leave to programs; what they and the C library need comes before.
_FIRST_PRIORITY: Final = 101
_LINKED: Final = ("shared-object", "executable")


@rule("KB402", "device-link-missing", severity="error", needs=())
def device_link_missing(facts: ArtifactFacts) -> Iterator[Violation]:
    """Relocatable device code went through a device link before the host link.

    Why: Objects with relocatable device code wait for a link of their own. Without it the
        host link fails ("undefined reference to __cudaRegisterLinkedBinary..."), or, in a
        shared object, loading does; where nothing refers to it, no kernel is registered.

    Fix: Link with the compiler that built the objects (`nvcc -dlink`, `hipcc -fgpu-rdc
        --hip-link`, clang's linker wrapper), or let CMake: CUDA_SEPARABLE_COMPILATION with
        CUDA_RESOLVE_DEVICE_SYMBOLS, kbuild's RDC ON.

    Source: HugeCTR#6, Umpire#652, popsift#181, hip#2203.
    """
    if facts.kind not in _LINKED:
        raise NotApplicable("not linked yet")
    relocatable = [c for c in facts.containers if c.is_relocatable]
    unlinked = [name for linkage in facts.linkage for name in linkage.unlinked]
    waiting = [name for linkage in facts.linkage for name in linkage.waiting]
    if not relocatable and not unlinked and not waiting:
        raise NotApplicable("no relocatable device code")
    if unlinked:
        yield Violation(message=f"no device link defined {shorten(unlinked)}", symbol=unlinked[0])
    if waiting:
        yield Violation(
            message=f"no device link registers the kernels that {shorten(waiting)} lists"
        )
    is_linked = any(wrapper.is_device_linked for wrapper in facts.wrappers)
    is_own = any(c.is_prelinked for m in facts.modules for c in m.record.containers)
    if relocatable and not is_linked and not is_own and not unlinked:
        yield Violation(
            message="the file holds relocatable device code, and nothing that a device link made"
        )


@set_rule("KB403", "runtime-abi", severity="error", needs=())
def runtime_abi(facts: ArtifactFacts, files: FileSet) -> Iterator[Violation]:
    """The runtime that is loaded has every symbol, and version of symbols, that the file needs.

    Why: A file that was built with a newer toolkit asks for functions that an older runtime
        does not have: "undefined symbol: __cudaLaunchKernel" at load, or at the first call;
        "version `hip_6.2' not found" at load.

    Fix: Ship the runtime of the toolkit that built the file, or build it with the older
        toolkit. Give the runtime to the same call, or `--closure`, to have it checked.

    Source: mmdetection#385 and many more; Linux Standard Base, "Symbol Versioning"; measured: what
        glibc 2.36 loads, and does not.
    """
    needed = {linkage.backend: linkage.needs for linkage in facts.linkage if linkage.needs}
    runtimes = [r for r in facts.runtimes if r.linkage == "shared" and not r.is_driver]
    if facts.kind not in _LINKED or not runtimes:
        raise NotApplicable("linked to no shared runtime")
    unseen = []
    for runtime in runtimes:
        library = files.find_library(runtime.soname)
        if library is None:
            unseen.append(runtime.soname or runtime.name)
            continue
        yield from _lacking(facts, runtime, library, needed.get(runtime.backend, ()))
    if unseen:
        raise LacksEvidence(f"{', '.join(unseen)} is not among the files of this call")


def _lacking(
    facts: ArtifactFacts, runtime: RuntimeFacts, library: ArtifactFacts, needed: tuple[str, ...]
) -> Iterator[Violation]:
    """What the library does not have: versions as a whole, and symbols of the others."""
    versions = library.dynamic.versions if library.dynamic else ()
    # The dynamic linker asks no version of a library whose symbols have none.
    absent = [version for version in runtime.needs if versions and version not in versions]
    if absent:
        yield Violation(
            message=f"{library.path} has no symbols of version {shorten(absent)}, only of "
            f"{shorten(versions[::-1])}"
        )
    asked = {s.name: s.version for s in facts.symbols if s.dynamic and s.place is None}
    there: dict[str, set[str | None]] = {}
    for symbol in library.symbols:
        if symbol.dynamic and symbol.place is not None:
            there.setdefault(symbol.name, set()).add(symbol.version)
    missing = [
        name
        for name in needed
        if asked.get(name) not in absent and not _has(there.get(name), asked.get(name))
    ]
    if missing:
        spelled = (f"{name}@{asked[name]}" if asked.get(name) else name for name in missing)
        yield Violation(
            message=f"{library.path} does not have {shorten(spelled)}", symbol=missing[0]
        )


def _has(versions: set[str | None] | None, asked: str | None) -> bool:
    """Whether a symbol that is there in these versions serves; one without serves anybody."""
    return versions is not None and (asked is None or bool(versions & {asked, None}))


@rule("KB407", "no-unregister", severity="warning", needs=())
def no_unregister(facts: ArtifactFacts) -> Iterator[Violation]:
    """A file takes back what it registered when it is unloaded.

    Why: After `dlclose` the runtime still has pointers into memory that is gone, or that
        another library now has: crashes at exit, or kernels that compute nonsense.

    Fix: Link the object that registers unchanged, and do not drop its `atexit` or
        `.fini_array` part.

    Source: cccl#9367.
    """
    known = [linkage for linkage in facts.linkage if linkage.unregisters is not None]
    if not facts.modules and not (facts.wrappers or known):
        raise NotApplicable("registers nothing")
    for module in facts.modules:
        if module.unregister is None:
            yield Violation(
                message=f"{module.record.target}: the note does not lead to what unregisters it"
            )
    for linkage in known:
        # What a device link has yet to make registers and unregisters (KB402).
        if not linkage.unregisters and not linkage.unlinked and facts.wrappers:
            yield Violation(message="the file calls no function that unregisters device code")
    if facts.wrappers and not known:
        raise LacksEvidence("stripped: no symbol shows what the file calls")


@rule("KB408", "late-constructor", severity="warning", needs=("note",))
def late_constructor(facts: ArtifactFacts) -> Iterator[Violation]:
    """Kernels are registered before other constructors run.

    Why: A global object whose constructor launches a kernel finds it unregistered where the
        linker put that constructor first: "invalid device function", on some systems only.

    Fix: Leave the registering constructor at priority 101, which the compiler set, and give
        no constructor of your own a smaller one; look at the linker script's `.init_array`.

    Source: rocm-systems#2484.
    """
    for module in facts.modules:
        priority, earlier = module.constructor_priority, module.earlier_constructors
        target = module.record.target
        if not module.is_constructor_reached:
            continue
        if facts.kind == "object" and priority != _FIRST_PRIORITY:
            found = "none" if priority is None else str(priority)
            yield Violation(
                message=f"{target}: its constructor has priority {found}, not {_FIRST_PRIORITY}"
            )
        elif earlier:
            count = f"{earlier} other constructor{'' if earlier == 1 else 's'}"
            yield Violation(message=f"{target}: {count} run before its own")


@set_rule("KB409", "member-not-pulled", severity="error", needs=())
def member_not_pulled(facts: ArtifactFacts, files: FileSet) -> Iterator[Violation]:
    """The members of an archive that register kernels are in what was linked from it.

    Why: A linker takes from an archive only what something refers to. A member whose kernels
        are found by name at run time is left out without a word, and its kernels are unknown:
        "named symbol not found".

    Fix: Link the archive whole (`-Wl,--whole-archive`, CMake: $<LINK_LIBRARY:WHOLE_ARCHIVE,...>),
        or refer to one of its kernels; kbuild's OBJECT libraries are always linked whole.

    Source: measured; intel/llvm#23194.
    """
    if facts.kind not in _LINKED:
        raise NotApplicable("not linked yet")
    archives = files.archives_with_kernels()
    if not archives:
        raise NotApplicable("no archive with kernels in this call")
    there = {module.record for module in facts.modules}
    for members in archives.values():
        records = {m.path: module.record for m in members for module in m.modules}
        taken = [path for path, record in records.items() if record in there]
        left = [path for path, record in records.items() if record not in there]
        # A program and an archive of one call belong together; a library may have its own.
        if left and (taken or facts.kind == "executable"):
            yield Violation(message=f"what {shorten(left)} registers is not in this file")


RULES: Final[tuple[Rule, ...]] = (
    device_link_missing,
    runtime_abi,
    no_unregister,
    late_constructor,
    member_not_pulled,
)
