"""Find the modules of an artifact, and unpack a wheel as an installer does.

Source: binary distribution format, "Installing a wheel" (the directories below ``.data``).
"""

from __future__ import annotations

import importlib.machinery
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

from kbuild.errors import InputError
from kbuild.formats.elf.constants import ELF_MAGIC
from kbuild.formats.elf.file import Elf
from kbuild.inspect.file_content import open_content
from kbuild.values import dataclass

_DATA: Final = re.compile(r"[^/]+\.data/(?:purelib|platlib)")
_ENTRY: Final = "PyInit_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What to import: the module ``name``, or the file ``path`` if it is not on the search path.

    ``is_module`` says whether the file is a Python module, or another library. ``problem`` says
    why it cannot be tried.
    """

    name: str
    path: Path | None = None
    is_module: bool = True
    problem: str | None = None


def unpack(path: Path, directory: Path) -> tuple[Path, ...]:
    """Write the files of a wheel to a directory, and return the search path of its modules.

    Raises:
        InputError: The wheel is damaged.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            archive.extractall(directory)
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError, RuntimeError) as error:
        raise InputError(f"{path}: not a valid wheel: {error}") from error
    parts = {match[0] for name in names if (match := _DATA.match(name))}
    return (directory, *(directory / part for part in sorted(parts)))


def find_file_target(path: Path) -> Target:
    """Return what to load for a file: a Python module, or another library.

    Raises:
        InputError: The file is not a shared object.
    """
    content = open_content(path)
    if bytes(content[: len(ELF_MAGIC)]) != ELF_MAGIC or Elf(content).type != "shared-object":
        raise InputError(f"{path}: neither a wheel nor a shared object, so nothing imports it")
    name = _find_module_name(path)
    return Target(name=name or path.name, path=path.absolute(), is_module=name is not None)


def find_wheel_targets(directories: tuple[Path, ...]) -> Iterator[Target]:
    """Yield the packages with native code of an unpacked wheel, and then its extension modules."""
    packages: dict[str, list[Target]] = {}
    modules: list[Target] = []
    for directory in directories:
        for path in sorted(directory.rglob("*.so*")):
            relative = PurePosixPath(path.relative_to(directory).as_posix())
            if not path.is_file() or relative.parts[0].endswith((".data", ".libs")):
                continue
            with path.open("rb") as stream:
                if stream.read(len(ELF_MAGIC)) != ELF_MAGIC:
                    continue
            own: list[Target] = []
            if len(relative.parts) > 1 and (directory / relative.parts[0] / "__init__.py").exists():
                own = packages.setdefault(relative.parts[0], [])
            if name := _find_module_name(path):
                dotted = ".".join((*relative.parts[:-1], name))
                modules.append(Target(name=dotted, problem=_find_problem(path)))
                own.append(modules[-1])
    for package, own in packages.items():
        # Without modules for this Python, the import fails, or shows nothing about them.
        is_foreign = bool(own) and all(module.problem for module in own)
        yield Target(name=package, problem=own[0].problem if is_foreign else None)
    yield from modules


def _find_module_name(path: Path) -> str | None:
    """Return the name under which Python imports a file; None if it is not a module."""
    name = path.name.partition(".")[0]
    functions = (s.name for s in Elf(open_content(path)).symbols if s.dynamic and s.place)
    return name if f"{_ENTRY}{name}" in functions else None


def _find_problem(path: Path) -> str | None:
    suffix = path.name[path.name.index(".") :]
    if suffix in importlib.machinery.EXTENSION_SUFFIXES:
        return None
    return f"{path.name} is for another version of Python"
