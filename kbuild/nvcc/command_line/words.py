"""Divide a command line of nvcc into options, values, and inputs.

The rules are those of the nvcc of CUDA 13.5, which differ from those of g++: only some options take
a value without a separator, ``=`` separates one from a short name as well, and single quotes mean
nothing. `tests/tools/nvcc` compares them with nvcc itself.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from kbuild.errors import ConfigurationError, find_similar
from kbuild.nvcc.command_line.given import GivenOption, GivenOptions
from kbuild.nvcc.command_line.options import OPTIONS
from kbuild.values import dataclass

# The variables that contain more words of every command line.
PREPENDED: Final = "NVCC_PREPEND_FLAGS"
APPENDED: Final = "NVCC_APPEND_FLAGS"
_DEEPEST_FILE: Final = 32
_TO_COMPILER: Final = ("--forward-unknown-to-host-compiler", "--forward-unknown-opts")
_TO_LINKER: Final = ("--forward-unknown-to-host-linker", "--forward-unknown-opts")
# In the environment, quotes group words and remain. A backslash is special only within them.
_ENVIRONMENT_WORD: Final = re.compile(r'(?:[^ \t"]|"(?:[^"\\]|\\.)*")+', re.DOTALL)
_FILE_WORD: Final = re.compile(r'(?:[^\s"\\]|\\.|"(?:[^"\\]|\\.)*")+', re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandLine:
    """The parts of a command line, each in its order.

    Attributes:
        options: The options that nvcc knows.
        inputs: The words that are not options.
        to_compiler: Unknown options for the host compiler.
        to_linker: Unknown options for the linker.
    """

    options: GivenOptions
    inputs: tuple[str, ...] = ()
    to_compiler: tuple[str, ...] = ()
    to_linker: tuple[str, ...] = ()


def divide(words: Sequence[str], environment: Mapping[str, str]) -> CommandLine:
    """Divide the words of a command line, with those of files and of the environment.

    Raises:
        ConfigurationError: An option is unknown or lacks its value, or a file of options cannot be
            read.
    """
    every = (
        *_split_variable(PREPENDED, environment),
        *words,
        *_split_variable(APPENDED, environment),
    )
    parts = tuple(_divide(every))
    options = GivenOptions(part for part in parts if isinstance(part, GivenOption))
    plain = tuple(part for part in parts if isinstance(part, str))
    unknown = tuple(word for word in plain if _is_option(word))
    to_compiler, to_linker = (any(map(options.has, f)) for f in (_TO_COMPILER, _TO_LINKER))
    if unknown and not (to_compiler or to_linker):
        raise ConfigurationError(_describe_unknown(unknown[0]))
    return CommandLine(
        options=options,
        inputs=tuple(word for word in plain if not _is_option(word)),
        to_compiler=unknown if to_compiler else (),
        to_linker=unknown if to_linker else (),
    )


def _divide(words: Iterable[str], depth: int = 0) -> Iterator[GivenOption | str]:
    """Yield options, and the words that are not nvcc's options."""
    remaining = deque(words)
    while remaining:
        word = remaining.popleft()
        given = read_option(word, remaining) if _is_option(word) else None
        if given is None:
            yield word
        elif given.option.name == "--options-file":
            for path in given.split():
                yield from _divide(_read_file(path, depth), depth + 1)
        else:
            yield given


def _is_option(word: str) -> bool:
    return word.startswith("-") and word != "-"


def read_option(word: str, remaining: deque[str]) -> GivenOption | None:
    """Return the option that a word begins, with its value; None if it is unknown.

    Args:
        word: The word.
        remaining: The words that follow it. The value is removed from them.
    """
    name, separator, value = word.partition("=")
    option = OPTIONS.get(name)
    if option is None:
        return _read_joined(word)
    if option.kind == "none":
        if separator:
            raise ConfigurationError(f"option '{word}': '{name}' takes no value; remove '={value}'")
        return GivenOption(option=option, spelling=name, words=(word,))
    if separator:
        return GivenOption(option=option, spelling=name, value=value, words=(word,))
    if option.kind == "optional" and (not remaining or remaining[0].startswith("-")):
        return GivenOption(option=option, spelling=name, words=(word,))
    if not remaining:
        raise ConfigurationError(f"nvcc option '{name}' without a value; add the value")
    following = remaining.popleft()
    return GivenOption(option=option, spelling=name, value=following, words=(word, following))


def _read_joined(word: str) -> GivenOption | None:
    name, value = word[:2], word[2:]
    option = OPTIONS.get(name)
    if option is None or not option.is_joined:
        return None
    return GivenOption(option=option, spelling=name, value=value, words=(word,))


def _split_variable(name: str, environment: Mapping[str, str]) -> list[str]:
    text = environment.get(name, "")
    if _ENVIRONMENT_WORD.sub("", text).strip():
        raise ConfigurationError(f"{name}={text}: a double quote is not closed; close it")
    return _ENVIRONMENT_WORD.findall(text)


def _read_file(path: str, depth: int) -> Iterator[str]:
    """Yield the words of a file of options. nvcc removes backslashes first, then all quotes."""
    if depth == _DEEPEST_FILE:
        raise ConfigurationError(
            f"--options-file {path}: {depth} files name each other; remove the cycle"
        )
    try:
        text = Path(path).read_text(encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise ConfigurationError(
            f"--options-file {path}: cannot read the file ({error.strerror}); check the path"
        ) from None
    if _FILE_WORD.sub("", text).strip():
        raise ConfigurationError(f"{path}: a double quote is not closed; close it")
    for word in _FILE_WORD.findall(text):
        yield re.sub(r"\\(.)", r"\1", word, flags=re.DOTALL).replace('"', "")


def _describe_unknown(word: str) -> str:
    nearest = find_similar(word.partition("=")[0], OPTIONS, 0.75)
    prefix, _, options = word.partition("-Wl,")
    if options and not prefix:
        tool, rest = "linker", f"-Xlinker {options}"
    else:
        tool, rest = "host compiler", "-Xcompiler " + word.replace(",", r"\,")
    hint = f"did you mean '{nearest}'? For" if nearest else "for"
    return f"unknown option '{word}'; {hint} the {tool}, write '{rest}'"
