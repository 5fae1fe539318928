"""The ``nvcc`` capability: stand in for nvcc, with its command line and its toolkit."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from kbuild.backends.interface.toolchain import Toolchain, ToolchainHints
from kbuild.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolkitLayout:
    """The content of a directory that is laid out as a CUDA toolkit.

    Attributes:
        version: The version of the toolkit, such as ``13.0.0``.
        architecture: The architecture that is compiled by default, as CMake spells it.
        headers: The directories whose entries are in ``include``; the first one counts.
        header_library: The include directory of CCCL, if it is installed.
        libraries: Links in ``lib64``, as (name, target).
        scripts: Linker scripts in ``lib64``, as (name, text). ``{directory}`` is ``lib64``.
        runtime: The name in ``lib64`` of a shared object that programs load from where it is, and
            its path; None if they search for it.
        programs: Links in ``bin``, as (name, target).
        device_library: The directory ``nvvm``, or None for an empty one.
    """

    version: str
    architecture: str
    headers: tuple[Path, ...]
    header_library: Path | None = None
    libraries: tuple[tuple[str, Path], ...] = ()
    scripts: tuple[tuple[str, str], ...] = ()
    runtime: tuple[str, Path] | None = None
    programs: tuple[tuple[str, Path], ...] = ()
    device_library: Path | None = None


class NvccConventions(Protocol):
    """The members of a backend's ``nvcc`` module. Its functions run nothing."""

    def describe_toolkit(self, tc: Toolchain, hints: ToolchainHints) -> ToolkitLayout:
        """Describe the toolkit that programs are built with."""

    def select_architectures(self, requested: tuple[str, ...]) -> tuple[str, ...]:
        """Return the backend's architectures for those of a command line of nvcc."""

    def translate_options(self, options: tuple[str, ...]) -> tuple[str, ...]:
        """Return the options for the device compiler, for options that are spelled for nvcc.

        Each of them is one word with the short name, such as ``-fmad=false``.
        """

    def quote_options(self, options: tuple[str, ...]) -> tuple[str, ...]:
        """Return options of preprocessors such that the device compiler takes them as g++ does."""
