"""KB201 to KB205: what kernels need of a device, and what they take up in the file.

A figure that no image says is never judged.  Limits are the policy's; what the baseline has
may not get worse (`kbuild.verify.policy.ratchet`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.backends import find_limits
from kbuild.demangle.names import demangle
from kbuild.facts import ArtifactFacts
from kbuild.verify.figures import FigureName, KernelFigures, final_images, measure
from kbuild.verify.policy.model import Limit, Policy
from kbuild.verify.policy.ratchet import Figure, compare_kernels, compare_sizes, show
from kbuild.verify.rule import (
    LacksEvidence,
    NotApplicable,
    Rule,
    Violation,
    name_kernels,
    policy_rule,
)

_SPILLS: Final = Figure(name="spill_bytes", limit="max_spill_bytes", unit="bytes of spills")
_REGISTERS: Final = Figure(name="registers", limit="max_registers", unit="registers a thread")
_LOCAL: Final = Figure(name="local_bytes", limit="max_local_bytes", unit="bytes of local memory")
_SHARED: Final = Figure(
    name="shared_bytes", limit="max_shared_bytes", unit="bytes of static shared memory"
)
_CODE: Final = Figure(name="code_bytes", limit="max_kernel_bytes", unit="bytes of code")


@policy_rule("KB201", "register-spill", severity="error", needs=("images",))
def register_spill(facts: ArtifactFacts, policy: Policy) -> Iterator[Violation]:
    """Kernels keep no more registers in memory than the policy or the baseline allows.

    Why: Every spilled register is a store and a load of local memory, which is device
        memory: a kernel that starts to spill with a new compiler or one more variable often
        runs at a fraction of its speed, and nothing but a profiler says so.

    Fix: Lower the register pressure (smaller tiles, fewer unrolled steps), relax
        `__launch_bounds__` or `-maxrregcount`; or accept it: raise `max_spill_bytes`, or
        write the baseline anew. Where neither a limit nor a baseline is set, one line of
        information names the kernel that spills most, and fails nothing.

    Source: cuml#1658; LLVM's AMDGPU guide, `.vgpr_spill_count`.
    """
    yield from _judge(facts, policy, _SPILLS)
    yield from _inform(facts, policy, _SPILLS, "keep registers in memory")


@policy_rule("KB202", "register-pressure", severity="error", needs=("images",))
def register_pressure(facts: ArtifactFacts, policy: Policy) -> Iterator[Violation]:
    """Kernels need no more registers than allowed, and fit the block that they declare.

    Why: Registers bound how many blocks run at once. A kernel whose largest declared block
        needs more than a device has for one block cannot be launched with it at all: "too
        many resources requested for launch".

    Fix: Give `__launch_bounds__` the block that is really launched, lower `-maxrregcount`,
        or raise `max_registers` or write the baseline anew.

    Source: `cuda_occupancy.h` and `cuda/__device/arch_traits.h` of the CUDA toolkit; cuml#1658.
    """
    found = set()
    for image in final_images(facts):
        limits = find_limits(image.backend)
        for kernel in image.kernels:
            problem = limits.launch_problem(image.arch, kernel.resources)
            if problem and (kernel.name, image.arch) not in found:
                found.add((kernel.name, image.arch))
                yield Violation(
                    message=f"{kernel.display} cannot be launched on {image.arch} with the "
                    f"block that it declares: {problem}",
                    symbol=kernel.name,
                    arch=image.arch,
                )
    yield from _judge(facts, policy, _REGISTERS)


@policy_rule("KB203", "shared-memory-limit", severity="error", needs=("images",))
def shared_memory_limit(facts: ArtifactFacts, policy: Policy) -> Iterator[Violation]:
    """Kernels declare no more static shared memory than a device, or the policy, allows.

    Why: A kernel above the device's limit does not load or cannot be launched. Compilers
        refuse it for the architecture that they compile for, but not what another
        architecture or a patched image makes of it.

    Fix: Make the array dynamic (`extern __shared__`) and ask for the size at the launch,
        use smaller tiles, or raise `max_shared_bytes` or write the baseline anew.

    Source: CUDA C++ Programming Guide, "Shared Memory" (48 KiB static); LLVM's AMDGPU
        back end, `AddressableLocalMemorySize` (64 KiB, gfx950 160 KiB, gfx1250 320 KiB).
    """
    found = set()
    is_known = False
    for image in final_images(facts):
        most = find_limits(image.backend).shared_bytes_of(image.arch)
        for kernel in image.kernels:
            used = kernel.resources.shared_bytes
            if most is None or used is None:
                continue
            is_known = True
            if used > most and (kernel.name, image.arch) not in found:
                found.add((kernel.name, image.arch))
                yield Violation(
                    message=f"{kernel.display} has {used} bytes of static shared memory, "
                    f"{image.arch} allows {most}",
                    symbol=kernel.name,
                    arch=image.arch,
                )
    asks = policy.has_limit(_SHARED.limit) or policy.baseline is not None
    yield from _judge(facts, policy, _SHARED) if asks or not is_known else ()


@policy_rule("KB204", "local-memory", severity="error", needs=("images",))
def local_memory(facts: ArtifactFacts, policy: Policy) -> Iterator[Violation]:
    """Kernels use no more local memory than the policy or the baseline allows.

    Why: Local memory, the stack of a thread, is device memory, set aside for every thread
        that can run. Arrays with computed indices and recursion land there, and what spills
        does: slow, and on large devices many megabytes before the first launch.

    Fix: Index arrays by constants (unroll the loop), pass fewer large values, or raise
        `max_local_bytes` or write the baseline anew. Where neither a limit nor a baseline is
        set, one line of information names the kernel that uses most, and fails nothing.

    Source: cuml#1658; CUDA C++ Programming Guide, "Local Memory".
    """
    yield from _judge(facts, policy, _LOCAL)
    yield from _inform(facts, policy, _LOCAL, "use local memory")


@policy_rule("KB205", "size-budget", severity="error", needs=("images",))
def size_budget(facts: ArtifactFacts, policy: Policy) -> Iterator[Violation]:
    """Kernels, architectures and files take up no more than the policy or the baseline says.

    Why: Device code is most of what GPU packages weigh, and it grows by one more template
        argument or architecture at a time, until an upload or a relocation limit stops it.

    Fix: Drop architectures or instantiations that nobody needs, compress the fat binary, or
        raise the budget or write the baseline anew.

    Source: pytorch#150647, cuvs#2089.
    """
    budgets: tuple[Limit, ...] = ("max_kernel_bytes", "max_architecture_bytes")
    if not policy.has_limit(*budgets, "max_artifact_bytes") and policy.baseline is None:
        raise NotApplicable("neither the policy nor a baseline limits sizes")
    figures = measure(facts)
    for size in figures.sizes:
        most = policy.limit("max_architecture_bytes", facts.path, arch=size.arch)
        if most is not None and size.stored_bytes > most:
            yield Violation(
                message=f"the images for {size.arch} take {size.stored_bytes} bytes, "
                f"{most} are allowed",
                arch=size.arch,
            )
    most = policy.limit("max_artifact_bytes", facts.path)
    if most is not None and figures.stored_bytes > most:
        yield Violation(
            message=f"the device images take {figures.stored_bytes} bytes, {most} are allowed"
        )
    yield from compare_sizes(figures, policy)
    if policy.has_limit("max_kernel_bytes") or policy.baseline is not None:
        yield from _judge(facts, policy, _CODE)


def _judge(facts: ArtifactFacts, policy: Policy, figure: Figure) -> Iterator[Violation]:
    """What is above the policy's limit, or above what the baseline has."""
    figures = measure(facts)
    above = set()
    unknown = 0
    for kernel in figures.kernels:
        most = policy.limit(figure.limit, facts.path, kernel.kernel, kernel.arch)
        value = getattr(kernel, figure.name)
        if most is None:
            continue
        if value is None:
            unknown += 1
        elif value > most:
            above.add((kernel.kernel, kernel.arch))
            yield Violation(
                message=f"{show(kernel)} has {value} {figure.unit}, {most} are allowed",
                symbol=kernel.kernel,
                arch=kernel.arch,
            )
    yield from compare_kernels(figures, policy, figure, frozenset(above))
    asks = policy.has_limit(figure.limit) or policy.baseline is not None
    if unknown or (asks and not _knows(figures.kernels, figure.name)):
        count = unknown or len(figures.kernels)
        raise LacksEvidence(
            f"no image says how many {figure.unit} {count} of its kernels have"
            if count
            else f"no image says how many {figure.unit} its kernels have"
        )
    if not asks and not _knows(figures.kernels, figure.name):
        raise NotApplicable(f"no image says how many {figure.unit} a kernel has")


