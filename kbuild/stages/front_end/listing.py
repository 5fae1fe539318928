"""Ask a compiler for the steps of a run, and remember the answers.

An answer depends on the options, and contains the names of the source and of the output. So kbuild
asks with the same names for all sources, and the user's cache has the answer for the next one. It
asks with the real names if a compiler could change them: to quote a character, or because debug
information has them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

from kbuild import process
from kbuild.backends.interface.build import CompileUnit
from kbuild.backends.interface.mixed import HostUnit
from kbuild.backends.interface.toolchain import Toolchain
from kbuild.model import Command, CommandResult
from kbuild.toolchain.probe import find_answer
from kbuild.values import replace

Unit: TypeAlias = CompileUnit | HostUnit
U = TypeVar("U", CompileUnit, HostUnit)

# The names in the answers.
_ROOT: Final = Path("/kbuild-listed-root")
_STEM: Final = "kbuild-listed-source"
_SUFFIX: Final = ".cu"
_OUTPUT: Final = Path("/kbuild-listed-output/output")
_STAMP: Final = Path("/kbuild-listed-output/stamp")
_DEPFILE: Final = Path("/kbuild-listed-output/depfile")
_PLAIN: Final = re.compile(r"[\w/+-][\w./+-]*", re.ASCII)
_PLAIN_STEM: Final = re.compile(r"[\w+-]+", re.ASCII)
# Options with which images map code to lines.
_LINES: Final = re.compile(r"-{1,2}(?:g|G|debug_mode|device-debug|lineinfo|generate-line-info)")


def maps_lines(words: Iterable[str]) -> bool:
    """Return whether a command makes images that map code to lines."""
    return any(map(_LINES.fullmatch, words))


def list_steps(
    describe: Callable[[U, Toolchain], Command], unit: U, tc: Toolchain
) -> CommandResult:
    """Return the answer of a compiler for a unit.

    Args:
        describe: Returns the command that asks for the steps.
        unit: What to compile.
        tc: The toolchain.
    """
    command = describe(unit, tc)
    names = None if maps_lines(command.argv) else _find_names(unit)
    if names is not None:
        answer = find_answer(describe(_rename(unit), tc))
        if answer is not None:
            text = answer.stdout + answer.stderr
            for listed, name in names:
                text = re.sub(listed, name, text)  # names are plain, without backslashes
            return replace(answer, stdout=text, stderr="")
    return process.run(command)


def _rename(unit: U) -> U:
    source = Path(f"{_STEM}{_SUFFIX}")
    return replace(
        unit,
        source=_ROOT / source if unit.source.is_absolute() else source,
        display_source=str(source),
        output=_OUTPUT,
        stamp=_STAMP,
        depfile=_DEPFILE,
    )


def _find_names(unit: Unit) -> tuple[tuple[str, str], ...] | None:
    """Return expressions for the names in an answer, and what replaces them, in order.

    None means that they cannot be replaced.
    """
    source, shown = unit.source, Path(unit.display_source)
    root = Path(*source.parts[: -len(shown.parts)])
    has_plain_names = (
        source == root / shown
        and source.is_absolute() == (root != Path())
        and source.suffix == _SUFFIX
        and ".." not in source.parts
        and _PLAIN_STEM.fullmatch(source.stem) is not None
        and all(_PLAIN.fullmatch(str(path)) for path in (source, unit.output, unit.stamp))
    )
    if not has_plain_names or not _PLAIN.fullmatch(str(unit.depfile)):
        return None
    listed = rf"{_STEM}{re.escape(_SUFFIX)}(?![\w.])"  # and not a.cudafe1.c of a.cu
    return (
        (f"{_ROOT}/{listed}", str(source)),
        (str(_ROOT), str(root)),
        (listed, unit.display_source),
        (_STEM, source.stem),
        (str(_OUTPUT), str(unit.output)),
        (str(_STAMP), str(unit.stamp)),
        (str(_DEPFILE), str(unit.depfile)),
    )
