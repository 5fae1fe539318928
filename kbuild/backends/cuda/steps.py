"""The steps of an nvcc run, as ``--dryrun`` lists them.

Compiler caches identify the outputs of ``cicc`` and ``ptxas`` by their arguments and by the text
that they read. To make both independent of where the source is, the two programs run in the
directory of intermediate files. They name these files without a directory, and the source by its
path below the root.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from kbuild.backends.interface.build import CompileUnit, FrontEndStep
from kbuild.backends.interface.mixed import HostUnit
from kbuild.model import Command
from kbuild.values import dataclass

_PREFIX: Final = "#$ "
_VARIABLE: Final = re.compile(r"([A-Za-z_]\w*)=(.*)")
_CACHEABLE: Final = ("cicc", "ptxas")
_SEARCHED: Final = ("PATH", "LD_LIBRARY_PATH")
# Words that only a shell understands.
_SHELL: Final = frozenset(("|", ">", "<", ">>", "&&", "||", ";", "2>&1"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """The names that the steps give to files.

    Attributes:
        keep: The directory of intermediate files.
        root: The directory that line markers leave out; None if they must include it.
        is_full: Whether no step is changed. Full debug information records the directory in which
            the compiler ran, and caches do not compare that directory.
    """

    keep: Path
    root: Path | None
    is_full: bool = False


def read_steps(
    listing: str, unit: CompileUnit | HostUnit, naming: Naming
) -> tuple[FrontEndStep, ...]:
    """Return the steps of ``listing``; an empty tuple if one of them is not a plain command."""
    variables: dict[str, str] = {}
    steps: list[FrontEndStep] = []
    for line in listing.splitlines():
        if not line.startswith(_PREFIX):
            continue
        text = line.removeprefix(_PREFIX)
        if variable := _VARIABLE.fullmatch(text):
            variables[variable[1]] = variable[2]
            continue
        try:
            words = tuple(_expand(word, variables) for word in shlex.split(text))
        except ValueError:
            return ()
        if not words or not _SHELL.isdisjoint(words):
            return ()
        steps.append(_make_step(words, variables, unit, naming))
    return tuple(steps) if any(step.is_cacheable for step in steps) else ()


def _expand(word: str, variables: Mapping[str, str]) -> str:
    return re.sub(r"\$(\w+)", lambda match: variables.get(match[1], match[0]), word)


def _make_step(
    words: tuple[str, ...],
    variables: Mapping[str, str],
    unit: CompileUnit | HostUnit,
    naming: Naming,
) -> FrontEndStep:
    env = tuple((name, variables[name]) for name in _SEARCHED if name in variables)
    program, *arguments = words
    path = _find(program, variables.get("PATH", ""))
    if Path(program).name not in _CACHEABLE:
        # The preprocessor's last argument is the name of the text that it writes.
        outputs = (Path(words[-1]),) if "-E" in words and words[-2:-1] == ("-o",) else ()
        argv = (path, *arguments)
        return FrontEndStep(
            command=Command(argv=argv, outputs=outputs, directories=(naming.keep,), env=env),
            root=naming.root if outputs else None,
        )
    library = variables.get("NVVMIR_LIBRARY_DIR")
    inputs = tuple(sorted(Path(library).glob("*.bc"))) if library else ()
    if naming.is_full:
        argv = (path, *_put_input_last(arguments))
        command = Command(argv=argv, inputs=inputs, env=env)
        return FrontEndStep(command=command, is_cacheable=True)
    shown = unit.display_source if naming.root else str(unit.source)
    named = [
        shown if word == str(unit.source) else word.removeprefix(f"{naming.keep}/")
        for word in arguments
    ]
    argv = (path, *_put_input_last(named))
    command = Command(argv=argv, inputs=inputs, env=env, cwd=naming.keep)
    return FrontEndStep(command=command, is_cacheable=True)


def _find(program: str, search_path: str) -> str:
    """Return the program's path, because caches identify a compiler by its file."""
    if "/" in program:
        return os.path.normpath(program)
    directories = (Path(directory) for directory in search_path.split(os.pathsep) if directory)
    found = next((f / program for f in directories if (f / program).is_file()), Path(program))
    return os.path.normpath(found)


def _put_input_last(arguments: list[str]) -> tuple[str, ...]:
    """Move input and output to the end of the arguments, where sccache expects them.

    The nvcc of CUDA 13.5 puts an option between them, which sccache 0.16 mistakes for the input.
    """
    try:
        place = arguments.index("-o")
        output = arguments[place + 1]
    except (ValueError, IndexError):
        return tuple(arguments)
    rest = [*arguments[:place], *arguments[place + 2 :]]
    inputs = [word for word in rest if word.endswith((".ii", ".ptx")) and not word.startswith("-")]
    if not inputs:
        return tuple(arguments)
    last = len(rest) - 1 - rest[::-1].index(inputs[-1])
    return (*rest[:last], *rest[last + 1 :], rest[last], "-o", output)
