"""Select the version of CUDA that the headers and the toolkit of this backend are like."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from kbuild import resources
from kbuild.errors import ConfigurationError
from kbuild.process import select_environment

VARIABLE: Final = "KBUILD_CUDA_VERSION"
# Of the commands that compile; see `kbuild/toolchain/cuda_versions.py`.
OPTION: Final = "--cuda-version"
# As kbuild_cpu/host/cuda_version.h and native/device/cuda_versions say.
_VERSIONS: Final = {"11": "11.8.0", "12": "12.8.0", "13": "13.0.0"}
MAJORS: Final = tuple(_VERSIONS)
_USUAL: Final = "13"


def read_version() -> str:
    """Return the version, such as ``13.0.0``.

    Raises:
        ConfigurationError: The environment variable has an unknown value.
    """
    value = select_environment((VARIABLE,)).get(VARIABLE) or _USUAL
    if value not in _VERSIONS:
        raise ConfigurationError(f"{VARIABLE} is '{value}'; expected 11, 12, or 13")
    return _VERSIONS[value]


def list_directories() -> tuple[Path, ...]:
    """Return the include directory that tells headers the version, if it is not the usual one."""
    major = read_version().partition(".")[0]
    directory = resources.native_directory() / "device" / "cuda_versions" / major
    return () if major == _USUAL else (directory,)


def list_variables() -> tuple[tuple[str, str], ...]:
    """Return the variables that tools must set to use the version, if it is not the usual one."""
    major = read_version().partition(".")[0]
    return () if major == _USUAL else ((VARIABLE, major),)
