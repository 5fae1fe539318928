"""Check a manifest before anything is written: files, standards, backends, and policies."""

from __future__ import annotations

from pathlib import Path

from kbuild import files
from kbuild.backends import AUTOMATIC, find_builder
from kbuild.errors import ConfigurationError
from kbuild.project.manifest import Manifest, ManifestTarget, error_prefix
from kbuild.project.sources import is_kernel_source
from kbuild.stages.paths import UNSAFE_IN_ROOT, check_path
from kbuild.stages.sources.launches import find_launch
from kbuild.stages.target import STANDARDS


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
    key = manifest.name_key(target.name, "headers")
    for path in (manifest.root / header for header in table.headers):
        check_path(path, key)
        if not path.is_file():
            raise ConfigurationError(f"{key}: {path}: no such file")
    key = manifest.name_key(target.name, "include_directories")
    for path in (manifest.root / directory for directory in table.include_directories):
        check_path(path, key)
        if not path.is_dir():
            raise ConfigurationError(f"{key}: {path}: no such directory")
    if table.policy:
        key = manifest.name_key(target.name, "policy")
        policy = manifest.root / table.policy
        check_path(policy, key)
        if not policy.is_file():
            raise ConfigurationError(f"{key}: {policy}: no such file")
    if str(table.device_standard) not in STANDARDS:
        key = manifest.name_key(target.name, "device_standard")
        raise ConfigurationError(
            f"{key}: unsupported standard {table.device_standard}; "
            f"expected one of {', '.join(STANDARDS)}"
        )
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
    if target.has_host_code and not any(map(is_kernel_source, target.sources)):
        key = manifest.name_key(target.name, "sources")
        raise ConfigurationError(f"{key}: expected at least one .cu or .hip file")
