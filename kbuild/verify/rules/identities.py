"""KB404 to KB406: the identities of kernels between the files of one process."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Final

from kbuild.facts import ArtifactFacts, RuntimeFacts
from kbuild.verify.file_set import FileSet
from kbuild.verify.glob import matches_kernel
from kbuild.verify.identities import (
    exported_identities,
    exported_variables,
    names_of,
    undefined_names,
)
from kbuild.verify.policy.model import Policy, Severity
from kbuild.verify.rule import (
    KERNELS,
    NotApplicable,
    Rule,
    Violation,
    name_kernels,
    policy_rule,
    set_rule,
)

_LINKED: Final = ("shared-object", "executable")


@set_rule("KB404", "two-runtimes", severity="error", needs=())
def two_runtimes(facts: ArtifactFacts, files: FileSet) -> Iterator[Violation]:
    """Kernels are launched through the runtime that they are registered with.

    Why: Each copy of a runtime knows the kernels of its own file only. A program that takes
        a kernel's address from a library and launches it through a copy of its own gets
        "invalid device function", or a launch that does nothing.

    Fix: Link the runtime as a shared library everywhere in the process (CMake:
        CUDA_RUNTIME_LIBRARY Shared; kbuild: RUNTIME shared), or launch inside the library.

    Source: celeritas#1497, FBGEMM#1818.
    """
    own = {r.backend: _instance(facts, r) for r in facts.runtimes if not r.is_driver}
    if not own:
        raise NotApplicable("linked to no runtime")
    wanted = undefined_names(facts)
    for other in files.others(facts):
        used = {name: i for name, i in exported_identities(other).items() if name in wanted}
        crossing = [name for name, i in used.items() if _differs(other, i.backend, own)]
        if crossing:
            yield Violation(
                message=f"{KERNELS} of {other.path} is "
                "registered with another copy of the runtime than this file launches through",
                symbol=crossing[0],
                kernels=name_kernels(crossing),
            )


def _instance(facts: ArtifactFacts, runtime: RuntimeFacts) -> str:
    """What tells one copy of a runtime in the process from another."""
    return f"static in {facts.path}" if runtime.linkage == "static" else runtime.soname or ""


def _differs(other: ArtifactFacts, backend: str, own: dict[str, str]) -> bool:
    theirs = {_instance(other, r) for r in other.runtimes if r.backend == backend}
    theirs -= {_instance(other, r) for r in other.runtimes if r.is_driver}
    return bool(theirs) and backend in own and own[backend] not in theirs


@set_rule("KB405", "duplicate-identity", severity="error", needs=())
def duplicate_identity(facts: ArtifactFacts, files: FileSet) -> Iterator[Violation]:
    """No two files of a process export one kernel's identity, or one device variable's name.

    Why: The dynamic linker binds a name to the first file that exports it. Both register
        their own kernel under that one address: the launches of one of them then run the
        other's code, fail with "invalid device function", or do nothing. Of a device
        variable, `cudaMemcpyToSymbol` writes one and says nothing, and kbuild's own copies
        fail; as long as no file of the call names the variable, that is information.

    Fix: Hide the kernels (`-fvisibility=hidden`, kbuild: VISIBILITY hidden), or give each
        library its own namespace: CUB_WRAPPED_NAMESPACE, THRUST_CUB_WRAPPED_NAMESPACE.

    Source: cub#719, thrust#1737, cutlass#1027.
    """
    if facts.kind not in _LINKED:
        raise NotApplicable("not loaded as it is")
    own, own_variables = exported_identities(facts), exported_variables(facts)
    if not own and not own_variables:
        raise NotApplicable("exports no kernel")
    copied = {r.symbol for r in facts.references if r.kind == "copy"}
    for other in files.before(facts):
        if other.kind not in _LINKED:
            continue
        copies = copied | {r.symbol for r in other.references if r.kind == "copy"}
        both = [name for name in exported_identities(other) if name in own and name not in copies]
        if both:
            yield Violation(
                message=f"{other.path} exports {KERNELS} too",
                symbol=both[0],
                kernels=name_kernels(both),
            )
        theirs = exported_variables(other)
        yield from _shared_variables(other, own_variables.keys() & theirs.keys(), files)


def _shared_variables(
    other: ArtifactFacts, names: AbstractSet[str], files: FileSet
) -> Iterator[Violation]:
    """Device variables of two files, those apart that a file of the call names."""
    if not names:
        return
    used = names & frozenset().union(*map(_names_used, files.files))
    unused: tuple[AbstractSet[str], Severity] = (names - used, "info")
    for found, severity in ((used, None), unused):
        if found:
            yield Violation(
                message=f"{other.path} exports the device variable{'s' * (len(found) > 1)} "
                f"{KERNELS} too",
                symbol=min(found),
                kernels=name_kernels(sorted(found)),
                severity=severity,
            )


def _names_used(facts: ArtifactFacts) -> frozenset[str]:
    """What a file takes of others by name; of a variable, an executable may take a copy."""
    return undefined_names(facts) | {r.symbol for r in facts.references if r.kind == "copy"}


@policy_rule("KB406", "exported-identity", severity="info", needs=())
def exported_identity(facts: ArtifactFacts, policy: Policy) -> Iterator[Violation]:
    """A library exports its kernels only where somebody asked for it.

    Why: What is exported can be interposed by another library with the same kernels
        (KB405), and is an interface that others may come to rely on.

    Fix: Compile with `-fvisibility=hidden` (kbuild: VISIBILITY hidden); toolkits since CUDA
        13 do so for kernels. Or name the kernel in `exported` of the policy.

    Source: cccl#343, cudf#14734, cuopt#1625.
    """
    identities = exported_identities(facts)
    if facts.kind != "shared-object" or not (facts.host_kernels or facts.handles):
        raise NotApplicable("no library with kernels")
    allowed = policy.exported
    if allowed is None:
        # A kernel target with default visibility has asked.
        asked = names_of(facts.handles)
        exported = [name for name in identities if name not in asked]
    else:
        exported = [name for name in identities if not matches_kernel(allowed, name)]
    if exported:
        yield Violation(
            message=f"the library exports {KERNELS}",
            kernels=name_kernels(exported),
            severity=None if allowed is None else "error",
        )


RULES: Final[tuple[Rule, ...]] = (two_runtimes, duplicate_identity, exported_identity)
