"""How sources are named in what is made of them: the same wherever they lie."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from kbuild.backends.interface.build import CompileUnit
from kbuild.model import Command

# Compilers note the folder that they run in as it is called here.
_NO_FOLDER: Final = ("PWD", "/proc/self/cwd")


def name_files(unit: CompileUnit) -> tuple[str, ...]:
    """The option, of gcc and clang, that has ``__FILE__`` be relative to the source root.

    So are the names in debug information where nobody asked for it.
    """
    if unit.root is None:
        return ()
    return (f"{_choose_map(unit)}={unit.root}/=",)


def _choose_map(unit: CompileUnit) -> str:
    return "-fmacro-prefix-map" if unit.debug else "-ffile-prefix-map"


def forget_folder(unit: CompileUnit) -> tuple[tuple[str, str], ...]:
    """The environment in which gcc and clang do not note which folder they run in.

    As it is where debug information is asked for: debuggers go by that folder.
    """
    return () if unit.debug else (_NO_FOLDER,)


def name_relatively(command: Command, unit: CompileUnit) -> Command:
    """The call of gcc or clang with no path of the source root's: it runs there.

    Caches go by words and by preprocessed text, both of which then are the same in another
    copy of the sources.  With debug information, which says where sources lie, it stays as it is.
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
