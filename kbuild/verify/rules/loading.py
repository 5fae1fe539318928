"""KB410 to KB412 and KB604: whether the libraries that are published can be loaded elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Final

from kbuild.backends import find_backend, list_host_conventions
from kbuild.facts import ArtifactFacts, DynamicFacts
from kbuild.verify.file_set import FileSet
from kbuild.verify.policy.model import Severity
from kbuild.verify.rule import LINKED, NotApplicable, Rule, Violation, rule
from kbuild.verify.wording import shorten

# The distribution, the version, the build, and the tags of Python, ABI, and platform.
_WHEEL: Final = re.compile(
    r"(?P<name>[^-]+)-(?P<version>[^-]+)(?:-\d[^-]*)?-[^-]+-[^-]+-(?P<platform>[^-]+)\.whl"
)
_MACHINE: Final = re.compile(r"linux_(?:\d+_\d+_)?(x86_64|aarch64)|linux\d*_(x86_64|aarch64)")
_ANY: Final = "any"
_LOADER: Final = re.compile(r"ld(?:-linux[\w-]*|64)\.so\.\d+")
# The parts of the C library, which programs have often loaded before their modules.
_C_LIBRARY: Final = (
    *("libc.so.6", "libm.so.6", "libdl.so.2", "librt.so.1", "libpthread.so.0", "libutil.so.1"),
)
# What the libraries of compilers need. Libraries of a system are not among the files of a call.
_STANDARD_NEEDS: Final = {
    **dict.fromkeys(_C_LIBRARY, ("libc.so.6",)),
    "libgcc_s.so.1": ("libc.so.6",),
    "libgomp.so.1": ("libc.so.6",),
    "libstdc++.so.6": ("libc.so.6", "libm.so.6", "libgcc_s.so.1"),
}


@rule("KB410", "driver-required", severity="warning", needs=())
def driver_required(facts: ArtifactFacts) -> Iterator[Violation]:
    """A library can be loaded on a machine without a driver.

    Why: Only the installation of the driver provides libraries such as libcuda.so.1. If a module
        needs one of them by name, `import` fails on machines without a GPU ("libcuda.so.1: cannot
        open shared object file"): in CI, in image builds, and for users who want its CPU path.

        It is only a warning, because a library can be meant for machines with a GPU alone.

    Fix: Do not link the library (`-lcuda`, CMake: CUDA::cuda_driver, CUDA::nvml). Get the
        functions at run time from `cudaGetDriverEntryPoint`, or from `dlopen` and `dlsym`.

    Source: cucim#1074, executorch#21850; CUDA Runtime API, "Driver Entry Point Access".
    """
    needed = [r.soname for r in facts.runtimes if r.is_bound_to_kernel and not r.is_copy]
    names = [name for name in needed if name is not None]
    if facts.kind != "shared-object" or not facts.runtimes:
        raise NotApplicable("not a library that is linked to a runtime")
    if names:
        yield Violation(
            message=f"the library needs {shorten(names)}, so it cannot be loaded on a machine "
            "without a driver"
        )


@rule("KB411", "driver-copy", severity="error", needs=())
def driver_copy(facts: ArtifactFacts) -> Iterator[Violation]:
    """No file is, or needs, a copy of a library that belongs to the driver.

    Why: Libraries such as libcuda.so.1 work only with the kernel module of the same release.
        `auditwheel repair` copies the one of the build machine into the wheel. Users with another
        driver get "system has unsupported display driver / cuda driver combination". If it copied
        the stub of the toolkit, every call fails: "CUDA driver is a stub library".

    Fix: Exclude the library from the repair: `auditwheel repair --exclude libcuda.so.1`. Better,
        do not link it (KB410).

    Source: CUDA Driver API, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH and CUDA_ERROR_STUB_LIBRARY.
    """
    if facts.kind not in LINKED:
        raise NotApplicable("not a linked file")
    needed = [r.soname for r in facts.runtimes if r.is_bound_to_kernel and r.is_copy]
    names = [name for name in needed if name is not None]
    if names:
        yield Violation(message=f"the file needs {shorten(names)}, a copy of the driver's library")
    own = PurePath(facts.path.rpartition("!")[2]).name
    if any(
        library.is_bound_to_kernel and library.is_copy(own)
        for _, conventions in list_host_conventions()
        for library in conventions.runtimes
    ):
        yield Violation(message=f"{own} is a copy of the driver's library")


@rule("KB412", "version-without-library", severity="error", needs=())
def version_without_library(facts: ArtifactFacts, files: FileSet) -> Iterator[Violation]:
    """A file needs every library from which it needs a symbol version.

    Why: The dynamic linker looks for such a library among those that it has loaded. If it is
        not there, the linker ends the whole process: "Inconsistency detected by ld.so:
        dl-version.c: _dl_check_map_versions: Assertion `needed != NULL' failed!" This is only a
        warning if another library could load it, or if it is a part of the C library, which most
        programs have loaded.

    Fix: Link the library again. If a tool removed or renamed it among the needed libraries, use
        one that also changes `.gnu.version_r` (patchelf 0.18 or newer).

    Source: glibc, `elf/dl-version.c`; Linux Standard Base, "Symbol Versioning"; measured
        with glibc 2.36.
    """
    if facts.dynamic is None or not facts.dynamic.versioned:
        raise NotApplicable("needs no symbol versions")
    loaded, is_certain = _find_loaded(facts, facts.dynamic, files)
    elsewhere = {n for f in files.others(facts) if f.dynamic for n in f.dynamic.needed}
    for name in facts.dynamic.versioned:
        if name not in loaded and not _LOADER.fullmatch(name):
            is_error = is_certain and name not in elsewhere and name not in _C_LIBRARY
            yield Violation(
                message=f"the file needs versions of symbols from {name}, which is not among the "
                "libraries that it needs",
                severity=None if is_error else "warning",
            )


def _find_loaded(
    facts: ArtifactFacts, dynamic: DynamicFacts, files: FileSet
) -> tuple[set[str], bool]:
    """Return the names of the libraries that are loaded with a file, and whether they are all."""
    # The runtimes need nothing but the C library and libraries of compilers.
    known = {**_STANDARD_NEEDS, **{r.soname: () for r in facts.runtimes if r.soname}}
    # Every program has loaded the C library.
    loaded = dict.fromkeys(("libc.so.6", *dynamic.needed))
    is_certain = True
    rest = list(loaded)
    for name in rest:
        library = files.find_library(name)
        if library is not None and library.dynamic is not None:
            needed = library.dynamic.needed
        else:
            needed = known.get(name, ())
            is_certain = is_certain and (name in known or bool(_LOADER.fullmatch(name)))
        rest += [other for other in dict.fromkeys(needed) if other not in loaded]
        loaded.update(dict.fromkeys(needed))
    return {*loaded, dynamic.soname or ""}, is_certain


@rule("KB604", "wheel-claim", severity="error", needs=())
def wheel_claim(facts: ArtifactFacts) -> Iterator[Violation]:
    """A wheel contains what its name says: libraries for its platform and its runtime.

    Why: Installers choose a wheel by its name alone. A library for another machine fails at
        import ("wrong ELF class", "cannot open shared object file"), and so does one in a wheel
        for any platform on the wrong machine. A library that needs another major version of the
        runtime fails if only the promised version is installed. This is an error for libraries
        that kbuild built. For others it is a warning: wheels contain libraries for several
        machines and runtimes on purpose, and choose one at run time.

    Fix: Name the wheel after its content: use `auditwheel repair` for the platform, and the
        local version or the name of the distribution for the toolkit.

    Source: PEP 427, "File name convention"; PEP 600.
    """
    outer, _, member = facts.path.partition("!")
    match = _WHEEL.fullmatch(PurePath(outer).name)
    if match is None or not member or facts.kind not in LINKED:
        raise NotApplicable("not a library in a wheel")
    severity: Severity | None = None if facts.modules else "warning"
    claims = (
        *_platform_claims(facts, match["platform"]),
        *_runtime_claims(facts, f"{match['name']}-{match['version']}"),
    )
    for message in claims:
        yield Violation(message=message, severity=severity)


def _platform_claims(facts: ArtifactFacts, platform: str) -> Iterator[str]:
    machines = {m for found in _MACHINE.findall(platform) for m in found if m}
    if platform == _ANY:
        yield f"the wheel is for any platform, but the library is for {facts.machine}"
    elif machines and facts.machine not in machines:
        yield (
            f"the wheel is for {', '.join(sorted(machines))}, but the library is for "
            f"{facts.machine}"
        )


def _runtime_claims(facts: ArtifactFacts, name: str) -> Iterator[str]:
    for runtime in facts.runtimes:
        conventions = find_backend(runtime.backend).host
        claim = conventions.claim.search(name) if conventions and conventions.claim else None
        if claim is None or runtime.is_driver or runtime.version is None:
            continue
        major = runtime.version.partition(".")[0]
        if major != claim[1]:
            yield (
                f"the wheel's name says {claim[0].strip('_')}, but the library needs "
                f"{runtime.soname}"
            )


RULES: Final[tuple[Rule, ...]] = (
    driver_required,
    driver_copy,
    version_without_library,
    wheel_claim,
)
