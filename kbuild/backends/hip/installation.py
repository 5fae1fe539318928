"""Find HIP and ROCm: headers, device libraries, and the runtime, in all known layouts.

Debian spreads them over ``/usr``. ROCm has its own tree under ``/opt``, with a different layout
since 7.10 (TheRock). The same layout comes as wheels, where ``_rocm_sdk_devel`` has the headers
and ``_rocm_sdk_core`` the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kbuild.backends.interface.toolchain import ToolchainHints
from kbuild.errors import ToolchainError
from kbuild.values import dataclass

_WHEELS: Final = ("_rocm_sdk_devel", "_rocm_sdk_core")
_VARIABLES: Final = ("ROCM_PATH", "HIP_PATH")
_OPT: Final = Path("/opt/rocm")
_SYSTEM: Final = Path("/usr")
_COMPILER_DIRECTORIES: Final = ("lib/llvm/bin", "llvm/bin", "bin")
_COMPILERS: Final = ("amdclang++", "clang++")
_WRAPPER: Final = "hipcc"
_LIBRARY_DIRECTORIES: Final = ("lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu")
_BITCODE_DIRECTORIES: Final = (
    "amdgcn/bitcode",
    "lib/llvm/amdgcn/bitcode",
    "lib/amdgcn/bitcode",
    *(f"{directory}/amdgcn/bitcode" for directory in _LIBRARY_DIRECTORIES),
)
# The versions of code objects that releases of HIP before these run. Version 5 is the default of
# the clang of ROCm 6, and of clang 18. Seen with HIP 5.2: `blockDim` of version 5 is zero.
_CODE_OBJECTS: Final = ((6, 4), (7, 5))
_BITCODE_PREFIX: Final = "oclc_isa_version_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """An installation of ROCm. ``root`` contains the headers, and ``version`` is that of HIP."""

    root: Path
    version: str
    device_libraries: Path
    processors: tuple[str, ...]

    @property
    def options(self) -> tuple[str, ...]:
        """The options with the paths, because clang does not know layouts newer than itself."""
        return (
            f"--rocm-path={self.root}",
            f"--hip-version={self.version}",
            f"--rocm-device-lib-path={self.device_libraries}",
            *self._list_object_options(),
        )

    def _list_object_options(self) -> tuple[str, ...]:
        """Return the option for the newest code objects that the runtime runs.

        A newer clang makes newer ones by default, whose hidden arguments an older runtime does not
        fill, so that kernels see a `blockDim` of zero.
        """
        release = int(self.version.partition(".")[0])
        known = next((version for end, version in _CODE_OBJECTS if release < end), None)
        return () if known is None else (f"-mcode-object-version={known}",)


def list_roots(hints: ToolchainHints) -> tuple[Path, ...]:
    """List the trees to search, best first: the user's own, wheels, ``/opt``, the system."""
    named = [Path(value) for name in _VARIABLES if (value := hints.variable(name))]
    wheels = [site / wheel for site in hints.site_packages for wheel in _WHEELS]
    versions = sorted((*_OPT.parent.glob("rocm-*"), *_OPT.glob("core-*")), key=_order, reverse=True)
    candidates = (*named, *wheels, _OPT, *versions, _SYSTEM)
    return tuple(dict.fromkeys(root for root in candidates if root.is_dir()))


def _order(path: Path) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", path.name))


def list_compilers(hints: ToolchainHints) -> Iterator[str]:
    """Yield the compilers in the trees, then ``hipcc`` on PATH, which knows its clang.

    The system's clang might not match the device libraries.
    """
    for root in list_roots(hints):
        if root == _SYSTEM:
            continue
        for directory in _COMPILER_DIRECTORIES:
            for name in _COMPILERS:
                if (root / directory / name).is_file():
                    yield str(root / directory / name)
    yield from (_COMPILERS[0], _WRAPPER)


def find_installation(hints: ToolchainHints) -> Installation:
    """Find the headers and device libraries to compile with.

    Raises ToolchainError that names what is missing, and the packages that provide it.
    """
    for name in _VARIABLES:
        value = hints.variable(name)
        if value and not Path(value).is_dir():
            raise ToolchainError(f"{name} is {value!r}: no such directory")
    roots = list_roots(hints)
    root = next((r for r in roots if _version_header(r).is_file()), None)
    if root is None:
        raise ToolchainError(
            "backend hip: hip/hip_runtime.h not found; install HIP (Debian: libamdhip64-dev) or "
            "set ROCM_PATH"
        )
    # A tree can have headers but no libraries, as in TheRock's wheels.
    directories = (r / name for r in (root, *roots) for name in _BITCODE_DIRECTORIES)
    device_libraries = next((f for f in directories if any(f.glob(f"{_BITCODE_PREFIX}*.bc"))), None)
    if device_libraries is None:
        raise ToolchainError(
            "backend hip: ROCm device libraries (oclc_isa_version_*.bc) not found; install them "
            "(Debian: rocm-device-libs, ROCm: rocm-llvm) or set ROCM_PATH"
        )
    return Installation(
        root=root,
        version=_read_version(_version_header(root)),
        device_libraries=device_libraries,
        processors=_list_processors(device_libraries),
    )


def _version_header(root: Path) -> Path:
    return root / "include/hip/hip_version.h"


def _read_version(header: Path) -> str:
    text = header.read_text(errors="replace")
    parts = [
        re.search(rf"#define HIP_VERSION_{part} (\d+)", text)
        for part in ("MAJOR", "MINOR", "PATCH")
    ]
    if not all(parts):
        raise ToolchainError(f"{header}: contains no HIP version; reinstall HIP")
    return ".".join(match[1] for match in parts if match)


def _list_processors(device_libraries: Path) -> tuple[str, ...]:
    found = (p.stem.removeprefix(_BITCODE_PREFIX) for p in device_libraries.glob("oclc_isa*.bc"))
    return tuple(f"gfx{name}" for name in sorted(found, key=lambda name: (len(name), name)))


def find_runtime_library(hints: ToolchainHints) -> tuple[Path, Path] | None:
    """Return the root with the headers, and libamdhip64; None if either is missing."""
    roots = list_roots(hints)
    root = next((r for r in roots if _version_header(r).is_file()), None)
    if root is None:
        return None
    for candidate in (root, *roots):
        for directory in _LIBRARY_DIRECTORIES:
            found = sorted(
                (candidate / directory).glob("libamdhip64.so*"), key=lambda p: len(p.name)
            )
            versioned = [path for path in found if re.fullmatch(r".*\.so\.\d+", path.name)]
            if found:
                return root, (versioned or found)[0]
    return None
