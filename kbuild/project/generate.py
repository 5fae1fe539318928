"""Generate the CMake project of a manifest."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kbuild.backends.host_options import group_words
from kbuild.project.directory import BuildDirectory
from kbuild.project.environment import predict_compilers
from kbuild.project.link_options import select_link_options
from kbuild.project.manifest.sources import is_kernel_source
from kbuild.project.manifest.tables import Manifest, ManifestTarget, ProfileTable
from kbuild.stages.render import render

_BUILD_TYPES: Final = {"release": "Release", "debug": "Debug"}
_ARTIFACT_NAMES: Final = {
    "object": "{}.o",
    "static": "lib{}.a",
    "shared": "lib{}.so",
    "module": "lib{}.so",
    "executable": "{}",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildSettings:
    """The options of ``kbuild build`` and ``kbuild run`` that affect the generated project.

    ``optimization`` replaces the level of the profile: what follows ``-O`` in a compiler's options.
    """

    profile: str
    device_jobs: int | None = None
    optimization: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedProject:
    """A CMake project that kbuild generates, and what its configuration depends on.

    Attributes:
        content: The content of its ``CMakeLists.txt``.
        targets: The targets whose artifacts are in directories of the build directory.
        kernel_targets: The targets that `kbuild plan` plans.
        compilers: The compilers that CMake and `kbuild plan` will probably find.
        manifest: The file that describes the targets, or None if there is no such file.
        obsolete: The artifacts of targets that had another kind before.
    """

    content: bytes
    targets: tuple[str, ...]
    kernel_targets: tuple[str, ...]
    compilers: tuple[Path, ...]
    manifest: Path | None = None
    obsolete: tuple[Path, ...] = ()


def locate_artifact(directory: BuildDirectory, target: ManifestTarget) -> Path:
    """Return the path of a target's artifact."""
    name = _ARTIFACT_NAMES[target.table.kind].format(target.name)
    return directory.root / target.name / name


def locate_usage_file(directory: BuildDirectory, target: ManifestTarget) -> Path:
    """Return the path of the target's ``.pc`` file, which CMake writes."""
    return directory.root / target.name / f"{target.name}.pc"


def generate_project(
    manifest: Manifest, directory: BuildDirectory, settings: BuildSettings
) -> GeneratedProject:
    """Return the CMake project of a manifest.

    Raises:
        ToolchainError: CXX names a compiler that does not exist.
    """
    profile = manifest.find_profile(settings.profile)
    with_kernels = tuple(target for target in manifest.targets if not target.is_plain_program)
    names = tuple(target.name for target in with_kernels)
    compilers = directory.list_compiler_files(names)
    choices = ((target.table.backend, target.table.host_compiler) for target in with_kernels)
    files = (*((manifest.path,) if manifest.path else ()), *manifest.policies)
    rows = {
        "build_type": _BUILD_TYPES[settings.profile],
        "build_options": _list_build_options(settings),
        "device_jobs": settings.device_jobs,
        "inputs": (directory.environment, *files, *compilers),
        "source_root": manifest.root,
        "output": directory.root,
        "languages": "C CXX" if any(map(_has_c_source, manifest.targets)) else "CXX",
        "targets": [describe_target(manifest, target, profile) for target in manifest.targets],
    }
    return GeneratedProject(
        content=render("project.cmake.j2", rows),
        targets=tuple(target.name for target in manifest.targets),
        kernel_targets=names,
        compilers=tuple(predict_compilers(choices)),
        manifest=manifest.path,
        obsolete=tuple(
            path for target in manifest.targets for path in _list_other_kinds(directory, target)
        ),
    )


def _list_other_kinds(directory: BuildDirectory, target: ManifestTarget) -> Iterator[Path]:
    artifact = locate_artifact(directory, target)
    names = (name.format(target.name) for name in _ARTIFACT_NAMES.values())
    return (artifact.with_name(name) for name in names if name != artifact.name)


def _list_build_options(settings: BuildSettings) -> tuple[str, ...]:
    """Return the options that replace those of CMake's build type; none if they stay."""
    if settings.optimization is None:
        return ()
    debug = ("-g",) if settings.profile == "debug" else ()
    return (f"-O{settings.optimization}", *debug)


def describe_target(
    manifest: Manifest, target: ManifestTarget, profile: ProfileTable
) -> dict[str, Any]:
    """Return a target as the templates write it: CMake's commands, and kbuild's keywords."""
    table = target.table
    root = manifest.root
    includes = tuple(root / path for path in table.include_directories)
    definitions = (*table.definitions, *profile.definitions)
    options = (*table.compile_options, *profile.compile_options)
    kernel_sources = tuple(path for path in target.sources if is_kernel_source(path))
    return {
        "name": target.name,
        "kind": table.kind,
        "has_host_code": target.has_host_code,
        "is_plain_program": target.is_plain_program,
        "host_sources": [path for path in target.sources if not is_kernel_source(path)],
        "commands": {
            "target_include_directories": includes,
            "target_compile_definitions": definitions,
            "target_compile_options": tuple(map(_join_option, group_words(table.host_options))),
            "target_link_options": select_link_options(table.host_options),
            "target_link_directories": tuple(root / path for path in table.link_directories),
            "target_link_libraries": table.link_libraries,
        },
        "keywords": _list_settings(manifest, target, profile)
        | (
            {
                "PRIVATE": kernel_sources,
                "DEVICE_OPTIONS": options,
                "WEAK_INSTANCES": ("ON",) if target.table.weak_instances else (),
            }
            if target.has_host_code
            else {
                "SOURCES": target.sources,
                "INCLUDE_DIRECTORIES": includes,
                "DEFINITIONS": definitions,
                "COMPILE_OPTIONS": options,
            }
        ),
    }


def _join_option(words: tuple[str, ...]) -> str:
    """Return an option as one item, because CMake removes options that repeat, such as -include."""
    return words[0] if len(words) == 1 else f"SHELL:{shlex.join(words)}"


def _list_settings(
    manifest: Manifest, target: ManifestTarget, profile: ProfileTable
) -> dict[str, tuple[object, ...]]:
    """Return the keywords that kbuild's two functions share, with their values."""
    table = target.table
    debug_stubs = table.debug_stubs if profile.debug_stubs is None else profile.debug_stubs
    single = {
        "BACKEND": table.backend,
        "DEBUG_STUBS": "SYMBOLS" if debug_stubs == "symbols" else _on_off(debug_stubs),
        "RDC": _on_off(table.rdc),
        "CHECK": "ON" if table.check else None,
        "RUNTIME": table.runtime,
        "COMPRESSION": table.compression,
        "VISIBILITY": table.visibility,
        "DEVICE_STANDARD": table.device_standard,
        "HOST_COMPILER": table.host_compiler,
        "VERIFY": _on_off(table.verify if profile.verify is None else profile.verify),
        "POLICY": manifest.find_policy(target),
    }
    return {
        **{keyword: (value,) for keyword, value in single.items() if value is not None},
        "HEADERS": tuple(manifest.root / header for header in table.headers),
        "ARCHITECTURES": table.architectures,
    }


def _has_c_source(target: ManifestTarget) -> bool:
    return target.has_host_code and any(path.suffix == ".c" for path in target.sources)


def _on_off(value: bool) -> str:
    return "ON" if value else "OFF"
