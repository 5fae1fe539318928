"""KB402, KB403, and KB407 to KB409: what the host linker did to registration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.facts import ArtifactFacts, RuntimeFacts
from kbuild.verify.file_set import FileSet
from kbuild.verify.identities import exported_names
from kbuild.verify.rule import LINKED, LacksEvidence, NotApplicable, Rule, Violation, rule
from kbuild.verify.wording import plural, shorten

# The smallest priority for programs: compilers and the C library reserve smaller ones.
_FIRST_PRIORITY: Final = 101


@rule("KB402", "device-link-missing", severity="error", needs=())
def device_link_missing(facts: ArtifactFacts) -> Iterator[Violation]:
    """Relocatable device code went through a device link before the host link.

    Why: Objects with relocatable device code need a separate device link. Without it, the host
        link fails ("undefined reference to __cudaRegisterLinkedBinary..."), or a shared object
        fails to load. If nothing refers to the missing symbol, no kernel is registered. This is
        only a warning if nothing in the file waits for a device link, because a program can
        link such code at run time.

    Fix: Link with the compiler that built the objects (`nvcc -dlink`, `kbuild-nvcc -dlink`,
        `hipcc -fgpu-rdc --hip-link`, clang's linker wrapper), or let CMake do it:
        CUDA_SEPARABLE_COMPILATION with CUDA_RESOLVE_DEVICE_SYMBOLS, or RDC ON for kbuild.

    Source: HugeCTR#6, Umpire#652, popsift#181, hip#2203.
    """
    if facts.kind not in LINKED:
        raise NotApplicable("not a linked file")
    # The constructor of an object with a note refers to what a device link defines.
    described = {number for module in facts.modules for number in module.containers}
    relocatable = [
        c for n, c in enumerate(facts.containers) if c.is_relocatable and n not in described
    ]
    unlinked = [name for linkage in facts.linkage for name in linkage.unlinked]
    waiting = [name for linkage in facts.linkage for name in linkage.waiting]
    if not relocatable and not unlinked and not waiting:
        raise NotApplicable("no relocatable device code")
    if unlinked:
        yield Violation(message=f"no device link defined {shorten(unlinked)}", symbol=unlinked[0])
    if waiting:
        yield Violation(message=f"no device link registers the kernels in {shorten(waiting)}")
    is_linked = any(wrapper.is_device_linked for wrapper in facts.wrappers)
    is_own = any(c.is_prelinked for m in facts.modules for c in m.record.containers)
    if relocatable and not is_linked and not is_own and not unlinked:
        yield Violation(
            message="the file contains relocatable device code, but no output of a device link",
            severity="warning",
        )


@rule("KB403", "runtime-abi", severity="error", needs=(), is_joint=True)
def runtime_abi(facts: ArtifactFacts, files: FileSet) -> Iterator[Violation]:
    """The runtime that is loaded has every symbol and symbol version that the file needs.

    Why: A file that was built with a newer toolkit needs functions that an older runtime does
        not have. Loading it, or the first call, fails with "undefined symbol:
        __cudaLaunchKernel" or "version `hip_6.2' not found".

        It is an error in files of all tools if the runtime is one of the files of the
        call.

    Fix: Ship the runtime of the toolkit that built the file, or build the file with the older
        toolkit. To check the runtime, name it in the same call, or use `--closure`.

    Source: mmdetection#385 and many more; Linux Standard Base, "Symbol Versioning"; measured: the
        combinations that glibc 2.36 loads and rejects.
    """
    needed = {linkage.backend: linkage.needs for linkage in facts.linkage if linkage.needs}
    runtimes = [r for r in facts.runtimes if r.linkage == "shared" and not r.is_driver]
    if facts.kind not in LINKED or not runtimes:
        raise NotApplicable("not linked to a shared runtime")
    unjudged = []
    for runtime in runtimes:
        library = files.find_library(runtime.soname)
        if library is None:
            unjudged.append(runtime.soname or runtime.name)
            continue
        others = tuple(other for other in files.others(facts) if other is not library)
        names = needed.get(runtime.backend, ())
        yield from _lacking(facts, runtime, library, names, others)
    if unjudged:
        raise LacksEvidence(f"{', '.join(unjudged)} was not named in this call")


def _lacking(
    facts: ArtifactFacts,
    runtime: RuntimeFacts,
    library: ArtifactFacts,
    needed: tuple[str, ...],
    others: tuple[ArtifactFacts, ...],
) -> Iterator[Violation]:
    """Report whole versions that the library lacks, and symbols of other versions."""
    versions = library.dynamic.versions if library.dynamic else ()
    # The dynamic linker does not check versions of a library that defines none.
    absent = [version for version in runtime.needs if versions and version not in versions]
    if absent:
        yield Violation(
            message=f"{library.path} has no symbols of version {shorten(absent)}, but only of "
            f"{shorten(versions[::-1])}"
        )
    requested = {s.name: s.version for s in facts.symbols if s.dynamic and s.place is None}
    there: dict[str, set[str | None]] = {}
    for symbol in library.symbols:
        if symbol.dynamic and symbol.place is not None:
            there.setdefault(symbol.name, set()).add(symbol.version)
    missing = [
        name
        for name in needed
        if requested.get(name) not in absent and not _has(there.get(name), requested.get(name))
    ]
    if missing:
        # Other libraries can have names that look like those of the runtime.
        elsewhere = frozenset().union(*map(exported_names, others))
        missing = [name for name in missing if name not in elsewhere]
    if missing:
        spelled = (f"{name}@{requested[name]}" if requested.get(name) else name for name in missing)
        yield Violation(
            message=f"{library.path} does not have {shorten(spelled)}", symbol=missing[0]
        )


def _has(versions: set[str | None] | None, requested: str | None) -> bool:
    """Return whether a symbol with these versions satisfies a request.

    A symbol without a version satisfies every request.
    """
    return versions is not None and (requested is None or bool(versions & {requested, None}))


@rule("KB407", "no-unregister", severity="warning", needs=())
def no_unregister(facts: ArtifactFacts) -> Iterator[Violation]:
    """A file unregisters its kernels when it is unloaded.

    Why: After `dlclose`, the runtime still has pointers into memory that is gone or now belongs
        to another library. That causes crashes at exit, or kernels with wrong results.

    Fix: Link the object that registers the kernels unchanged, and keep its `atexit` call or
        `.fini_array` entry.

    Source: cccl#9367.
    """
    known = [linkage for linkage in facts.linkage if linkage.unregisters is not None]
    if not facts.modules and not (facts.wrappers or known):
        raise NotApplicable("the file registers nothing")
    for module in facts.modules:
        if module.unregister is None:
            yield Violation(
                message=f"{module.record.target}: the note does not refer to a function that "
                "unregisters its kernels"
            )
    for linkage in known:
        # The output of a missing device link would register and unregister (KB402).
        if not linkage.unregisters and not linkage.unlinked and facts.wrappers:
            yield Violation(
                message="the file does not call a function that unregisters device code"
            )
    if facts.wrappers and not known:
        raise LacksEvidence("stripped: no symbol shows which functions the file calls")


@rule("KB408", "late-constructor", severity="warning", needs=("note",))
def late_constructor(facts: ArtifactFacts) -> Iterator[Violation]:
    """Kernels are registered before other constructors run.

    Why: If the linker runs the constructor of a global object first and that constructor
        launches a kernel, the kernel is not registered yet: "invalid device function", only on
        some systems. Constructors of sanitizers, libgcc, and libstdc++ launch nothing. They do
        not count if the file has symbols that name them.

    Fix: Keep the registering constructor at priority 101, which the compiler set, and give none
        of your constructors a smaller one. Check `.init_array` in the linker script.

    Source: rocm-systems#2484.
    """
    for module in facts.modules:
        priority, earlier = module.constructor_priority, module.earlier_constructors
        target = module.record.target
        if not module.is_constructor_reached:
            continue
        if facts.kind == "object" and priority != _FIRST_PRIORITY:
            found = "no priority" if priority is None else f"priority {priority}"
            yield Violation(
                message=f"{target}: its constructor has {found} instead of {_FIRST_PRIORITY}"
            )
        elif earlier:
            count = plural(len(earlier), "other constructor")
            names = shorten(filter(None, earlier))
            described = f"{count} ({names})" if names else count
            yield Violation(message=f"{target}: {described} run before its constructor")


@rule("KB409", "member-not-pulled", severity="error", needs=())
def member_not_pulled(facts: ArtifactFacts, files: FileSet) -> Iterator[Violation]:
    """A linked file contains the members of an archive that register kernels.

    Why: A linker takes only those members of an archive that something refers to. If kernels
        are found by name at run time, nothing refers to their member. The linker omits it
        without a message, and launches fail with "named symbol not found".

        Only members with a note are judged, and only beside the program that was linked
        with them.

    Fix: Link the whole archive (`-Wl,--whole-archive`, CMake: $<LINK_LIBRARY:WHOLE_ARCHIVE,...>),
        or refer to one of its kernels. OBJECT libraries of kbuild are always linked as a whole.

    Source: measured; intel/llvm#23194.
    """
    if facts.kind not in LINKED:
        raise NotApplicable("not a linked file")
    archives = files.archives_with_kernels()
    if not archives:
        raise NotApplicable("no archive with kernels in this call")
    there = {module.record for module in facts.modules}
    for members in archives.values():
        records = {
            m.path: module.record for m in members for module in m.modules if module.record.kernels
        }
        taken = [path for path, record in records.items() if record in there]
        left = [path for path, record in records.items() if record not in there]
        # An executable belongs to the archives of its call. A library may use none of them.
        if left and (taken or facts.kind == "executable"):
            yield Violation(message=f"this file lacks the kernels that {shorten(left)} registers")


RULES: Final[tuple[Rule, ...]] = (
    device_link_missing,
    runtime_abi,
    no_unregister,
    late_constructor,
    member_not_pulled,
)
