"""Find kbuild's own files: the CMake package, templates, headers, and device runtimes.

In a checkout, kbuild uses the directories of the repository, so that an edit takes effect
immediately. A wheel contains the same directories inside the package.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Final

from kbuild import __version__, process
from kbuild.errors import ConfigurationError, ToolchainError
from kbuild.files import sha256, write_file

_PACKAGE: Final = Path(__file__).resolve().parent
_CHECKOUT: Final = _PACKAGE.parent
_RUNTIME_DIRECTORY: Final = "lib"
# Tells a toolkit directory of kbuild from one of NVIDIA.
TOOLKIT_MARKER: Final = ".kbuild-toolkit"
_DRIVER: Final = "kbuild-nvcc"


def is_checkout() -> bool:
    """Return whether kbuild runs from its source tree."""
    return (_CHECKOUT / "pyproject.toml").is_file() and (_CHECKOUT / "cmake").is_dir()


def _find_directory(name: str) -> Path:
    return (_CHECKOUT if is_checkout() else _PACKAGE) / name


def cmake_directory() -> Path:
    """Return the directory with ``kbuild-config.cmake``."""
    return _find_directory("cmake")


def templates_directory() -> Path:
    """Return the directory with the Jinja2 templates for all generated files."""
    return _find_directory("templates")


def examples_directory() -> Path:
    """Return the directory with the example projects."""
    return _find_directory("examples")


def is_own_driver(compiler: Path) -> bool:
    """Return whether a compiler is kbuild's own driver, which looks for nvcc itself."""
    resolved = compiler.resolve()
    return resolved.name == _DRIVER or (resolved.parent.parent / TOOLKIT_MARKER).is_file()


def native_directory() -> Path:
    """Return the directory with host headers (``include``) and device headers (``device``)."""
    return _PACKAGE / "native"


def _list_files() -> Iterator[str]:
    """Yield the files that determine the output of a build: code, templates, and headers.

    There are a thousand, and a `Path` of each one takes longer than the rest.
    """
    for directory, suffixes in (
        (_PACKAGE, (".py",)),
        (native_directory(), ("",)),
        (templates_directory(), ("",)),
        (cmake_directory(), (".cmake",)),
    ):
        for parent, _, names in os.walk(directory):
            if not parent.endswith("__pycache__"):
                yield from (f"{parent}/{name}" for name in names if name.endswith(suffixes))


def list_dependencies() -> tuple[Path, ...]:
    """List the files of kbuild whose change runs CMake again, for a build without ``kbuild build``.

    The metadata have the version in their path. An upgrade therefore removes them, even if the
    installer gives new files old times.
    """
    metadata = _PACKAGE.parent.glob(f"kbuild-{__version__}*.dist-info/METADATA")
    return tuple(Path(name) for name in sorted((*_list_files(), *map(str, metadata))))


def find_installation_time() -> int:
    """Return when the newest of kbuild's own files was installed, in ns since the epoch.

    This is the status change time (ctime), which programs cannot set back. It is faster than
    `identify_installation`, but it also changes if the same files are installed again.
    """
    return _describe_files()[0]


@cache
def identify_headers() -> str:
    """Return what changes if the headers for host code, or the sources beside them, change."""
    directory = native_directory()
    beside = (path for path in directory.iterdir() if path.is_file())
    found = sorted(map(str, (*beside, *(directory / "include").rglob("*"))))
    return sha256(_describe_status(found).encode(errors="surrogateescape"))


def _describe_status(names: Iterable[str]) -> str:
    described = ((name, os.stat(name)) for name in names)  # noqa: PTH116 - see _list_files
    return "".join(f"{name} {each.st_size} {each.st_ctime_ns}\n" for name, each in described)


@cache
def _describe_files() -> tuple[int, str]:
    """Return the newest status change time of the files, and a digest of their status."""
    described = sorted((name, os.stat(name)) for name in _list_files())  # noqa: PTH116 - see there
    lines = (f"{name} {status.st_size} {status.st_ctime_ns}\n" for name, status in described)
    newest = max(status.st_ctime_ns for _, status in described)
    return newest, sha256("".join(lines).encode(errors="surrogateescape"))


