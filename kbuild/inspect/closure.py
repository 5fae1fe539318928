"""Find the libraries that the dynamic linker loads with a file: the closure of DT_NEEDED.

This module runs nothing. It repeats the search of the dynamic linker, in the same order.
Sources: ld.so(8), "Dynamic string tokens" and the search order; System V ABI (gABI 4.1),
"Shared Object Dependencies".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from kbuild.errors import InputError
from kbuild.facts import DynamicFacts
from kbuild.formats.elf.constants import ELF_MAGIC
from kbuild.formats.elf.file import Elf
from kbuild.inspect.file_content import open_content
from kbuild.inspect.host.references import read_dynamic
from kbuild.values import dataclass

_CONFIGURATION: Final = Path("/etc/ld.so.conf")
_DEFAULT_DIRECTORIES: Final = ("/lib64", "/usr/lib64", "/lib", "/usr/lib")
_LIB_TOKENS: Final = {"x86_64": "lib64", "aarch64": "lib64"}
_MAX_INCLUDES: Final = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Closure:
    """The libraries that a set of files loads.

    ``libraries`` excludes the files themselves and is in load order. ``missing`` has a pair
    (file that needs it, name) for each library that was not found.
    """

    libraries: tuple[Path, ...]
    missing: tuple[tuple[Path, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Loader:
    """A file that needs libraries, and the DT_RPATH directories that it inherits."""

    path: Path
    machine: str
    dynamic: DynamicFacts
    rpaths: tuple[Path, ...]


def find_closure(files: Iterable[Path], library_path: tuple[Path, ...] = ()) -> Closure:
    """Find the libraries that the dynamic linker loads with ``files``.

    Args:
        files: Executables and shared objects; other files need no libraries.
        library_path: The directories of LD_LIBRARY_PATH.
    """
    given = [file.resolve() for file in files]
    known = set(given)
    found: list[Path] = []
    missing: dict[tuple[Path, str], None] = {}
    queue = [loader for file in given if (loader := _read_loader(file, ()))]
    system = (*_read_configured_directories(), *map(Path, _DEFAULT_DIRECTORIES))
    for loader in queue:
        for name in loader.dynamic.needed:
            path = _find(loader, name, library_path, system)
            if path is None:
                missing[loader.path, name] = None
            elif path not in known:
                known.add(path)
                found.append(path)
                following = _read_loader(path, _own_rpaths(loader))
                queue += [following] if following else []
    return Closure(libraries=tuple(found), missing=tuple(missing))


def _read_loader(path: Path, rpaths: tuple[Path, ...]) -> _Loader | None:
    """Return the dynamic section of a file; None if it is not a dynamically linked ELF file."""
    try:
        content = open_content(path)
        if bytes(content[: len(ELF_MAGIC)]) != ELF_MAGIC:
            return None
        elf = Elf(content)
        dynamic = read_dynamic(elf)
    except InputError:
        # Inspecting the file itself reports what is wrong with it.
        return None
    if dynamic is None:
        return None
    return _Loader(path=path, machine=elf.machine, dynamic=dynamic, rpaths=rpaths)


def _own_rpaths(loader: _Loader) -> tuple[Path, ...]:
    """Return the DT_RPATHs for libraries of the file: its own, then those of its loaders."""
    own = () if loader.dynamic.runpath else _expand(loader, loader.dynamic.rpath)
    return (*own, *loader.rpaths)


def _find(
    loader: _Loader, name: str, library_path: tuple[Path, ...], system: tuple[Path, ...]
) -> Path | None:
    if "/" in name:
        path = _expand_tokens(loader, name)
        return path.resolve() if path.is_file() else None
    # DT_RUNPATH disables DT_RPATH, including inherited ones, and applies only to this file.
    first = () if loader.dynamic.runpath else _own_rpaths(loader)
    runpath = _expand(loader, loader.dynamic.runpath)
    for directory in (*first, *library_path, *runpath, *system):
        path = directory / name
        if path.is_file() and _fits(path, loader.machine):
            return path.resolve()
    return None


def _fits(path: Path, machine: str) -> bool:
    """Return whether the file is for this machine; the dynamic linker skips others."""
    try:
        return Elf(open_content(path)).machine == machine
    except InputError:
        return False


def _expand(loader: _Loader, paths: Iterable[str]) -> tuple[Path, ...]:
    return tuple(_expand_tokens(loader, path) for path in paths)


def _expand_tokens(loader: _Loader, path: str) -> Path:
    library = _LIB_TOKENS.get(loader.machine, "lib")
    for token, value in (
        ("ORIGIN", str(loader.path.parent)),
        ("LIB", library),
        ("PLATFORM", loader.machine),
    ):
        path = path.replace(f"${{{token}}}", value).replace(f"${token}", value)
    return Path(path)


def _read_configured_directories(configuration: Path = _CONFIGURATION) -> Iterator[Path]:
    """Yield the directories in the configuration of ``ldconfig``, in order."""
    rest, budget = [configuration], _MAX_INCLUDES
    while rest and budget:
        budget -= 1
        try:
            lines = rest.pop(0).read_text("utf-8", "replace").splitlines()
        except OSError:
            continue
        for line in lines:
            text = line.partition("#")[0].strip()
            if text.startswith("include"):
                pattern = configuration.parent / text.removeprefix("include").strip()
                rest += sorted(Path("/").glob(str(pattern).lstrip("/")))
            elif text:
                yield Path(text)
