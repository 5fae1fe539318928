"""Configures a build folder for what a manifest asks for, unless it is configured for that."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from kbuild.project.checks import check_targets
from kbuild.project.cmake import CMakeBuild, configure, find_build_tools, write_project
from kbuild.project.directory import (
    BuildFolder,
    begin_configuration,
    claim_folder,
    forget_configuration,
)
from kbuild.project.manifest import Manifest, ManifestTarget, read_manifest
from kbuild.project.state import (
    BuildRequest,
    BuildState,
    FileMark,
    SourcePattern,
    TargetOutput,
    mark_files,
    write_state,
)
from kbuild.stages.edges import read_edge
from kbuild.verify.policy.file import load_policy

_BUILD_TYPES: Final = {"release": "Release", "debug": "Debug"}
_FILE_NAMES: Final = {
    "object": "{}.o",
    "static": "lib{}.a",
    "shared": "lib{}.so",
    "module": "lib{}.so",
}


def check_manifest(path: Path, output: Path | None = None) -> Manifest:
    """The manifest at ``path``, with all that can be wrong with it found before CMake is started.

    ``output`` is the folder that it is built in.  Raises KbuildError as `read_manifest`,
    `load_policy` and `check_targets` do.  The first baseline is written of what is built: that
    one is missing is said later.
    """
    manifest = read_manifest(path)
    for policy in _list_policies(manifest):
        load_policy(policy, reads_baseline=False)
    check_targets(manifest, output)
    return manifest


def configure_folder(
    folder: BuildFolder,
    request: BuildRequest,
    former: BuildState | None,
    on_line: Callable[[str], None],
) -> BuildState:
    """Write the CMake project of the request's manifest, and have CMake configure it.

    ``former`` is what the folder is configured for.  Raises KbuildError for a manifest or a
    machine that it cannot be done for; the folder is not configured then.
    """
    own = mark_files((request.manifest,))
    manifest = check_manifest(request.manifest, folder.root)
    claim_folder(folder, tuple(target.name for target in manifest.targets))
    if former is None or not _is_of_same_place(former.request, request):
        forget_configuration(folder)
    begin_configuration(folder)
    for target in manifest.targets:
        _remove_other_kinds(folder, target)
    tools = find_build_tools()
    write_project(manifest, folder, manifest.profile(request.profile))
    jobs = request.device_jobs
    project = CMakeBuild(
        source=folder.project,
        build=folder.cmake,
        definitions=(
            f"CMAKE_BUILD_TYPE={_BUILD_TYPES[request.profile]}",
            *(() if jobs is None else (f"KBUILD_DEVICE_JOBS={jobs}",)),
        ),
        undefined=("KBUILD_DEVICE_JOBS",) if jobs is None else (),
    )
    configure(project, tools, on_line)
    state = BuildState(
        request=request,
        files=(*own, *_mark_others(manifest, folder, (tools.cmake, tools.ninja))),
        patterns=_list_patterns(manifest),
        outputs=tuple(_locate_output(folder, target) for target in manifest.targets),
        ninja=tools.ninja,
    )
    write_state(folder, state)
    return state


def _is_of_same_place(former: BuildRequest, request: BuildRequest) -> bool:
    """Whether what CMake remembers still holds: it knows folders, and compilers by variables."""
    return (former.folder, former.environment) == (request.folder, request.environment)


def _remove_other_kinds(folder: BuildFolder, target: ManifestTarget) -> None:
    """Remove what the target left when it was of another kind."""
    artifact = _locate_output(folder, target).artifact
    for name in _FILE_NAMES.values():
        other = artifact.with_name(name.format(target.name))
        if other != artifact:
            other.unlink(missing_ok=True)


def _mark_others(
    manifest: Manifest, folder: BuildFolder, tools: tuple[Path, ...]
) -> tuple[FileMark, ...]:
    """What the plan was made by: policies, build tools, and the compilers that it found."""
    compilers: dict[Path, None] = {}
    for target in manifest.targets:
        for path in sorted((folder.cmake / "kbuild" / target.name).glob("*.edge")):
            if path.name.endswith(".linked.edge"):  # of a device link: by the same toolchains
                continue
            toolchain = read_edge(path).toolchain
            found = (toolchain.compiler, toolchain.host_compiler, toolchain.packer)
            compilers.update((tool, None) for tool in found if tool)
    policies = (path for path in _list_policies(manifest) if path != manifest.path)
    return mark_files((*policies, *tools, *compilers))


def _list_policies(manifest: Manifest) -> tuple[Path, ...]:
    own = (
        manifest.root / target.table.policy for target in manifest.targets if target.table.policy
    )
    found = (*own, *((manifest.policy,) if manifest.policy else ()))
    return tuple(dict.fromkeys(found))


def _list_patterns(manifest: Manifest) -> tuple[SourcePattern, ...]:
    return tuple(pattern for target in manifest.targets for pattern in target.patterns)


def _locate_output(folder: BuildFolder, target: ManifestTarget) -> TargetOutput:
    name = _FILE_NAMES[target.table.kind].format(target.name)
    return TargetOutput(target=target.name, artifact=folder.root / target.name / name)
