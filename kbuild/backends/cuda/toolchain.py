"""Find nvcc and the CUDA runtime, from wheels or from a toolkit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kbuild import resources
from kbuild.backends.cuda_roots import list_cuda_roots
from kbuild.backends.interface.toolchain import (
    Candidates,
    Runtime,
    Toolchain,
    ToolchainHints,
    Trial,
)
from kbuild.errors import ToolchainError
from kbuild.model import Command
from kbuild.resources import is_own_driver

NAME: Final = "cuda"
LANGUAGE: Final = "CUDA"
_OLDEST: Final = (12, 0)
# The inline namespaces of CUB and Thrust contain the architecture. Without these macros, a kernel
# would have a different name on each edge and on the host.
ONE_NAME_EVERYWHERE: Final = (
    "CUB_DISABLE_NAMESPACE_MAGIC",
    "CUB_IGNORE_NAMESPACE_MAGIC_ERROR",
    "THRUST_DISABLE_ABI_NAMESPACE",
    "THRUST_IGNORE_ABI_NAMESPACE_ERROR",
)
LIBRARY_DIRECTORIES: Final = ("lib", "lib64", "targets/x86_64-linux/lib")
_WHEELS: Final = ("nvidia_cuda_nvcc", "nvidia_cuda_crt", "nvidia_nvvm")


def list_candidates(hints: ToolchainHints) -> Candidates:
    """See `Builder`: CMake's nvcc, or those of wheels, CUDA_PATH, CUDAToolkit_ROOT, and PATH."""
    for chosen in (hints.compiler(LANGUAGE), hints.variable("CUDACXX")):
        if chosen and not _is_own_driver(chosen, hints):
            return Candidates(names=(chosen,), advice="check the path")
    roots = (str(root / "bin" / "nvcc") for root in list_cuda_roots(hints))
    return Candidates(
        names=(*roots, *_list_searched(hints)),
        advice="pip install 'kbuild[cuda]', or set CUDA_PATH",
    )


def _list_searched(hints: ToolchainHints) -> tuple[str, ...]:
    """Return what to search PATH for: nvcc, but not kbuild's driver under this name."""
    found = tuple(directory / "nvcc" for directory in hints.search_path)
    if not any(map(is_own_driver, found)):
        return ("nvcc",)
    return tuple(str(path) for path in found if not is_own_driver(path))


def _is_own_driver(name: str, hints: ToolchainHints) -> bool:
    """Return whether CMake's compiler for CUDA is kbuild's driver, which needs nvcc itself."""
    directories = hints.search_path if "/" not in name else (Path(),)
    found = next((path for d in directories if (path := d / name).is_file()), Path(name))
    return is_own_driver(found)


def probe_commands(compiler: Path) -> tuple[Command, ...]:
    """See `Builder`: nvcc's version, its architectures, and the version of its assembler."""
    ptxas = compiler.parent / "ptxas"
    return (
        Command(argv=(str(compiler), "--version")),
        Command(argv=(str(compiler), "--list-gpu-code")),
        Command(argv=(str(ptxas), "--version")),
    )


def read_toolchain(compiler: Path, texts: tuple[str, ...], hints: ToolchainHints) -> Toolchain:
    """See `Builder`: nvcc >= 12.0 whose parts have one minor version."""
    version, known, assembler = texts
    match = re.search(r"release (\d+)\.(\d+), V([\d.]+)", version)
    if match is None:
        raise ToolchainError(f"{compiler}: cannot read its version; expected nvcc")
    if (int(match[1]), int(match[2])) < _OLDEST:
        raise ToolchainError(
            f"{compiler} is nvcc {match[3]}; kernels need {'.'.join(map(str, _OLDEST))} or newer"
        )
    if f"release {match[1]}.{match[2]}," not in assembler:
        raise ToolchainError(describe_mix(compiler, f"nvcc {match[3]} and another ptxas"))
    _check_wheels(compiler, hints)
    return Toolchain(
        backend=NAME,
        compiler=compiler,
        compiler_id="nvcc",
        version=match[3],
        host_compiler=Path(hints.host_compiler) if hints.host_compiler else None,
        architectures=tuple(known.split()),
    )


def _check_wheels(compiler: Path, hints: ToolchainHints) -> None:
    """Reject a toolchain whose wheels have different minor versions: ptxas would fail."""
    site = next((s for s in hints.site_packages if s in compiler.parents), None)
    if site is None:
        return
    found = {name: version for directory, name, version in hints.wheels if directory == site}
    missing = [name for name in _WHEELS if name not in found]
    if missing:
        wheel = missing[0].replace("_", "-")
        raise ToolchainError(
            f"{compiler}: wheel {wheel} is not installed; pip install 'kbuild[cuda]'"
        )
    minors = {found[name].rpartition(".")[0] for name in _WHEELS}
    if len(minors) > 1:
        versions = ", ".join(f"{name.replace('_', '-')} {found[name]}" for name in _WHEELS)
        raise ToolchainError(describe_mix(compiler, versions))


def describe_mix(compiler: Path, what: str) -> str:
    """Say that a toolkit's parts do not have one version, and how to install them together."""
    return (
        f"{compiler}: its parts have different versions ({what}); install them together, with "
        "the version that you want: pip install 'cuda-toolkit[nvcc,cccl]==13.0.*'"
    )


def describe_trial(tc: Toolchain) -> Trial:
    """See `Builder`: a fat binary with the default architecture."""
    host = ("-ccbin", str(tc.host_compiler)) if tc.host_compiler else ()
    return Trial(
        arguments=(*host, "-fatbin", "-x", "cu", "/dev/null", "-o", "image.fatbin"),
        advice="install a host compiler that it supports (Debian: g++), and all parts of the "
        "toolkit: pip install 'kbuild[cuda]'",
    )


def find_runtimes(hints: ToolchainHints) -> tuple[Runtime, ...]:
    """See `Builder`: cudart of the toolkit of the found nvcc, with the headers for hosts."""
    for compiler in _list_existing_compilers(hints):
        root = compiler.resolve().parent.parent
        for name in LIBRARY_DIRECTORIES:
            shared = sorted((root / name).glob("libcudart.so.1?"))
            if shared:
                return _describe_runtimes(root, shared[-1])
    return ()


def _list_existing_compilers(hints: ToolchainHints) -> Iterator[Path]:
    for name in list_candidates(hints).names:
        directories = hints.search_path if "/" not in name else (Path(),)
        for directory in directories:
            if (directory / name).is_file():
                yield directory / name


def _describe_runtimes(root: Path, shared: Path) -> tuple[Runtime, ...]:
    # Since toolkit 13, CUB, Thrust, and libcu++ have their own directory.
    # kbuild's headers give CUDA's API HIP's names.
    own = resources.native_directory() / "device" / NAME
    paths = (root / "include", root / "include/cccl", own)
    include = tuple(path for path in paths if path.is_dir())
    definitions = ("KBUILD_BACKEND_CUDA=1", *(f"{name}=1" for name in ONE_NAME_EVERYWHERE))
    runtime = Runtime(
        linkage="shared", library=shared, include_directories=include, definitions=definitions
    )
    archive = shared.with_name("libcudart_static.a")
    if not archive.is_file():
        return (runtime,)
    static = Runtime(
        linkage="static",
        library=archive,
        include_directories=include,
        definitions=definitions,
        link_libraries=("dl", "pthread", "rt"),
    )
    return (runtime, static)
