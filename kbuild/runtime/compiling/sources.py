"""What programs give a compiler: sources as paths or text, and options."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from kbuild import files
from kbuild.errors import ConfigurationError, InputError

# What file systems allow, less the longest suffix of what lies beside a source.
_LONGEST_NAME: Final = 200


def read_source(source: str | os.PathLike[str]) -> tuple[Path | None, bytes]:
    """The path, None for text, and the content."""
    if isinstance(source, str) and ("\n" in source or "{" in source):
        return None, encode_text(source)
    if not isinstance(source, (str, os.PathLike)):
        raise ConfigurationError(f"a source is a path or text, not {type(source).__name__}")
    path = Path(source)
    try:
        is_file = bool(str(source)) and path.is_file()
    except OSError as error:  # such as a name that is too long
        raise InputError(f"{str(source)[:80]}: {error.strerror}") from error
    if not str(source) or path.is_dir():
        what = f"{source}: a folder" if str(source) else "an empty path"
        raise InputError(f"{what}; name a source file")
    if not is_file:
        raise InputError(f"{source}: no such file; text of kernels has a line break or a brace")
    return path, files.read_file(path)


def encode_text(text: str) -> bytes:
    """Source text as compilers get it; InputError for what cannot be written as UTF-8."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise InputError(f"line {line} of the text: {error.reason}") from error


def check_name(name: str) -> None:
    """Text is compiled in a file of this name, and its code gets names from it."""
    own = Path(name).name
    if own in ("", "..") or "\0" in own or len(own.encode(errors="replace")) > _LONGEST_NAME:
        raise ConfigurationError(f"{str(name)[:80]!r} is no name of a file, which text is to have")


def read_options(options: Sequence[str]) -> tuple[str, ...]:
    """The compiler's words; ConfigurationError for what are none."""
    words: Any = options
    if isinstance(words, str) or not isinstance(words, Iterable):
        raise ConfigurationError(f"options are a sequence of words, such as [{words!r}]")
    words = tuple(words)
    for word in words:
        if not isinstance(word, str) or "\0" in word:
            raise ConfigurationError(f"the option {word!r} is no word; str() makes one of a path")
    return tuple(words)
