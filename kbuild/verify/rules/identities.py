"""KB310 and KB404 to KB406: identities that cross between the files of one process."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Final

from kbuild.facts import ArtifactFacts, RuntimeFacts
from kbuild.verify.dependencies import find_loaded
from kbuild.verify.file_set import FileSet
from kbuild.verify.glob import matches_kernel
from kbuild.verify.identities import (
    ExportedIdentity,
    copied_names,
    names_of,
    undefined_names,
)
from kbuild.verify.policy.model import Policy, Severity
from kbuild.verify.rule import LINKED, NotApplicable, Rule, Violation, rule
from kbuild.verify.system_symbols import read_system_symbols
from kbuild.verify.wording import KERNELS, shorten


@rule("KB310", "interposing-name", severity="error", needs=(), is_joint=True)
def interposing_name(facts: ArtifactFacts, files: FileSet) -> Iterator[Violation]:
    """No exported kernel or device variable has the name of a symbol of a system library.

    Why: The dynamic linker binds every use of a name in the process to the first file that exports
        it. If a library exports a kernel named `write`, the C++ library calls the kernel's handle
        instead of the C library's function. The handle is data, so the program ends with SIGSEGV,
        far away from any launch. For files of other tools, this is an error if another system
        library or GPU runtime uses the symbol, as with `write`, and otherwise a warning.

    Fix: Rename the kernel or variable, or put it into a namespace and remove `extern "C"`. If
        host code of other files does not use it, hide it (`-fvisibility=hidden`; kbuild:
        VISIBILITY hidden).

    Source: reproduced with glibc 2.36: `extern "C" __global__ void write(int*)` in a shared
        library. The names come from glibc, libgcc, libstdc++, and the CUDA and HIP runtimes and
        drivers.
    """
    exports = files.exports_of(facts)
    exported = exports.kernels | exports.variables
    if not exported:
        raise NotApplicable("exports no kernel and no device variable")
    known = read_system_symbols()
    for name, identity in exported.items():
        symbol = known.get(name)
        if symbol is not None:
            yield Violation(
                message=f"a process that loads the file uses {KERNELS} from it instead of from "
                f"{symbol.library}",
                symbol=name,
                severity="error" if identity.is_own or symbol.is_imported else "warning",
            )


@rule("KB404", "two-runtimes", severity="error", needs=(), is_joint=True)
def two_runtimes(facts: ArtifactFacts, files: FileSet) -> Iterator[Violation]:
    """Kernels are launched through the runtime that they are registered with.

    Why: Each copy of a runtime knows only the kernels of its own file. If a program takes a
        kernel's address from a library and launches it through another copy, the launch fails
        with "invalid device function", or does nothing.

        It is an error in files of all tools if one file of the call launches what
        another one registers. If a wheel or call has a second runtime because `auditwheel
        repair` copied it, this is a warning: files that launch only their own kernels work. It
        is an info if only libraries outside of the call, such as PyTorch's, can load a second one.

    Fix: Link the runtime as a shared library everywhere in the process (CMake:
        CUDA_RUNTIME_LIBRARY Shared; kbuild: RUNTIME shared), or launch inside the library.
        Exclude it from the repair: `auditwheel repair --exclude 'libcudart.so.*'`.

    Source: celeritas#1497, FBGEMM#1818, auditwheel#580.
    """
    own = {r.backend: _instance(facts, r) for r in facts.runtimes if not r.is_driver}
    if not own:
        raise NotApplicable("not linked to a runtime")
    needed = undefined_names(facts)
    for other in files.others(facts):
        used = {n: i for n, i in files.exports_of(other).kernels.items() if n in needed}
        for name, identity in used.items():
            if _differs(other, identity.backend, own):
                yield Violation(
                    message=f"{other.path} registers {KERNELS} with another copy of the runtime "
                    "than the one that this file launches through",
                    symbol=name,
                )
    for runtime in facts.runtimes:
        if runtime.is_copy and not runtime.is_driver:
            yield from _find_second(runtime, facts, files)


def _find_second(
    runtime: RuntimeFacts, facts: ArtifactFacts, files: FileSet
) -> Iterator[Violation]:
    """Report what is, or can be, in the process beside the copy of a runtime that a file needs."""
    found: dict[str, str] = {}
    for other in (*files.artifact, *files.files):
        for one in other.runtimes:
            # Libraries of vendors contain a runtime that launches only their own kernels.
            is_judged = one.linkage == "shared" or other is facts
            if is_judged and one.soname != runtime.soname and _is_alike(one, runtime):
                found.setdefault(one.soname or "a statically linked one", other.path)
    start = f"the file needs {runtime.soname}, a copy of the runtime"
    if found:
        beside = shorten(f"{name} in {path}" for name, path in found.items())
        yield Violation(message=f"{start}, beside {beside}", severity="warning")
    elif not find_loaded(facts, files).is_complete:
        yield Violation(
            message=f"{start}; other libraries that it needs can load a second one",
            severity="info",
        )


def _is_alike(one: RuntimeFacts, other: RuntimeFacts) -> bool:
    """Return whether both are the same runtime. Modules for several versions are alternatives."""
    majors = {r.version.partition(".")[0] for r in (one, other) if r.version}
    is_same = (one.backend, one.name) == (other.backend, other.name)
    return is_same and len(majors) < 2  # noqa: PLR2004 - two versions differ


def _instance(facts: ArtifactFacts, runtime: RuntimeFacts) -> str:
    """Return a key that distinguishes the copies of a runtime in the process."""
    return f"static in {facts.path}" if runtime.linkage == "static" else runtime.soname or ""


def _differs(other: ArtifactFacts, backend: str, own: dict[str, str]) -> bool:
    theirs = {_instance(other, r) for r in other.runtimes if r.backend == backend}
    theirs -= {_instance(other, r) for r in other.runtimes if r.is_driver}
    return bool(theirs) and backend in own and own[backend] not in theirs


@rule("KB405", "duplicate-identity", severity="error", needs=(), is_joint=True)
def duplicate_identity(facts: ArtifactFacts, files: FileSet) -> Iterator[Violation]:
    """No two files of a process export the same kernel or device variable.

    Why: The dynamic linker binds a name to the first file that exports it, so both files
        register their own kernel under one address. Launches then run the kernel of the other
        file, fail with "invalid device function", or do nothing. For a device variable,
        `cudaMemcpyToSymbol` silently writes one of the two, and kbuild's own copies fail. If no
        file of the call refers to the variable, this is only an info. Equal instances of a
        template are a warning, because either of them works if both files use the same runtime.
        A function with the name of another file's kernel is an error: a host compiler makes it
        from the body of a template, and launches pass its address, which nobody registered.

    Fix: Hide the kernels (`-fvisibility=hidden`; kbuild: VISIBILITY hidden), or give each
        library its own namespace: CUB_WRAPPED_NAMESPACE, THRUST_CUB_WRAPPED_NAMESPACE. Declare an
        instance that a library defines with `extern template`.

    Source: cub#719, thrust#1737, cutlass#1027.
    """
    if facts.kind not in LINKED:
        raise NotApplicable("not a file that is loaded at run time")
    own = files.exports_of(facts)
    if not own.kernels and not own.variables:
        raise NotApplicable("exports no kernel")
    copied = copied_names(facts)
    for other in files.before(facts):
        if other.kind not in LINKED:
            continue
        theirs = files.exports_of(other)
        copies = copied | copied_names(other)
        for name in theirs.kernels:
            if name in own.kernels and name not in copies:
                is_shared = _is_mergeable(own.kernels[name]) and _is_mergeable(theirs.kernels[name])
                yield Violation(
                    message=f"{other.path} also exports {KERNELS}",
                    symbol=name,
                    severity="warning" if is_shared else None,
                )
        yield from _shared_variables(other, own.variables.keys() & theirs.variables.keys(), files)
    yield from _replaced_kernels(facts, files)


def _replaced_kernels(facts: ArtifactFacts, files: FileSet) -> Iterator[Violation]:
    """Report functions of other files that have the names of handles in this one."""
    kernels = files.exports_of(facts).kernels
    data = {name for name, identity in kernels.items() if identity.is_own and identity.is_data}
    for other in files.others(facts) if data else ():
        if other.kind not in LINKED:
            continue
        functions = {
            symbol.name
            for symbol in other.symbols
            if symbol.type == "function" and symbol.place is not None and symbol.binding != "local"
        }
        for name in sorted(data & functions - files.exports_of(other).kernels.keys()):
            yield Violation(
                message=f"{other.path} has a function with the name of {KERNELS}", symbol=name
            )


def _is_mergeable(identity: ExportedIdentity) -> bool:
    """Return whether C++ allows several files to define the kernel, if they define it equally."""
    return identity.is_instance or (identity.symbol.binding == "weak" and not identity.is_own)


def _shared_variables(
    other: ArtifactFacts, names: AbstractSet[str], files: FileSet
) -> Iterator[Violation]:
    """Report device variables of two files. Those that no file refers to are only an info."""
    if not names:
        return
    used = names & files.names_used
    unused: tuple[AbstractSet[str], Severity] = (names - used, "info")
    for found, severity in ((used, None), unused):
        for name in sorted(found):
            yield Violation(
                message=f"{other.path} also exports the device "
                f"variable{'s' * (len(found) > 1)} {KERNELS}",
                symbol=name,
                severity=severity,
            )


@rule("KB406", "exported-identity", severity="info", needs=())
def exported_identity(facts: ArtifactFacts, files: FileSet, policy: Policy) -> Iterator[Violation]:
    """A library exports kernels only if that was requested.

    Why: Another library with the same kernels can interpose exported ones (KB405), and other
        code can come to depend on them.

    Fix: Compile with `-fvisibility=hidden` (kbuild: VISIBILITY hidden). CUDA toolkits since 13
        hide kernels by default. To export a kernel on purpose, name it in `exported` of the
        policy.

    Source: cccl#343, cudf#14734, cuopt#1625.
    """
    identities = files.exports_of(facts).kernels
    if facts.kind != "shared-object" or not (facts.host_kernels or facts.handles):
        raise NotApplicable("not a library with kernels")
    allowed = policy.exported
    if allowed is None:
        # A kernel target with default visibility requested the export.
        requested = names_of(facts.handles)
        exported = [name for name in identities if name not in requested]
    else:
        exported = [name for name in identities if not matches_kernel(allowed, name)]
    for name in exported:
        yield Violation(
            message=f"the library exports {KERNELS}",
            symbol=name,
            severity=None if allowed is None else "error",
        )


RULES: Final[tuple[Rule, ...]] = (
    interposing_name,
    two_runtimes,
    duplicate_identity,
    exported_identity,
)
