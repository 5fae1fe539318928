"""Dependencies of a build that ninja cannot see: environment variables and replaced programs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from kbuild.process import select_environment

# Read when kbuild looks for toolchains. It also searches PATH.
TOOLCHAIN_VARIABLES: Final = (
    *("CXX", "CUDACXX", "CUDA_PATH", "CUDAToolkit_ROOT", "KISSFFT_ROOT"),
    *("HIPCXX", "HIP_PLATFORM", "ROCM_PATH", "HIP_PATH"),
)
# Read by compilers, so artifacts depend on their values.
COMPILER_VARIABLES: Final = (
    *("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH"),
    *("GCC_EXEC_PREFIX", "CCC_OVERRIDE_OPTIONS"),
    *("NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN", "KBUILD_CPU_SPLIT"),
    *("KBUILD_CPU_COMPUTE_CAPABILITY", "KBUILD_CUDA_VERSION"),
    *("HIPCC_COMPILE_FLAGS_APPEND", "HIP_DEVICE_LIB_PATH"),
)
# `kbuild plan` describes the compilers of a target in a file of this name.
COMPILERS_FILE: Final = "compilers.txt"
# Read by CMake when it configures a project.
_CMAKE_VARIABLES: Final = ("PATH", "CC", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS")
_PREFIXES: Final = ("CMAKE_", "KBUILD_")


def read_compiler_variables() -> dict[str, str]:
    """Return the variables that compilers read and that are set."""
    return select_environment(COMPILER_VARIABLES)


def read_build_variables() -> dict[str, str]:
    """Return the variables that CMake, `kbuild plan`, or compilers read and that are set."""
    names = (*_CMAKE_VARIABLES, *TOOLCHAIN_VARIABLES, *COMPILER_VARIABLES)
    return select_environment(names, _PREFIXES)


def describe_programs(paths: Iterable[Path]) -> bytes:
    """Describe each program in one line that changes if the program is replaced."""
    return "".join(map(_describe_program, paths)).encode(errors="surrogateescape")


def read_programs(content: bytes) -> tuple[Path, ...]:
    """Return the programs that `describe_programs` described."""
    lines = content.decode(errors="surrogateescape").splitlines()
    return tuple(Path(line.split(" ", 4)[-1]) for line in lines)


def _describe_program(path: Path) -> str:
    try:
        status = path.stat()
    except OSError:
        return f"0 0 0 0 {path}\n"
    # Package managers set st_mtime to an old time. Nobody can set st_ctime.
    times = f"{status.st_mtime_ns} {status.st_ctime_ns}"
    return f"{status.st_size} {status.st_ino} {times} {path}\n"
