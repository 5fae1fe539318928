"""KB201 to KB205: the resources of kernels on a device, and their size in the file.

A value that no image states is never judged. Limits come from the policy. Values must not
exceed those in the baseline, see `kbuild.verify.policy.ratchet`.
"""

from __future__ import annotations

from collections.abc import Iterator
from sys import intern
from typing import Final

from kbuild.backends import find_limits
from kbuild.facts import ArtifactFacts
from kbuild.verify.figures import final_images, iterate_values, measure
from kbuild.verify.policy.model import Limit, Policy
from kbuild.verify.policy.ratchet import Figure, compare_kernels, compare_sizes
from kbuild.verify.rule import LacksEvidence, NotApplicable, Rule, Violation, rule
from kbuild.verify.wording import EXAMPLES, plural

_SPILLS: Final = Figure(name="spill_bytes", limit="max_spill_bytes", unit="bytes of spills")
_REGISTERS: Final = Figure(name="registers", limit="max_registers", unit="registers per thread")
_LOCAL: Final = Figure(name="local_bytes", limit="max_local_bytes", unit="bytes of local memory")
_SHARED: Final = Figure(
    name="shared_bytes", limit="max_shared_bytes", unit="bytes of static shared memory"
)
_CODE: Final = Figure(name="code_bytes", limit="max_kernel_bytes", unit="bytes of code")


@rule("KB201", "register-spill", severity="error", needs=("images",))
def register_spill(facts: ArtifactFacts, policy: Policy) -> Iterator[Violation]:
    """Kernels spill no more registers to memory than the policy or the baseline allows.

    Why: Every spilled register is a store to and a load from local memory, which is device
        memory. A kernel that starts to spill, because of a new compiler or one more variable,
        often runs at a fraction of its speed, and only a profiler shows why.

        It is an error above a limit of the policy or the baseline.

    Fix: Lower the register pressure (smaller tiles, fewer unrolled steps), or relax
        `__launch_bounds__` or `-maxrregcount`. To accept the spills, raise `max_spill_bytes` or
        write the baseline again. Without a limit and a baseline, one info names the kernel that
        spills most, and the run does not fail.

    Source: cuml#1658; LLVM's AMDGPU guide, `.vgpr_spill_count`.
    """
    yield from _judge(facts, policy, _SPILLS)
    yield from _inform(facts, policy, _SPILLS, "register spills")


@rule("KB202", "register-pressure", severity="error", needs=("images",))
def register_pressure(facts: ArtifactFacts, policy: Policy) -> Iterator[Violation]:
    """Kernels need no more registers than allowed, and can be launched with their declared block.

    Why: Registers limit how many blocks run at once. If the largest block that a kernel
        declares needs more registers than a device has for one block, the kernel cannot be
        launched with it: "too many resources requested for launch". This is an error in files of
        all tools, because the image contradicts itself.

    Fix: Declare the block that is really launched in `__launch_bounds__`, lower
        `-maxrregcount`, raise `max_registers`, or write the baseline again.

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
                    message=f"cannot be launched with the declared block: {EXAMPLES}",
                    symbol=kernel.name,
                    arch=image.arch,
                    where=problem,
                )
    yield from _judge(facts, policy, _REGISTERS)


@rule("KB203", "shared-memory-limit", severity="error", needs=("images",))
def shared_memory_limit(facts: ArtifactFacts, policy: Policy) -> Iterator[Violation]:
    """Kernels declare no more static shared memory than the device or the policy allows.

    Why: A kernel above the device's limit does not load or cannot be launched. Compilers check
        the architecture that they compile for, but not another architecture that can run the
        image, and not an image that was patched.

        It is an error in files of all tools, because no such device can run the kernel.

    Fix: Make the array dynamic (`extern __shared__`) and request its size at the launch, use
        smaller tiles, raise `max_shared_bytes`, or write the baseline again.

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
                    message=f"more bytes of static shared memory than the {most} that the device "
                    f"allows: {EXAMPLES}",
                    symbol=kernel.name,
                    arch=image.arch,
                    where=f"{used}",
                )
    is_limited = policy.has_limit(_SHARED.limit) or policy.baseline is not None
    yield from _judge(facts, policy, _SHARED) if is_limited or not is_known else ()


