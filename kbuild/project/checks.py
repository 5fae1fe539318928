"""Check a manifest before anything is written: files, standards, backends, and policies."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Final

from kbuild import files
from kbuild.backends import AUTOMATIC, find_builder
from kbuild.errors import ConfigurationError
from kbuild.project.manifest import Manifest, ManifestTarget, TargetTable, error_prefix
from kbuild.project.sources import is_kernel_source
from kbuild.stages.paths import UNSAFE_IN_ROOT, check_path
from kbuild.stages.settings import check_file, check_standard
from kbuild.stages.sources.launches import find_launch

_DEVICE_KEYS: Final = frozenset(
    (
        *("backend", "architectures", "headers", "debug_stubs", "rdc", "compression", "visibility"),
        *("runtime", "compile_options", "device_standard", "host_compiler", "policy"),
    )
)


def check_manifest(manifest: Manifest, output: Path) -> None:
    """Check what can be checked without planning the targets.

    Args:
        manifest: The manifest.
        output: The build directory.

    Raises:
        ConfigurationError: CMake cannot work in ``output``, a policy is invalid, or a value of a
            target is invalid. The message names the file and the key.
    """
    check_path(output, "the output directory", UNSAFE_IN_ROOT)
    for target in manifest.targets:
        _check_target(manifest, target)
    for policy in manifest.policies:
        from kbuild.verify.policy.file import load_policy  # noqa: PLC0415 - slow to import

        # The baseline might be written from the result of this build.
        load_policy(policy, reads_baseline=False)


def _check_target(manifest: Manifest, target: ManifestTarget) -> None:
    table = target.table
    _check_launches(manifest, target)
    if target.is_plain_program:
        _check_plain_program(manifest, target)
    key = manifest.name_key(target.name, "headers")
    for path in (manifest.root / header for header in table.headers):
        check_file(path, key)
    key = manifest.name_key(target.name, "include_directories")
    for path in (manifest.root / directory for directory in table.include_directories):
        check_path(path, key)
        if not path.is_dir():
            raise ConfigurationError(f"{key}: {path}: no such directory")
    if table.policy:
        key = manifest.name_key(target.name, "policy")
        check_file(manifest.root / table.policy, key)
    check_standard(table.device_standard, manifest.name_key(target.name, "device_standard"))
    if table.backend != AUTOMATIC:
        with error_prefix(manifest.name_key(target.name, "backend")):
            find_builder(table.backend)


def _check_launches(manifest: Manifest, target: ManifestTarget) -> None:
    """Reject launches with ``<<<>>>`` in sources that C++ compilers read as they are."""
    for path in target.sources:
        line = None if is_kernel_source(path) else find_launch(files.read_file(path))
        if line is not None:
            raise ConfigurationError(
                f"{manifest.name_key(target.name, 'sources')}: {path}:{line}: a launch with <<<>>> "
                "in a C++ source, which kbuild does not rewrite; rename the file to "
                f"'{path.stem}.cu'"
            )


def _check_plain_program(manifest: Manifest, target: ManifestTarget) -> None:
    """Reject a program without kernel sources that links no other target, or has keys for them."""
    names = {other.name for other in manifest.targets if other is not target}
    if names.isdisjoint(target.table.link_libraries):
        key = manifest.name_key(target.name, "sources")
        raise ConfigurationError(f"{key}: expected at least one .cu or .hip file")
    for field in fields(TargetTable):
        if field.name in _DEVICE_KEYS and getattr(target.table, field.name) != field.default:
            key = manifest.name_key(target.name, field.name)
            raise ConfigurationError(f"{key}: the target has no .cu or .hip file; remove the key")
