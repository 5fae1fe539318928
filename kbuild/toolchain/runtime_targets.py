"""Describe the backends' runtimes as imported CMake targets with run paths."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from kbuild.backends import list_builders
from kbuild.backends.interface.toolchain import Runtime, ToolchainHints
from kbuild.model import RuntimeLinkage
from kbuild.values import dataclass, replace

_ORIGIN: Final = "$ORIGIN"
# The directories that the dynamic linker searches by default, on all distributions.
_SYSTEM_DIRECTORIES: Final = re.compile(r"(/usr)?/lib(32|64)?(/[\w-]+-linux-gnu)?")
_SITE_NAMES: Final = ("site-packages", "dist-packages")
# An artifact finds another wheel from at most this many directories below site-packages.
_MAXIMUM_DEPTH: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeTarget:
    """One imported target.

    ``backend`` is the name of the backend whose runtime it is. ``run_paths`` are for the artifacts
    that link it. They reach the linker through a file, because no build tool passes ``$ORIGIN`` on
    unchanged. ``obstacle`` is None, or says why artifacts cannot be linked to it here.
    """

    name: str
    backend: str
    runtime: Runtime
    run_paths: tuple[str, ...] = ()
    obstacle: str | None = None

    def describe_response(self, path: Path) -> tuple[str, bytes]:
        """Return a link option for CMake that reads a response file, and the file's content.

        Usually, the linker reads the file. If the path has a comma, the compiler reads it, because
        compilers split the options that they pass to the linker at commas.

        Args:
            path: The path of the response file.
        """
        if "," in str(path):
            words = (f'-Xlinker -rpath -Xlinker "{directory}"\n' for directory in self.run_paths)
            return f"@{path}", "".join(words).encode()
        words = (f'-rpath "{directory}"\n' for directory in self.run_paths)
        return f"LINKER:@{path}", "".join(words).encode()


def name_runtime(backend: str, linkage: RuntimeLinkage) -> str:
    """Return the name of the imported target of a backend's runtime."""
    suffix = "" if linkage == "shared" else f"_{linkage}"
    return f"kbuild::runtime_{backend}{suffix}"


def describe_runtimes(hints: ToolchainHints, *, in_wheel: bool) -> tuple[RuntimeTarget, ...]:
    """Describe the imported targets of all runtimes that are installed.

    Args:
        hints: Where to look for runtimes.
        in_wheel: Whether the artifacts become part of a wheel. It is installed beside the wheel
            with the runtime, in another environment, so that the run paths must be relative.
    """
    targets = tuple(
        target
        for builder in list_builders()
        for runtime in builder.find_runtimes(hints)
        for target in _describe(builder.TRAITS.name, runtime, in_wheel=in_wheel)
    )
    return (*targets, *_describe_host_apis(targets))


def _describe_host_apis(targets: Iterable[RuntimeTarget]) -> Iterator[RuntimeTarget]:
    """Describe one target per runtime that has a library with the C names of its host API."""
    for target in targets:
        if library := target.runtime.host_api:
            runtime = replace(
                target.runtime,
                linkage="static",
                library=library,
                link_libraries=(target.name,),
            )
            name = target.name.replace("::runtime_", "::host_api_")
            yield replace(target, name=name, runtime=runtime, run_paths=())


def _describe(backend: str, runtime: Runtime, *, in_wheel: bool) -> Iterator[RuntimeTarget]:
    if runtime.linkage == "static":
        yield RuntimeTarget(name=name_runtime(backend, "static"), backend=backend, runtime=runtime)
        return
    directory = runtime.library.parent
    is_found = _SYSTEM_DIRECTORIES.fullmatch(str(directory)) is not None
    paths = _list_relative_paths(directory) if in_wheel else (str(directory),)
    unreachable = (
        f"a wheel cannot find the runtime in {directory}, which is outside of site-packages; "
        "use RUNTIME bundle or static"
    )
    yield RuntimeTarget(
        name=name_runtime(backend, "shared"),
        backend=backend,
        runtime=runtime,
        run_paths=() if is_found else paths,
        obstacle=None if paths or is_found else unreachable,
    )
    yield RuntimeTarget(
        name=name_runtime(backend, "bundle"),
        backend=backend,
        runtime=runtime,
        run_paths=(_ORIGIN,),
    )


def _list_relative_paths(directory: Path) -> tuple[str, ...]:
    """List the paths from the artifacts of another wheel to ``directory``, one per depth.

    Returns an empty tuple if the directory is outside of site-packages.
    """
    for parent in directory.parents:
        if parent.name in _SITE_NAMES:
            inside = directory.relative_to(parent)
            return tuple(
                "/".join((_ORIGIN, *(("..",) * depth), str(inside)))
                for depth in range(_MAXIMUM_DEPTH + 1)
            )
    return ()
