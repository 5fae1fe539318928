"""Ask programs about themselves, and remember the answers."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from kbuild.errors import ToolchainError
from kbuild.files import sha256
from kbuild.model import Command, CommandResult
from kbuild.process import run, select_environment
from kbuild.toolchain import store
from kbuild.toolchain.environment import describe_programs, read_compiler_variables

_ANSWER: Final = "answer of a program 1"
_OUTPUT: Final = "output of a command 1"
# Variables in which shells write what has no effect on other programs.
_PLACES: Final = frozenset(("PWD", "OLDPWD", "SHLVL", "_"))
_SCRIPT: Final = b"#!"
_LONGEST_ERROR: Final = 200


def probe(command: Command) -> str:
    """Return what a program says about itself, such as its version.

    Args:
        command: The command. Its program is a path.

    Raises:
        ToolchainError: The program fails.
    """
    program = Path(command.argv[0])
    # Nobody knows what a script runs.
    if not program.is_file() or digest_script(program) is not None:
        return _ask(command)
    key = store.make_key(_ANSWER, identify_program(command))
    known = store.find(key)
    if known is None:
        answer = _ask(command)
        store.add(key, answer.encode(errors="surrogateescape"))
        return answer
    return known.decode(errors="surrogateescape")


def find_answer(command: Command) -> CommandResult | None:
    """Return what a program prints for a command, from the user's cache if it has the answer.

    The answer depends on the program, on the inputs of the command, and on the environment.

    Returns:
        None if the command fails, or if nobody knows what it runs.
    """
    program = Path(command.argv[0])
    if not program.is_file() or digest_script(program) is not None:
        return None
    variables = sorted(select_environment((), prefixes=("",)).items())
    environment = (f"{name}={value}" for name, value in variables if name not in _PLACES)
    key = store.make_key(
        *(_OUTPUT, identify_program(command), describe_programs(command.inputs)),
        *(str(Path.cwd()), *environment),
    )
    known = store.find(key)
    if known is not None:
        text = known.decode(errors="surrogateescape")
        return CommandResult(argv=command.argv, returncode=0, stdout=text, stderr="")
    result = run(command)
    if result.returncode != 0:
        return None
    store.add(key, (result.stdout + result.stderr).encode(errors="surrogateescape"))
    return result


def identify_program(command: Command) -> str:
    """Describe a command, and the programs that it can run, such as the one behind a link.

    A program that is installed later changes the directory that it is in.
    """
    variables = {**read_compiler_variables(), **select_environment(("PATH",))}
    program = Path(command.argv[0])
    search = (Path(directory) for directory in variables.get("PATH", "").split(":") if directory)
    places = (program, program.resolve(), program.resolve().parent, *search)
    words = "\0".join((*command.argv, *map("=".join, (*command.env, *sorted(variables.items())))))
    return words + describe_programs(places).decode(errors="surrogateescape")


def digest_script(program: Path) -> str | None:
    """Return the digest of a program that is a script; None for other programs.

    A wrapper reports the version of the compiler that it calls, even after an edit.
    """
    with program.open("rb") as file:
        if file.read(len(_SCRIPT)) != _SCRIPT:
            return None
        return sha256(_SCRIPT + file.read())


def _ask(command: Command) -> str:
    result = run(command)
    if result.returncode != 0:
        said = result.stderr.strip()[:_LONGEST_ERROR]
        raise ToolchainError(f"{command.argv[0]} does not run: {said}")
    return result.stdout