@rule("KB204", "local-memory", severity="error", needs=("images",))
def local_memory(facts: ArtifactFacts, policy: Policy) -> Iterator[Violation]:
    """Kernels use no more local memory than the policy or the baseline allows.

    Why: Local memory, the stack of a thread, is device memory that is reserved for every thread
        that can run. It contains arrays with computed indices, recursion, and spilled
        registers. It is slow, and on large devices it takes many megabytes before the first
        launch.

        It is an error above a limit of the policy or the baseline.

    Fix: Index arrays by constants (unroll the loop), pass fewer large values, raise
        `max_local_bytes`, or write the baseline again. Without a limit and a baseline, one info
        names the kernel that uses most, and the run does not fail.

    Source: cuml#1658; CUDA C++ Programming Guide, "Local Memory".
    """
    yield from _judge(facts, policy, _LOCAL)
    yield from _inform(facts, policy, _LOCAL, "local memory")


@rule("KB205", "size-budget", severity="error", needs=("images",))
def size_budget(facts: ArtifactFacts, policy: Policy) -> Iterator[Violation]:
    """Kernels, architectures, and files are no larger than the policy or the baseline allows.

    Why: Device code is most of the size of GPU packages. It grows with each template argument
        and architecture, until an upload limit or a relocation limit is exceeded.

        It is an error above a limit of the policy or the baseline.

    Fix: Remove architectures or instantiations that nobody needs, compress the fat binary,
        raise the limit, or write the baseline again.

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
                message=f"the images for {size.arch} take {size.stored_bytes} bytes, but the "
                f"policy allows {most}",
                arch=size.arch,
            )
    most = policy.limit("max_artifact_bytes", facts.path)
    if most is not None and figures.stored_bytes > most:
        yield Violation(
            message=f"the device images take {figures.stored_bytes} bytes, but the policy allows "
            f"{most}"
        )
    yield from compare_sizes(figures, policy)
    if policy.has_limit("max_kernel_bytes") or policy.baseline is not None:
        yield from _judge(facts, policy, _CODE)


def _judge(facts: ArtifactFacts, policy: Policy, figure: Figure) -> Iterator[Violation]:
    """Report values above the limit of the policy, or above those of the baseline."""
    is_limited = policy.has_limit(figure.limit) or policy.baseline is not None
    if not is_limited:
        if all(value is None for _, _, value in iterate_values(facts, figure.name)):
            raise NotApplicable(f"no image states how many {figure.unit} its kernels use")
        return
    above: dict[tuple[str, str], tuple[int, int]] = {}
    unknown: set[tuple[str, str]] = set()
    is_known = False
    for kernel, arch, value in iterate_values(facts, figure.name):
        is_known = is_known or value is not None
        most = policy.limit(figure.limit, facts.path, kernel, arch)
        if most is not None and value is None:
            unknown.add((kernel, arch))
        elif most is not None and value is not None and value > most:
            above[kernel, arch] = max(above.get((kernel, arch), (0, 0)), (value, most))
    for (kernel, arch), (value, most) in sorted(above.items()):
        yield Violation(
            message=f"more {figure.unit} than the {most} that the policy allows: {EXAMPLES}",
            symbol=kernel,
            arch=arch,
            where=f"{value}",
        )
    if policy.baseline is not None:
        yield from compare_kernels(measure(facts), policy, figure, frozenset(above))
    if unknown or not is_known:
        kernels = plural(len(unknown), "kernel") if unknown else "its kernels"
        raise LacksEvidence(f"no image states how many {figure.unit} {kernels} use")


def _inform(facts: ArtifactFacts, policy: Policy, figure: Figure, what: str) -> Iterator[Violation]:
    """Report figures that have neither a limit nor a baseline, the largest first."""
    if policy.has_limit(figure.limit) or policy.baseline is not None:
        return
    users: dict[tuple[str, str], int] = {}
    for kernel, arch, value in iterate_values(facts, figure.name):
        if value:
            users[kernel, arch] = max(users.get((kernel, arch), 0), value)
    for (kernel, arch), value in sorted(users.items(), key=lambda user: (-user[1], user[0])):
        yield Violation(
            message=f"{what}: {EXAMPLES}",
            symbol=kernel,
            arch=arch,
            where=intern(f"{value} bytes"),
            severity="info",
        )


RULES: Final[tuple[Rule, ...]] = (
    register_spill,
    register_pressure,
    shared_memory_limit,
    local_memory,
    size_budget,
)
