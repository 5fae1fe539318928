"""KB410 to KB412 and KB604: whether the libraries that are published can be loaded elsewhere."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Final

from kbuild.backends import find_backend, list_host_conventions
from kbuild.facts import ArtifactFacts
from kbuild.verify.dependencies import C_LIBRARY, LOADER, find_loaded
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
_ORIGIN: Final = re.compile(r"\$ORIGIN\b|\$\{ORIGIN\}")


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
def driver_copy(facts: ArtifactFacts, files: FileSet) -> Iterator[Violation]:
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
    for _, conventions in list_host_conventions():
        for library in conventions.runtimes:
            if not library.is_bound_to_kernel or not library.file_name.fullmatch(own):
                continue
            if library.is_copy(own) or any(_finds(other, facts) for other in files.artifact):
                yield Violation(message=f"{own} is a copy of the driver's library")


def _finds(loader: ArtifactFacts, library: ArtifactFacts) -> bool:
    """Return whether a file of a wheel loads the library of the same wheel by its search path.

    Packages of the driver and stubs for linking have the same names, but nothing loads them so.
    """
    wheel, _, member = library.path.partition("!")
    directory, name = posixpath.split(member)
    outer, _, user = loader.path.partition("!")
    if not name or outer != wheel or loader.dynamic is None or name not in loader.dynamic.needed:
        return False
    searched = loader.dynamic.runpath or loader.dynamic.rpath
    origin = posixpath.dirname(user)
    return any(
        posixpath.normpath(_ORIGIN.sub(lambda _: origin, path)) == posixpath.normpath(directory)
        for path in searched
    )


@rule("KB412", "version-without-library", severity="error", needs=())
def version_without_library(facts: ArtifactFacts, files: FileSet) -> Iterator[Violation]:
    """A file needs every library from which it needs a symbol version.

    Why: The dynamic linker looks for such a library among those that it has loaded. If it is
        not there, the linker ends the whole process: "Inconsistency detected by ld.so:
        dl-version.c: _dl_check_map_versions: Assertion `needed != NULL' failed!" This is only a
        warning if another library could load it, or if it is a part of the C library, which most
        programs have loaded.

    Fix: Link the library again. If a tool removed it from the needed libraries, or renamed it
        there, `.gnu.version_r` must change, too. Of patchelf 0.19, `--replace-needed` does this,
        but `--remove-needed` does not.

    Source: glibc, `elf/dl-version.c`; Linux Standard Base, "Symbol Versioning"; measured
        with glibc 2.36.
    """
    if facts.dynamic is None or not facts.dynamic.versioned:
        raise NotApplicable("needs no symbol versions")
    loaded = find_loaded(facts, files)
    elsewhere = {n for f in files.others(facts) if f.dynamic for n in f.dynamic.needed}
    for name in facts.dynamic.versioned:
        if name not in loaded.names and not LOADER.fullmatch(name):
            is_error = loaded.is_complete and name not in elsewhere and name not in C_LIBRARY
            yield Violation(
                message=f"the file needs versions of symbols from {name}, which is not among the "
                "libraries that it needs",
                severity=None if is_error else "warning",
            )


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
