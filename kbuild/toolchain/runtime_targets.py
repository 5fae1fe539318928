"""The backends' runtimes as CMake sees them: imported targets with their run paths."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kbuild.backends import list_builders
from kbuild.backends.interface.toolchain import Runtime, ToolchainHints
from kbuild.model import RuntimeLinkage

_ORIGIN: Final = "$ORIGIN"
# What the dynamic linker searches by itself, on distributions of either kind.
_SYSTEM_FOLDERS: Final = re.compile(r"(/usr)?/lib(32|64)?(/[\w-]+-linux-gnu)?")
_SITE_NAMES: Final = ("site-packages", "dist-packages")
# How deep below site-packages a wheel may put its artifacts and still find a sibling wheel.
_DEEPEST: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeTarget:
    """One imported target; ``run_paths`` are for whatever links it.

    They reach the linker through a file: no build tool passes ``$ORIGIN`` on unharmed.
    ``obstacle`` says why nothing can be linked against it here.
    """

    name: str
    runtime: Runtime
    run_paths: tuple[str, ...] = ()
    obstacle: str | None = None

    def describe_response(self, path: Path) -> tuple[str, bytes]:
        """CMake's link option that has the file at ``path`` read, and the file's content.

        The linker reads it, but where its path has a comma, at which compilers split what they
        pass on: then the compiler does.
        """
        if "," in str(path):
            words = (f'-Xlinker -rpath -Xlinker "{folder}"\n' for folder in self.run_paths)
            return f"@{path}", "".join(words).encode()
        words = (f'-rpath "{folder}"\n' for folder in self.run_paths)
        return f"LINKER:@{path}", "".join(words).encode()


def name_runtime(backend: str, linkage: RuntimeLinkage) -> str:
    """The imported target of a backend's runtime, linked this way."""
    suffix = "" if linkage == "shared" else f"_{linkage}"
    return f"kbuild::runtime_{backend}{suffix}"


def describe_runtimes(hints: ToolchainHints, *, in_wheel: bool) -> tuple[RuntimeTarget, ...]:
    """The imported targets of all runtimes that are installed.

    A build ``in_wheel`` will be installed beside the wheel that carries the runtime, in
    another environment: its run paths are relative.
    """
    return tuple(
        target
        for builder in list_builders()
        for runtime in builder.find_runtimes(hints)
        for target in _describe(builder.TRAITS.name, runtime, in_wheel=in_wheel)
    )


def _describe(backend: str, runtime: Runtime, *, in_wheel: bool) -> Iterator[RuntimeTarget]:
    if runtime.linkage == "static":
        yield RuntimeTarget(name=name_runtime(backend, "static"), runtime=runtime)
        return
    folder = runtime.library.parent
    is_found = _SYSTEM_FOLDERS.fullmatch(str(folder)) is not None
    paths = _relative_to_sites(folder) if in_wheel else (str(folder),)
    unreachable = (
        f"{folder} is in no site-packages: a wheel cannot find the runtime there; "
        "use RUNTIME bundle or static"
    )
    yield RuntimeTarget(
        name=name_runtime(backend, "shared"),
        runtime=runtime,
        run_paths=() if is_found else paths,
        obstacle=None if paths or is_found else unreachable,
    )
    yield RuntimeTarget(name=name_runtime(backend, "bundle"), runtime=runtime, run_paths=(_ORIGIN,))


def _relative_to_sites(folder: Path) -> tuple[str, ...]:
    """``folder`` as seen from artifacts of a sibling wheel, whatever their depth."""
    for parent in folder.parents:
        if parent.name in _SITE_NAMES:
            inside = folder.relative_to(parent)
            return tuple(
                "/".join((_ORIGIN, *(("..",) * depth), str(inside)))
                for depth in range(_DEEPEST + 1)
            )
    return ()
