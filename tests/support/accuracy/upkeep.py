"""Outdated waivers and baselines, and wrong names of wheels."""

from __future__ import annotations

import datetime as dt
import zipfile
from pathlib import Path
from typing import Final

from kbuild.inspect import inspect_path
from kbuild.verify import Policy
from kbuild.verify.policy.baseline import make_baseline
from kbuild.verify.policy.model import SeverityChange, Waiver
from support.accuracy.build_env import BuildEnv
from support.accuracy.model import Build, Case, Found, Mutation
from support.accuracy.resource_files import compile_hip
from support.accuracy.units.stub_units import load_sound_library
from support.accuracy.vendors.clang_files import load_hip_object
from support.accuracy.vendors.nvcc_files import load_cuda_library

_LAST_DAY: Final = dt.date(2027, 1, 31)
_NEXT_DAY: Final = dt.date(2027, 2, 1)
# These cases are about the list of kernels, not about their sizes.
_SIZES_ARE_FREE: Final = SeverityChange(
    rule="KB205", severity="info", reason="sizes are not tested"
)
_TAGS: Final = "py3-none-manylinux_2_28"


def _waived(built_for: str, *, waived: str = "gfx90a", today: dt.date = _LAST_DAY) -> Build:
    """Return a file for an unlisted architecture, and a policy that waives the finding."""
    waiver = Waiver(rule="KB110", reason="until it is sold", expires=_LAST_DAY, arch=(waived,))
    policy = Policy(waivers=(waiver,), allowed_architectures=("gfx1030",))
    return lambda w: Case(paths=(compile_hip(w, arch=built_for),), policy=policy, today=today)


def _waived_stub(*options: str) -> Build:
    """Return a kernel with a hidden stub, and a policy that waives it for the kernel fill."""
    waiver = Waiver(rule="KB307", reason="hidden", expires=_LAST_DAY, kernels=("*fill*",))
    policy = Policy(waivers=(waiver,))

    def build(build_env: BuildEnv) -> Case:
        words = ("-fvisibility=hidden", *options)
        hidden = load_hip_object(build_env, f"waived{''.join(options)}", *words)
        return Case(paths=(hidden,), policy=policy, today=_LAST_DAY)

    return build


def _known(*options: str) -> Build:
    """Return kernels compiled with these options, and a baseline of kernels without them."""

    def build(build_env: BuildEnv) -> Case:
        baseline = make_baseline(inspect_path(compile_hip(build_env)))
        policy = Policy(baseline=baseline, severities=(_SIZES_ARE_FREE,))
        return Case(paths=(compile_hip(build_env, *options),), policy=policy)

    return build


def _pack(build_env: BuildEnv, name: str, library: Path) -> Case:
    def make(path: Path) -> None:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
            wheel.write(library, "k/_k.so")

    return Case(paths=(build_env.file(f"wheels/{name}", make),))


def _wheel(version: str, tags: str) -> Build:
    """Return a wheel with a library for x86-64 CPUs."""
    return lambda w: _pack(w, f"k-{version}-{tags}.whl", load_sound_library(w))


def _cuda_wheel(name: str) -> Build:
    """Return a wheel with this name, or with the name of the runtime that its library needs."""

    def build(build_env: BuildEnv) -> Case:
        library = load_cuda_library(build_env)
        (runtime,) = inspect_path(library)[0].runtimes
        claim = name.format(version=runtime.version)
        return _pack(build_env, f"{claim}-1.0-{_TAGS}_x86_64.whl", library)

    return build


_UNLISTED: Final[Found] = frozenset({("KB110", "warning")})
_LARGER: Final[Found] = frozenset({("KB205", "info")})
_OF_POLICIES: Final = (
    Mutation(
        rule="KB001",
        way="expired",
        needs=("clang-19",),
        broken=_waived("gfx90a", today=_NEXT_DAY),
        sound=_waived("gfx90a"),
        beside=_UNLISTED,
    ),
    Mutation(
        rule="KB001",
        way="expired, and the problem is fixed",
        needs=("clang-19",),
        broken=_waived("gfx1030", today=_NEXT_DAY),
        sound=_waived("gfx90a"),
    ),
    Mutation(
        rule="KB002",
        way="the problem is fixed",
        severity="warning",
        needs=("clang-19",),
        broken=_waived("gfx1030"),
        sound=_waived("gfx90a"),
    ),
    Mutation(
        rule="KB002",
        way="misspelled",
        severity="warning",
        needs=("clang-19",),
        broken=_waived("gfx90a", waived="gfx90b"),
        sound=_waived("gfx90a"),
        beside=_UNLISTED,
    ),
    Mutation(
        rule="KB002",
        way="its kernel was renamed",
        severity="warning",
        needs=("clang-19",),
        broken=_waived_stub("-Dfill=flood"),
        sound=_waived_stub(),
    ),
    *(
        Mutation(
            rule="KB003",
            way=way,
            severity="info",
            needs=("clang-19",),
            broken=_known(option),
            sound=_known(),
            beside=_LARGER,
        )
        for way, option in (
            ("kernel renamed", "-Dplain=renamed"),
            ("kernel added", "-DEXTRA"),
            ("architecture added", "--offload-arch=gfx1030"),
        )
    ),
)
_OF_WHEELS: Final = (
    Mutation(
        rule="KB604",
        way="wheel for another machine",
        broken=_wheel("1.0", f"{_TAGS}_aarch64"),
        sound=_wheel("1.0", f"{_TAGS}_x86_64"),
    ),
    Mutation(
        rule="KB604",
        way="wheel for any platform",
        broken=_wheel("1.0", "py3-none-any"),
        sound=_wheel("1.0", f"{_TAGS}_x86_64"),
    ),
    Mutation(
        rule="KB604",
        way="wheel named after another runtime",
        severity="warning",
        needs=("nvcc", "cudart"),
        broken=_cuda_wheel("k_cu11"),
        sound=_cuda_wheel("k_cu{version}"),
    ),
)
MUTATIONS: Final = (*_OF_POLICIES, *_OF_WHEELS)
