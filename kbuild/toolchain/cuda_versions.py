"""Select the version of CUDA that a backend is like, if it can be like several."""

from __future__ import annotations

from typing import Final

from kbuild import process
from kbuild.backends import find_builder, list_builders
from kbuild.errors import ConfigurationError

OPTION: Final = "--cuda-version"


def list_versions() -> tuple[str, ...]:
    """Return the versions that some backend can be like."""
    return tuple(
        dict.fromkeys(version for one in list_builders() for version in one.TRAITS.cuda_versions)
    )


def select_version(version: str, backend: str | None = None) -> None:
    """Select a version for this process and the programs that it runs.

    Args:
        version: One of `list_versions`.
        backend: The backend that compiles; None if several can.

    Raises:
        ConfigurationError: The version is unknown, or the backend is only like its compiler.
    """
    versions = list_versions()
    if version not in versions:
        raise ConfigurationError(f"{OPTION} is '{version}'; expected one of {', '.join(versions)}")
    able = tuple(one.TRAITS for one in list_builders() if one.TRAITS.cuda_versions)
    if backend is not None and not find_builder(backend).TRAITS.cuda_versions:
        names = " or ".join(f"--backend {traits.name}" for traits in able)
        raise ConfigurationError(
            f"{OPTION} {version}: the compiler of backend {backend} decides the version of CUDA; "
            f"remove the option, or use {names}"
        )
    process.export_variables({traits.cuda_version_variable: version for traits in able})
