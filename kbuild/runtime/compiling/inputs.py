"""The inputs of a compiler: sources as paths or text, and options."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from kbuild import files
from kbuild.backends import find_limits
from kbuild.backends.interface.launch_config import read_number
from kbuild.errors import ConfigurationError, InputError

# No backend has larger blocks or more registers.
_LARGEST_LIMIT: Final = 1 << 16
# The limit of file systems (255 bytes), minus the longest suffix of a file beside the source.
_LONGEST_NAME: Final = 200


def read_source(source: str | os.PathLike[str]) -> tuple[Path | None, bytes]:
    """Return the path and the content of a source; the path of text is None.

    A string is text if it has a line break or a brace, and otherwise a path.

    Raises:
        ConfigurationError: ``source`` is neither a path nor text.
        InputError: The file cannot be read, or the text cannot be encoded.
    """
    if isinstance(source, str) and ("\n" in source or "{" in source):
        return None, encode_text(source)
    if not isinstance(source, (str, os.PathLike)):
        raise ConfigurationError(f"a source must be a path or text, not {type(source).__name__}")
    path = Path(source)
    if not str(source):
        raise InputError("the path of the source is empty; name a source file")
    try:
        is_file = path.is_file()
    except OSError as error:  # such as a name that is too long
        raise InputError(f"{str(source)[:80]}: {error.strerror}") from error
    if path.is_dir():
        raise InputError(f"{source}: this is a directory; name a source file")
    if not is_file:
        raise InputError(
            f"{source}: no such file; if this is source text, it needs a line break or a brace"
        )
    return path, files.read_file(path)


def encode_text(text: str) -> bytes:
    """Encode source text as UTF-8.

    Raises:
        InputError: The text has characters that UTF-8 cannot encode.
    """
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise InputError(f"line {line} of the text: {error.reason}") from error


def check_name(name: str) -> None:
    """Check the name of source text: the file to compile and its outputs are named after it.

    Raises:
        ConfigurationError: ``name`` cannot be a file name.
    """
    own = Path(name).name
    if own in ("", "..") or "\0" in own or len(own.encode(errors="replace")) > _LONGEST_NAME:
        raise ConfigurationError(
            f"invalid name {str(name)[:80]!r}; expected a file name for the source text, of at "
            f"most {_LONGEST_NAME} bytes"
        )


def read_options(options: Sequence[str]) -> tuple[str, ...]:
    """Return the compiler options as a tuple.

    Raises:
        ConfigurationError: ``options`` is not a sequence of strings.
    """
    words: Any = options
    if isinstance(words, str) or not isinstance(words, Iterable):
        raise ConfigurationError(f"options must be a sequence of strings, such as [{words!r}]")
    words = tuple(words)
    for word in words:
        if not isinstance(word, str) or "\0" in word:
            raise ConfigurationError(
                f"invalid option {word!r}; expected a string without null characters"
            )
    return tuple(words)


def list_limit_options(
    backend: str, arch: str, block_size: int | None, max_registers: int | None
) -> tuple[str, ...]:
    """Return the compiler options for blocks of ``block_size`` threads and for ``max_registers``.

    Raises:
        ConfigurationError: A value is not an integer or out of range, or the compiler does not
            have such an option.
    """
    limits = find_limits(backend)
    if block_size is not None:
        largest = limits.largest_block or _LARGEST_LIMIT
        block_size = read_number("block_size", block_size, 1, largest)
    if max_registers is not None:
        max_registers = read_number("max_registers", max_registers, 1, _LARGEST_LIMIT)
    return limits.limit_options(arch, block_size, max_registers)
