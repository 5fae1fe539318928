"""The libraries that a file brings into its process: the closure of DT_NEEDED.

Nothing is run: what the dynamic linker would do is done here, in its order.  Sources:
ld.so(8), "Dynamic string tokens" and the order of the search; System V ABI (gABI 4.1),
"Shared Object Dependencies".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kbuild.errors import InputError
from kbuild.facts import DynamicFacts
from kbuild.formats.elf.file import ELF_MAGIC, Elf
from kbuild.inspect.file_content import open_content
from kbuild.inspect.host.references import read_dynamic

_CONFIGURATION: Final = Path("/etc/ld.so.conf")
_DEFAULTS: Final = ("/lib64", "/usr/lib64", "/lib", "/usr/lib")
_LIBRARY_FOLDERS: Final = {"x86_64": "lib64", "aarch64": "lib64"}
_MOST_INCLUDES: Final = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Closure:
    """``libraries`` besides the files asked about, nearest first; ``missing`` as (file, name)."""

    libraries: tuple[Path, ...]
    missing: tuple[tuple[Path, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Loader:
    """A file that asks for libraries: where it lies, and the DT_RPATHs that hold for it."""

    path: Path
    machine: str
    dynamic: DynamicFacts
    rpaths: tuple[Path, ...]


def find_closure(files: Iterable[Path], library_path: tuple[Path, ...] = ()) -> Closure:
    """What the dynamic linker would load with ``files``; ``library_path`` is LD_LIBRARY_PATH."""
    given = [file.resolve() for file in files]
    known = set(given)
    found: list[Path] = []
    missing: dict[tuple[Path, str], None] = {}
    queue = [loader for file in given if (loader := _read_loader(file, ()))]
    system = (*_configured_folders(), *map(Path, _DEFAULTS))
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
    """The file as one that needs libraries; None where it is not linked, or no ELF file."""
    try:
        content = open_content(path)
        if bytes(content[: len(ELF_MAGIC)]) != ELF_MAGIC:
            return None
        elf = Elf(content)
        dynamic = read_dynamic(elf)
    except InputError:
        # Whoever reads the file itself says what is wrong with it.
        return None
    if dynamic is None:
        return None
    return _Loader(path=path, machine=elf.machine, dynamic=dynamic, rpaths=rpaths)


def _own_rpaths(loader: _Loader) -> tuple[Path, ...]:
    """The DT_RPATHs that hold for what the file loads: its own, and those of its loaders."""
    own = () if loader.dynamic.runpath else _expand(loader, loader.dynamic.rpath)
    return (*own, *loader.rpaths)


def _find(
    loader: _Loader, name: str, library_path: tuple[Path, ...], system: tuple[Path, ...]
) -> Path | None:
    if "/" in name:
        path = next(_expand_one(loader, name))
        return path.resolve() if path.is_file() else None
    # DT_RUNPATH switches DT_RPATH off, its loaders' too, and holds for the file's own needs.
    first = () if loader.dynamic.runpath else _own_rpaths(loader)
    runpath = _expand(loader, loader.dynamic.runpath)
    for folder in (*first, *library_path, *runpath, *system):
        path = folder / name
        if path.is_file() and _fits(path, loader.machine):
            return path.resolve()
    return None


def _fits(path: Path, machine: str) -> bool:
    """Whether it is for the same machine; the dynamic linker goes on looking where it is not."""
    try:
        return Elf(open_content(path)).machine == machine
    except InputError:
        return False


def _expand(loader: _Loader, paths: Iterable[str]) -> tuple[Path, ...]:
    return tuple(folder for path in paths for folder in _expand_one(loader, path))


def _expand_one(loader: _Loader, path: str) -> Iterator[Path]:
    library = _LIBRARY_FOLDERS.get(loader.machine, "lib")
    for token, value in (
        ("ORIGIN", str(loader.path.parent)),
        ("LIB", library),
        ("PLATFORM", loader.machine),
    ):
        path = path.replace(f"${{{token}}}", value).replace(f"${token}", value)
    yield Path(path)


def _configured_folders(configuration: Path = _CONFIGURATION) -> Iterator[Path]:
    """The folders that ``ldconfig`` was told of, in their order."""
    rest, budget = [configuration], _MOST_INCLUDES
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
