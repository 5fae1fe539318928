"""Check a manifest before anything is written: files, standards, backends, and policies."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from kbuild import files
from kbuild.backends import AUTOMATIC, find_builder
from kbuild.errors import ConfigurationError, about
from kbuild.project.manifest.sources import is_kernel_source
from kbuild.project.manifest.tables import Manifest, ManifestTarget, TargetTable
from kbuild.stages.paths import UNSAFE_IN_ROOT, check_path
from kbuild.stages.settings import check_file, check_standard
from kbuild.stages.sources.launches import find_launch

_DEVICE_SETTINGS: Final = (
    *("backend", "architectures", "headers", "debug_stubs", "rdc", "weak_instances"),
    *(
        "compression",
        "visibility",
        "runtime",
        "compile_options",
        "device_standard",
        "host_compiler",
        "policy",
    ),
)
_STATIC_LINKING: Final = ("-static", "-static-pie")
_DEFAULTS: Final = TargetTable(sources=())


def check_manifest(manifest: Manifest, output: Path) -> None:
    """Check what can be checked without planning the targets.

    Args:
        manifest: The manifest.
        output: The build directory.

    Raises:
        ConfigurationError: CMake cannot work in ``output``, a policy is invalid, or a setting of a
            target is invalid.
    """
    check_path(output, "the output directory", UNSAFE_IN_ROOT)
    for target in manifest.targets:
        with about(manifest=manifest.path, target=target.name):
            _check_target(manifest, target)
    for policy in manifest.policies:
        from kbuild.verify.policy.file import load_policy  # noqa: PLC0415 - slow to import

        # The baseline might be written from the result of this build.
        load_policy(policy, reads_baseline=False)


def _check_target(manifest: Manifest, target: ManifestTarget) -> None:
    table = target.table
    _check_launches(target)
    if target.is_plain_program:
        _check_plain_program(manifest, target)
    for header in table.headers:
        with about(setting="headers"):
            check_file(manifest.root / header)
    for directory in table.include_directories:
        with about(setting="include_directories"):
            _check_directory(manifest.root / directory)
    if table.policy:
        with about(setting="policy"):
            check_file(manifest.root / table.policy)
    with about(setting="host_options"):
        _reject_static_linking(table.host_options)
    with about(setting="device_standard"):
        check_standard(table.device_standard)
    if table.backend != AUTOMATIC:
        with about(setting="backend"):
            find_builder(table.backend)


def _check_directory(path: Path) -> None:
    check_path(path)
    if not path.is_dir():
        raise ConfigurationError(f"{path}: no such directory")


def _reject_static_linking(options: tuple[str, ...]) -> None:
    for option in options:
        if option in _STATIC_LINKING:
            raise ConfigurationError(
                f"{option!r}: the runtimes of kernels load device code and drivers while a program "
                "runs, which a static program cannot do; remove the option"
            )


def _check_launches(target: ManifestTarget) -> None:
    """Reject launches with ``<<<>>>`` in sources that C++ compilers read as they are."""
    for path in target.sources:
        line = None if is_kernel_source(path) else find_launch(files.read_file(path))
        if line is not None:
            raise ConfigurationError(
                f"{path}:{line}: a launch with <<<>>> in a C++ source, which kbuild does not "
                f"rewrite; rename the file to '{path.stem}.cu'",
                setting="sources",
            )


def _check_plain_program(manifest: Manifest, target: ManifestTarget) -> None:
    """Reject a program without kernel sources that links no other target, or has keys for them."""
    names = {other.name for other in manifest.targets if other is not target}
    if names.isdisjoint(target.table.link_libraries):
        raise ConfigurationError("expected at least one .cu or .hip file", setting="sources")
    for key in _DEVICE_SETTINGS:
        if getattr(target.table, key) != getattr(_DEFAULTS, key):
            raise ConfigurationError(
                "the target has no .cu or .hip file; remove the key", setting=key
            )