@cache
def identify_installation() -> str:
    """Return the version and a digest of kbuild's own files, which identify this installation.

    Reading a thousand files takes longer than everything else that a small call does, so the user's
    cache has the digest of files with this status.
    """
    try:
        known = find_cache("installations") / _describe_files()[1]
        return known.read_text()
    except ConfigurationError:
        return _read_identity()
    except OSError:
        identity = _read_identity()
        with contextlib.suppress(OSError):  # the cache can be read-only
            write_file(known, identity.encode())
        return identity


def _read_identity() -> str:
    contents = b"".join(map(_read, sorted(_list_files())))
    return f"{__version__}+{sha256(contents)[:16]}"


def _read(name: str) -> bytes:
    with open(name, "rb", buffering=0) as stream:  # noqa: PTH123 - see _list_files
        return stream.read()


def find_cache(name: str) -> Path:
    """Return the directory in the user's cache for one purpose.

    Source: the XDG base directory specification.

    Raises:
        ConfigurationError: The user has no home directory.
    """
    variables = process.select_environment(("XDG_CACHE_HOME",))
    root = variables.get("XDG_CACHE_HOME", "")
    try:
        cache = Path(root) if Path(root).is_absolute() else Path.home() / ".cache"
    except RuntimeError as error:
        raise ConfigurationError(
            "the user has no home directory for caches; set XDG_CACHE_HOME to a directory"
        ) from error
    return cache / "kbuild" / name


def is_installed(library: Path) -> bool:
    """Return whether a path from `find_runtime` belongs to the installation, not to the cache."""
    return not library.is_relative_to(find_cache("runtimes"))


@cache
def find_runtime(file_name: str) -> Path:
    """Return the path of a compiled device runtime.

    An editable install keeps compiled files next to the installed metadata instead of in the
    checkout. If kbuild was installed without compiled parts, this is a path in the user's cache,
    and the file exists after the runtime was built there.

    Raises:
        ConfigurationError: The user has no home directory.
    """
    candidates = [_PACKAGE / _RUNTIME_DIRECTORY / file_name]
    if is_checkout():
        from importlib import metadata  # noqa: PLC0415 - imports slowly, rarely needed

        try:
            installed = metadata.distribution("kbuild")
        except metadata.PackageNotFoundError:
            pass
        else:
            located = Path(str(installed.locate_file("kbuild")))
            candidates.append(located / _RUNTIME_DIRECTORY / file_name)
    for candidate in candidates:
        if candidate.is_file():
            return candidate
    return find_runtime_cache() / _RUNTIME_DIRECTORY / file_name


def find_runtime_cache() -> Path:
    """Return the directory in the user's cache for runtimes that this kbuild builds itself.

    Machines can share a home directory, so the name contains the processor and the C library.
    """
    machine = f"{os.uname().machine}-{os.confstr('CS_GNU_LIBC_VERSION')}".replace(" ", "-")
    return find_cache("runtimes") / f"{identify_installation()}-{machine}"


def cmake_package() -> ModuleType:
    """Return the CMake directory as a package, for the ``cmake.root`` entry point.

    scikit-build-core passes it to ``importlib.resources.files``, which only needs a spec.
    """
    from importlib.util import module_from_spec, spec_from_file_location  # noqa: PLC0415 - slow

    directory = cmake_directory()
    spec = spec_from_file_location(
        "kbuild.cmake", directory / "__init__.py", submodule_search_locations=[str(directory)]
    )
    if spec is None:
        raise ToolchainError(f"cannot create a package for {directory}")
    return module_from_spec(spec)


def __getattr__(name: str) -> ModuleType:
    # The entry point refers to an attribute. Creating it on demand keeps imports fast.
    if name == "CMAKE_PACKAGE":
        return cmake_package()
    raise AttributeError(name)
