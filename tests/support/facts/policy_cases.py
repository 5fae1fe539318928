"""Artifacts that violate one rule each because of a policy or a baseline."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kbuild.facts import ArtifactFacts
from kbuild.model import Problem, Resources
from kbuild.verify import Policy
from kbuild.verify.policy.baseline import make_baseline
from kbuild.verify.policy.model import Part
from support.facts.build_facts import (
    DYNAMIC,
    KERNELS,
    MODEST,
    foreign_facts,
    gpu_image,
    host_facts,
)
from support.facts.wheel_facts import (
    FOREIGN as FOREIGN_SYMBOL,
)
from support.facts.wheel_facts import (
    LATE,
    NEW,
    PLATFORM,
    PYPI,
    PYTHON,
    STRICT,
    change_wheel,
)

CUBIN = gpu_image("sm_90")
PTX = gpu_image("compute_90", kind="ptx")
FOREIGN = foreign_facts()
AMD = foreign_facts(gpu_image("gfx90a", compression="zstd"))
HOST = host_facts("shared-object")
DAMAGE = Problem(where="k/_k.so", message="differs")
_ROCM_5 = replace(DYNAMIC, needed=("libamdhip64.so.5", "libc.so.6"))
FOR_ROCM_5 = replace(
    foreign_facts(replace(gpu_image("gfx90a"), object_version="4")), dynamic=_ROCM_5
)
BASELINE = make_baseline((FOREIGN,), "kbuild.baseline")


def needing(arch: str = "sm_90", **figures: Any) -> ArtifactFacts:
    """Return a foreign file whose kernels have other figures."""
    return foreign_facts(gpu_image(arch, resources=replace(MODEST, **figures)), PTX)


def _renamed() -> ArtifactFacts:
    other = replace(
        KERNELS[0], name="_Z5otherPffi", display="other(float*, float, int)", resources=MODEST
    )
    cubin = replace(CUBIN, kernels=(*CUBIN.kernels[1:], other))
    ptx = replace(PTX, kernels=(*PTX.kernels[1:], replace(other, resources=Resources())))
    return foreign_facts(cubin, ptx)


BAD_BY_POLICY: tuple[tuple[str, str, ArtifactFacts, Policy | None], ...] = (
    ("KB003", "other kernel", _renamed(), Policy(baseline=BASELINE)),
    ("KB003", "other file", replace(FOREIGN, path="x.fatbin"), Policy(baseline=BASELINE)),
    ("KB101", "required", FOREIGN, Policy(required_architectures=("sm_100",))),
    (
        "KB101",
        "required of one kernel",
        FOREIGN,
        Policy(parts=(Part(kernels=("ns::*",), required_architectures=("sm_100",)),)),
    ),
    ("KB102", "required", HOST, Policy(require_device_code=True)),
    ("KB102", "implied", HOST, Policy(required_architectures=("sm_90",))),
    ("KB102", "required kernels", FOREIGN, Policy(required_kernels=("ns::*", "attention*"))),
    ("KB105", "newer", FOREIGN, Policy(minimum_driver="12.3")),
    ("KB106", "none", foreign_facts(CUBIN), None),
    (
        "KB106",
        "of one architecture alone",
        foreign_facts(CUBIN, gpu_image("compute_90a", kind="ptx")),
        None,
    ),
    (
        "KB106",
        "of another family",
        foreign_facts(gpu_image("sm_120"), gpu_image("compute_100f", kind="ptx")),
        None,
    ),
    ("KB106", "forbidden", FOREIGN, Policy(ptx="forbidden")),
    (
        "KB107",
        "zstd for an old driver",
        foreign_facts(replace(CUBIN, compression="zstd"), replace(PTX, ptx_version="8.0")),
        Policy(minimum_driver="12.3"),
    ),
    ("KB107", "bundle for an old runtime", AMD, Policy(minimum_runtime="6.1.2")),
    *(
        (
            "KB413",
            f"{what} for ROCm 5",
            replace(foreign_facts(image), dynamic=_ROCM_5),
            None,
        )
        for what, image in (
            ("version 5", replace(gpu_image("gfx90a"), object_version="5")),
            ("zstd", gpu_image("gfx90a", compression="zstd")),
        )
    ),
    ("KB110", "not allowed", FOREIGN, Policy(allowed_architectures=("sm_90",))),
    ("KB201", "nobody asked", needing(spill_bytes=16), None),
    ("KB201", "above the limit", needing(spill_bytes=16), Policy(max_spill_bytes=8)),
    ("KB201", "above the baseline", needing(spill_bytes=16), Policy(baseline=BASELINE)),
    (
        "KB201",
        "registers that AMD counts",
        foreign_facts(
            gpu_image("gfx90a", resources=Resources(spilled_registers=3, local_bytes=None))
        ),
        Policy(max_spill_bytes=8),
    ),
    ("KB202", "above the limit", FOREIGN, Policy(max_registers=31)),
    ("KB202", "above the baseline", needing(registers=33), Policy(baseline=BASELINE)),
    ("KB202", "better than the baseline", needing(registers=30), Policy(baseline=BASELINE)),
    ("KB202", "too many to launch", needing(registers=65, max_threads=1024), None),
    ("KB203", "above the device's", needing(shared_bytes=49153), None),
    (
        "KB203",
        "above AMD's",
        foreign_facts(gpu_image("gfx90a", resources=replace(MODEST, shared_bytes=65540))),
        None,
    ),
    ("KB203", "above the limit", FOREIGN, Policy(max_shared_bytes=1000)),
    ("KB203", "above the baseline", needing(shared_bytes=1028), Policy(baseline=BASELINE)),
    ("KB204", "nobody asked", needing(local_bytes=64), None),
    ("KB204", "above the limit", needing(local_bytes=64), Policy(max_local_bytes=63)),
    ("KB204", "above the baseline", needing(local_bytes=64), Policy(baseline=BASELINE)),
    ("KB205", "kernel", FOREIGN, Policy(max_kernel_bytes=511)),
    ("KB205", "architecture", FOREIGN, Policy(max_architecture_bytes=999)),
    ("KB205", "artifact", FOREIGN, Policy(max_artifact_bytes=1999)),
    ("KB205", "kernel above the baseline", needing(code_bytes=600), Policy(baseline=BASELINE)),
    (
        "KB205",
        "images above the baseline",
        foreign_facts(replace(CUBIN, stored_size=1001), PTX),
        Policy(baseline=BASELINE),
    ),
    (
        "KB205",
        "one architecture more than the baseline",
        foreign_facts(CUBIN, PTX, gpu_image("compute_80", kind="ptx")),
        Policy(baseline=BASELINE),
    ),
    ("KB701", "versions", change_wheel(platform=replace(PLATFORM, missing=(NEW,))), PYPI),
    ("KB701", "no library", change_wheel(platform=replace(PLATFORM, external=("a.so",))), PYPI),
    (
        "KB701",
        "library not allowed",
        change_wheel(platform=replace(PLATFORM, external=("libtorch.so", "a.so"))),
        STRICT,
    ),
    ("KB702", "no abi", change_wheel(python=replace(PYTHON, symbols=(FOREIGN_SYMBOL,))), PYPI),
    ("KB702", "newer", change_wheel(python=replace(PYTHON, symbols=(LATE,))), PYPI),
    ("KB704", "size", change_wheel(size=(100 << 20) + 1), PYPI),
    ("KB704", "own size", change_wheel(), replace(PYPI, max_wheel_bytes=999)),
    ("KB704", "platform", change_wheel(platforms=("linux_x86_64",)), PYPI),
    ("KB704", "version", change_wheel(version="1.0+cu130"), PYPI),
    ("KB705", "none", change_wheel(bills=()), PYPI),
    (
        "KB706",
        "digest",
        change_wheel(record_problems=(DAMAGE,)),
        PYPI,
    ),
)
