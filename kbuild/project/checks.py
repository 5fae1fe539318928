"""Checks a manifest against this machine, as the plan will, before a folder is made for it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from kbuild import process
from kbuild.backends import find_builder
from kbuild.errors import ConfigurationError, KbuildError, ToolchainError
from kbuild.project.manifest import Manifest, ManifestTarget
from kbuild.stages.paths import UNSAFE_IN_ROOT, check_path
from kbuild.stages.plan import plan_target
from kbuild.stages.target import STANDARDS, TargetSpec
from kbuild.toolchain.find import find_program

# The C++ compilers that CMake looks for first.
_CMAKE_COMPILERS: Final = ("c++", "g++", "clang++")


def check_targets(manifest: Manifest, output: Path | None = None) -> None:
    """Plan every target, for the errors.

    ``output`` is the folder that they are built in.  Raises what `plan_target` raises, and
    ConfigurationError for a header or an include directory that is not there, naming file and
    key, or for an output folder that CMake cannot work in.
    """
    if output is not None:
        check_path(output, "the output folder", UNSAFE_IN_ROOT)
    for target in manifest.targets:
        _check_files(manifest, target)
        _check_standard(manifest, target)
        _check_plan(manifest, target, output or manifest.root)


def _name_key(manifest: Manifest, target: ManifestTarget, key: str) -> str:
    return f"{manifest.path}: [target.{target.name}].{key}"


def _check_files(manifest: Manifest, target: ManifestTarget) -> None:
    table = target.table
    headers = _name_key(manifest, target, "headers")
    for path in (manifest.root / header for header in table.headers):
        check_path(path, headers)
        if not path.is_file():
            raise ConfigurationError(f"{headers}: {path}: no such file")
    folders = _name_key(manifest, target, "include_directories")
    for path in (manifest.root / folder for folder in table.include_directories):
        check_path(path, folders)
        if not path.is_dir():
            raise ConfigurationError(f"{folders}: {path}: no such folder")
    if table.policy:
        check_path(manifest.root / table.policy, _name_key(manifest, target, "policy"))


def _check_standard(manifest: Manifest, target: ManifestTarget) -> None:
    standard = str(target.table.device_standard)
    if standard not in STANDARDS:
        where = _name_key(manifest, target, "device_standard")
        raise ConfigurationError(f"{where}: {standard} is none of {', '.join(STANDARDS)}")


def _check_plan(manifest: Manifest, target: ManifestTarget, output: Path) -> None:
    try:
        plan = plan_target(_describe(manifest, target, output))
    except KbuildError as error:
        if isinstance(error, ToolchainError) and _chooses_compilers():
            return
        where = f"{manifest.path}: [target.{target.name}]"
        if error.setting is not None:
            where = _name_key(manifest, target, error.setting.lower())
        message = str(error).removeprefix(f"{error.setting}: ")
        raise type(error)(f"{where}: {message}") from error
    misread = find_builder(plan.pack.backend).TRAITS.unsafe.include_directories
    for folder in target.table.include_directories:
        where = _name_key(manifest, target, "include_directories")
        check_path(manifest.root / folder, where, misread)


def _chooses_compilers() -> bool:
    """Whether a file says what compilers CMake takes, which only CMake can read."""
    return bool(process.select_environment(("CMAKE_TOOLCHAIN_FILE",)))


def _describe(manifest: Manifest, target: ManifestTarget, output: Path) -> TargetSpec:
    """The target as ``kbuild_add_kernels`` will hand it over, as far as that can be known."""
    table = target.table
    return TargetSpec(
        name=target.name,
        kind=table.kind,
        backend=table.backend,
        sources=target.sources,
        source_root=manifest.root,
        output_directory=output,
        architectures=table.architectures,
        headers=tuple(manifest.root / header for header in table.headers),
        rdc="ON" if table.rdc else "OFF",
        compression=table.compression or "balance",
        runtime=table.runtime,
        standard=str(table.device_standard),
        host_compiler=table.host_compiler,
        compilers=_find_compilers(),
        stub_suffix=".cpp",
    )


def _find_compilers() -> tuple[tuple[str, str], ...]:
    """The C++ compiler that CMake will find."""
    chosen = process.select_environment(("CXX",)).get("CXX")
    # CMake takes the compiler's arguments with it, too.
    words = (chosen, *chosen.split()[:1]) if chosen else _CMAKE_COMPILERS
    found = next((path for path in map(find_program, words) if path), None)
    return (("CXX", str(found)),) if found else ()
