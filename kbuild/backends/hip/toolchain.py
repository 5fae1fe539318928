"""Find clang for AMD's devices, its device libraries, and the HIP runtime."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from kbuild import resources
from kbuild.backends.hip.architectures import expand
from kbuild.backends.hip.installation import find_installation, find_runtime_library, list_compilers
from kbuild.backends.interface.toolchain import (
    Candidates,
    Fallback,
    Runtime,
    Toolchain,
    ToolchainHints,
    Trial,
)
from kbuild.errors import ConfigurationError, ToolchainError
from kbuild.model import Command

NAME: Final = "hip"
LANGUAGE: Final = "HIP"
_PLATFORM: Final = "HIP_PLATFORM"
_OWN_PLATFORM: Final = "amd"
# The backend whose compiler, runtime, and devices another platform of HIP uses.
_FALLBACKS: Final = {"nvidia": "cuda"}
_OLDEST: Final = 15
BUNDLER: Final = "clang-offload-bundler"
LINKER: Final = "ld.lld"


def list_candidates(hints: ToolchainHints) -> Candidates:
    """See `Builder`: CMake's HIP compiler, or those of ROCM_PATH, wheels, /opt/rocm*, and PATH."""
    chosen = hints.compiler(LANGUAGE) or hints.variable("HIPCXX")
    if chosen:
        return Candidates(names=(chosen,), advice="check the path")
    return Candidates(
        names=tuple(dict.fromkeys(list_compilers(hints))),
        advice="install one (Debian: hipcc; ROCm: rocm-llvm), or set ROCM_PATH or HIPCXX",
    )


def find_fallback(hints: ToolchainHints) -> Fallback | None:
    """See `Builder`: the backend of another platform that CMake or HIP_PLATFORM names."""
    by_cmake = dict(hints.platforms).get(LANGUAGE)
    named = by_cmake or hints.variable(_PLATFORM) or _OWN_PLATFORM
    variable = f"CMAKE_{_PLATFORM}" if by_cmake else _PLATFORM
    if named in _FALLBACKS:
        return Fallback(backend=_FALLBACKS[named], reason=f"{variable} is {named}")
    if named != _OWN_PLATFORM:
        raise ConfigurationError(
            f"{variable} is {named!r}; expected {_OWN_PLATFORM} or {', '.join(_FALLBACKS)}"
        )
    return None


def probe_commands(compiler: Path) -> tuple[Command, ...]:
    """See `Builder`: the version of the compiler, and the path of its bundler.

    Without the platform, the wrapper ``hipcc`` would call nvcc if it finds one.
    """
    env = ((_PLATFORM, _OWN_PLATFORM),)
    version = Command(argv=(str(compiler), "--version"), env=env)
    if compiler.name == "nvcc":
        return (version,)  # enough to reject it; nvcc does not understand more
    return (version, Command(argv=(str(compiler), f"-print-prog-name={BUNDLER}"), env=env))


def read_toolchain(compiler: Path, texts: tuple[str, ...], hints: ToolchainHints) -> Toolchain:
    """See `Builder`: clang >= 15 with its bundler, HIP's headers, and device libraries.

    For ``hipcc``, this is the clang that it calls.
    """
    version = texts[0]
    match = re.search(r"clang version (\d+)([\d.]*)", version)
    if match is None:
        said = version.strip().splitlines()
        raise ToolchainError(
            f"{compiler} is not clang ({said[0] if said else 'it prints no version'}); set "
            "HIPCXX to AMD's clang, or to the one that hipcc uses"
        )
    if int(match[1]) < _OLDEST:
        raise ToolchainError(
            f"{compiler} is clang {match[1]}{match[2]}; HIP kernels need clang {_OLDEST} or newer"
        )
    bundler = Path(texts[1].strip())
    if not bundler.is_absolute():
        raise ToolchainError(
            f"{compiler}: {BUNDLER}, which writes fat binaries, is missing; install it (Debian: "
            f"clang-tools-{match[1]}, ROCm: rocm-llvm)"
        )
    is_wrapper = "HIP version" in version
    found = find_installation(hints)
    return Toolchain(
        backend=NAME,
        compiler=bundler.with_name("clang++") if is_wrapper else compiler,
        compiler_id="clang",
        version=match[1] + match[2],
        architectures=found.processors,
        options=found.options,
        packer=bundler,
    )


def describe_trial(tc: Toolchain) -> Trial:
    """See `Builder`: a code object. clang links it with the lld beside it, or else that of PATH."""
    (arch, *_) = expand((), tc.architectures)
    version = tc.version.partition(".")[0]
    return Trial(
        arguments=(
            *("-x", "hip", "--cuda-device-only", f"--offload-arch={arch}", *tc.options),
            *("/dev/null", "-o", "image.hsaco"),
        ),
        advice=f"install lld of the same version (Debian: lld-{version}, ROCm: rocm-llvm), and "
        "device libraries that this clang supports",
    )


def list_notes(tc: Toolchain, hints: ToolchainHints) -> tuple[str, ...]:
    """See `Builder`: note if ``hipcc`` would have called nvcc."""
    on_path = [
        name for name in ("hipcc", "nvcc") if any((f / name).is_file() for f in hints.search_path)
    ]
    if len(on_path) < 2 or hints.variable(_PLATFORM):  # noqa: PLR2004 - both
        return ()
    note = (
        "hipcc calls nvcc if it is on PATH, as it is here; kbuild calls "
        f"{tc.compiler} for {_PLATFORM}={_OWN_PLATFORM}"
    )
    return (note,)


def find_runtimes(hints: ToolchainHints) -> tuple[Runtime, ...]:
    """See `Builder`: libamdhip64 with the headers for hosts. There is no static version."""
    found = find_runtime_library(hints)
    if found is None:
        return ()
    root, library = found
    return (
        Runtime(
            linkage="shared",
            library=library,
            # kbuild's headers give HIP's API CUDA's names.
            include_directories=(resources.native_directory() / "device" / NAME, root / "include"),
            definitions=("KBUILD_BACKEND_HIP=1", "__HIP_PLATFORM_AMD__=1"),
        ),
    )
