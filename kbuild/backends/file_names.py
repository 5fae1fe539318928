"""Name sources in compiler outputs in the same way, wherever the sources are."""

from __future__ import annotations

from typing import Final

from kbuild.backends.interface.build import CompileUnit
from kbuild.model import Command
from kbuild.values import replace

# Compilers record the directory that they run in under the name that PWD gives it.
_NO_DIRECTORY: Final = ("PWD", "/proc/self/cwd")


def name_files(unit: CompileUnit) -> tuple[str, ...]:
    """Return the gcc and clang option that makes ``__FILE__`` relative to the source root.

    Without ``-g``, the option applies to names in debug information, too.
    """
    if unit.root is None:
        return ()
    return (f"{_choose_map(unit)}={unit.root}/=",)


def _choose_map(unit: CompileUnit) -> str:
    return "-fmacro-prefix-map" if unit.debug else "-ffile-prefix-map"


def forget_directory(unit: CompileUnit) -> tuple[tuple[str, str], ...]:
    """Return the environment in which gcc and clang do not record their working directory.

    With ``-g`` it does not change, because debuggers need that directory.
    """
    return () if unit.debug else (_NO_DIRECTORY,)


def name_relatively(command: Command, unit: CompileUnit) -> Command:
    """Return a gcc or clang command that runs in the source root and names files relative to it.

    Caches use the arguments and the preprocessed text as the key, so another copy of the sources
    hits the same entries. With ``-g``, the command does not change: debug information records
    where the sources are.
    """
    root = unit.root
    if root is None or unit.debug:
        return command
    known = {
        str(unit.source): unit.display_source,
        f"-I{root}": "-I.",
        **dict.fromkeys(name_files(unit), f"{_choose_map(unit)}=./="),
    }
    inside = f"-I{root}/"
    argv = (
        known.get(word, f"-I{word.removeprefix(inside)}" if word.startswith(inside) else word)
        for word in command.argv
    )
    return replace(command, argv=tuple(argv), cwd=root)
