"""Describe the options with which a compiler uses kernels in builds without CMake."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kbuild.backends.interface.build import Builder
from kbuild.backends.interface.toolchain import Runtime
from kbuild.errors import ConfigurationError, InputError, ToolchainError
from kbuild.facts import ArtifactFacts
from kbuild.files import read_file
from kbuild.inspect import inspect_path
from kbuild.resources import native_directory
from kbuild.toolchain.find import choose_backend, gather_hints


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """The options for host code: of its compiler, and of its linker."""

    cflags: tuple[str, ...]
    libs: tuple[str, ...]


def read_usage(path: Path) -> Usage:
    """Read the ``.pc`` file that CMake wrote for the build tree of a target."""
    fields: dict[str, tuple[str, ...]] = {"Cflags": (), "Libs": ()}
    for line in read_file(path).decode(errors="surrogateescape").splitlines():
        key, _, value = line.partition(": ")
        if key in fields:
            words = shlex.split(value)
            fields[key] = tuple(w.replace("${pcfiledir}", str(path.parent)) for w in words)
    return Usage(cflags=fields["Cflags"], libs=fields["Libs"])


def describe_backend(name: str) -> Usage:
    """Return what host code needs of a backend: its headers and its shared runtime.

    Raises:
        ConfigurationError: The backend is unknown.
        ToolchainError: Its runtime is not installed.
    """
    return _describe_runtime(choose_backend(name, gather_hints()), is_linked=True)


def describe_artifact(path: Path) -> Usage:
    """Return what host code needs to launch the kernels in an artifact that kbuild built.

    The generated headers are looked for in the places where CMake and ``kbuild build`` put them.

    Raises:
        InputError: The file cannot be read or linked, or kbuild did not build it.
        ToolchainError: The runtime is not installed.
    """
    path = path.absolute()
    artifacts = inspect_path(path)
    records = [module.record for facts in artifacts for module in facts.modules]
    if not records:
        raise InputError(f"{path}: no kernel target of kbuild; name an artifact that kbuild built")
    kinds = {facts.kind for facts in artifacts}
    if not kinds <= {"object", "shared-object"}:
        raise InputError(
            f"{path}: cannot be linked; name an object, an archive, or a shared object"
        )
    backends = {record.backend for record in records}
    if len(backends) > 1:
        names = " and ".join(sorted(backends))
        raise InputError(f"{path}: has kernels for {names}; name an artifact with one backend")
    is_shared = "shared-object" in kinds
    builder = choose_backend(backends.pop(), gather_hints())
    runtime = _describe_runtime(
        builder, is_linked=not is_shared or _needs_runtime(artifacts, builder)
    )
    headers = (found for record in records for found in _find_headers(path, record.target))
    linked = (f"-Wl,-rpath,{path.parent}",) if is_shared else ()
    return Usage(
        cflags=(*dict.fromkeys(f"-I{directory}" for directory in headers), *runtime.cflags),
        libs=(str(path), *linked, *runtime.libs),
    )


def _needs_runtime(artifacts: tuple[ArtifactFacts, ...], builder: Builder) -> bool:
    """Return whether a shared object needs the shared runtime, instead of containing a copy."""
    backend = builder.TRAITS.name
    found = [r.linkage for facts in artifacts for r in facts.runtimes if r.backend == backend]
    return "static" not in found


def _find_headers(path: Path, target: str) -> Iterator[Path]:
    directory = path.parent
    for candidate in (
        directory / "include",
        directory.parent / "include",
        directory / "kbuild" / target / "include",
    ):
        if (candidate / f"{target}_kernels.h").is_file():
            yield candidate


def _describe_runtime(builder: Builder, *, is_linked: bool) -> Usage:
    hints = gather_hints()
    runtimes = builder.find_runtimes(hints)
    runtime = next((runtime for runtime in runtimes if runtime.linkage == "shared"), None)
    if runtime is None:
        raise ToolchainError(
            f"the runtime of backend {builder.TRAITS.name} is not installed; "
            "kbuild doctor lists what is"
        )
    if is_linked and builder.provide_runtimes:
        builder.provide_runtimes(hints)
    include = (native_directory() / "include", *runtime.include_directories)
    return Usage(
        cflags=(
            *(f"-I{directory}" for directory in include),
            *(f"-D{definition}" for definition in runtime.definitions),
        ),
        libs=_link_runtime(runtime) if is_linked else (),
    )


def _link_runtime(runtime: Runtime) -> tuple[str, ...]:
    directory = runtime.library.parent
    libraries = (f"-l{name}" for name in runtime.link_libraries)
    return (
        *(f"-L{directory}", f"-l:{runtime.library.name}", f"-Wl,-rpath,{directory}"),
        *libraries,
    )


def check_usage_file(path: Path, target: str, kind: str) -> None:
    """Raise ConfigurationError if a target of a manifest has no file that `read_usage` can read."""
    if kind in ("module", "executable"):
        raise ConfigurationError(
            f"target {target!r} is of kind {kind!r}, which cannot be linked; "
            "expected object, static, or shared"
        )
    if not path.is_file():
        raise ConfigurationError(f"target {target!r} is not built; run: kbuild build {target}")
