"""The options of each tool on a command line of nvcc, in the tool's spelling.

nvcc runs its tools through a shell, which removes quotes and divides values into words.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from typing import Final

from kbuild.errors import ConfigurationError
from kbuild.nvcc.command_line.given import GivenOption, GivenOptions

# The warnings of -Werror that the host compiler knows as well.
_HOST_ERRORS: Final = {
    "all-warnings": "-Werror",
    "deprecated-declarations": "-Werror=deprecated-declarations",
}
_HOST_SPELLINGS: Final = {"--profile": "-pg", "--no-exceptions": "-fno-exceptions"}
_PREPROCESSOR: Final = {
    "--define-macro": "-D",
    "--undefine-macro": "-U",
    "--include-path": "-I",
    "--system-include": "-isystem",
    "--pre-include": "-include",
}
_PER_THREAD: Final = "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"


def list_preprocessor_options(options: GivenOptions) -> Iterator[str]:
    """Yield macros, directories, and headers to include in their order."""
    for one in options:
        name = _PREPROCESSOR.get(one.option.name)
        if name is not None:
            for value in _split_for_preprocessor(one):
                yield from (f"{name}{value}",) if len(name) == len("-I") else (name, value)
    if options.find_value("--default-stream") == "per-thread":
        yield _PER_THREAD


def _split_for_preprocessor(given: GivenOption) -> tuple[str, ...]:
    """Return the names in a list. nvcc writes macros within double quotes for a shell."""
    values = given.split()
    if given.option.quoting != "escapes":
        return values
    quoted = (value.replace('"', r"\"") for value in values)
    return split_for_shell((f'"{value}"' for value in quoted), given.text)


def list_device_options(options: GivenOptions) -> Iterator[str]:
    """Yield the options for device code in nvcc's spelling, each as one word."""
    for one in options:
        if one.option.receiver in ("device", "both"):
            yield _spell(one)


def _spell(given: GivenOption) -> str:
    name = given.option.short[0]
    return f"{name}={given.value}" if given.has_value else name


def list_host_options(options: GivenOptions, forwarded: Iterable[str]) -> Iterator[str]:
    """Yield the options of the host compiler in nvcc's order."""
    own = options.list_values("--compiler-options")
    yield from split_for_shell((*own, *forwarded), "-Xcompiler")
    for one in options:
        name = one.option.name
        if one.option.receiver in ("host", "both"):
            yield _spell(one)
        elif name in _HOST_SPELLINGS:
            yield _HOST_SPELLINGS[name]
        elif name == "--frandom-seed":
            yield f"-frandom-seed={one.value}"
        elif name == "--Werror":
            yield from (_HOST_ERRORS[kind] for kind in one.split() if kind in _HOST_ERRORS)


def list_tool_options(options: GivenOptions, name: str) -> tuple[str, ...]:
    """Return the options for a tool, such as those of ``--archive-options``."""
    return split_for_shell(map(_protect, options.list_values(name)), name)


def list_linker_options(options: GivenOptions, forwarded: Iterable[str]) -> tuple[str, ...]:
    """Return the options of the linker, as the host compiler takes them."""
    words = (*map(_protect, options.list_values("--linker-options")), *forwarded)
    return split_for_shell((f"-Xlinker {word}" for word in words), "-Xlinker")


def _protect(value: str) -> str:
    """Protect what nvcc protects from the shell in options of tools, other than host compilers."""
    return re.sub(r"(['$])", r"\\\1", value)


def split_for_shell(values: Iterable[str], option: str) -> tuple[str, ...]:
    """Split values into words. nvcc inserts them into a command for a shell."""
    text = " ".join(values)
    try:
        return tuple(shlex.split(text))
    except ValueError:
        raise ConfigurationError(
            f"option '{option}': a quote in '{text}' is not closed; close it"
        ) from None