def _knows(kernels: tuple[KernelFigures, ...], name: FigureName) -> bool:
    return any(getattr(kernel, name) is not None for kernel in kernels)


def _inform(facts: ArtifactFacts, policy: Policy, figure: Figure, what: str) -> Iterator[Violation]:
    """One line on what nobody has set a limit to."""
    if policy.has_limit(figure.limit) or policy.baseline is not None:
        return
    users = [kernel for kernel in measure(facts).kernels if getattr(kernel, figure.name)]

    def summarise(kernels: tuple[str, ...]) -> str:
        chosen = frozenset(kernels)
        named = [user for user in users if user.kernel in chosen]
        most = max(named, key=lambda kernel: int(getattr(kernel, figure.name)))
        count = len({demangle(kernel) for kernel in kernels})
        return (
            f"{count} of its kernels {what}, {show(most)} the most: "
            f"{getattr(most, figure.name)} {figure.unit}"
        )

    if users:
        names = name_kernels(user.kernel for user in users)
        yield Violation(
            message=summarise(tuple(name.symbol for name in names)),
            severity="info",
            kernels=names,
            restate=summarise,
        )


RULES: Final[tuple[Rule, ...]] = (
    register_spill,
    register_pressure,
    shared_memory_limit,
    local_memory,
    size_budget,
)
