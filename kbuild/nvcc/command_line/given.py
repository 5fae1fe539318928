"""Options as a command line gives them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from kbuild.errors import ConfigurationError
from kbuild.nvcc.command_line.options import Option, Quoting
from kbuild.values import dataclass

# A piece of a list. Except in options with `escapes`, a backslash outside of quotes is ordinary.
_PIECE: Final = re.compile(r'(?:[^,"]|"(?:[^"\\]|\\.)*")+', re.DOTALL)
_ESCAPED_PIECE: Final = re.compile(r'(?:[^,"\\]|\\.|"(?:[^"\\]|\\.)*")+', re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenOption:
    """An option on a command line.

    Attributes:
        option: The option.
        spelling: Its name as it is written.
        value: Its value before it is split; empty for an option without one.
        words: All its words.
    """

    option: Option
    spelling: str
    value: str = ""
    words: tuple[str, ...]

    @property
    def text(self) -> str:
        """The option as it is written, for messages."""
        return " ".join(self.words)

    @property
    def has_value(self) -> bool:
        """Whether a value is written."""
        return self.words != (self.spelling,)

    @property
    def is_lost(self) -> bool:
        """Whether the option lacks an effect that its user expects."""
        return self.option.outcome.effect == "warning"

    def describe_loss(self) -> str:
        """Return the warning about an option without an effect."""
        return f"option '{self.text}' has no effect: {self.option.outcome.note}"

    def split(self) -> tuple[str, ...]:
        """Return the values of a list."""
        return split_list(self.value, self.option.quoting, self.text)


class GivenOptions:
    """The options of a command line, in order and by name."""

    def __init__(self, options: Iterable[GivenOption]) -> None:
        self._options = tuple(options)
        self._by_name: dict[str, list[GivenOption]] = {}
        for one in self._options:
            self._by_name.setdefault(one.option.name, []).append(one)

    def __iter__(self) -> Iterator[GivenOption]:
        return iter(self._options)

    def has(self, name: str) -> bool:
        """Return whether an option is given, under any of its names."""
        return name in self._by_name

    def find(self, name: str) -> GivenOption | None:
        """Return an option, of which the last one counts."""
        found = self._by_name.get(name)
        return found[-1] if found else None

    def find_value(self, name: str) -> str | None:
        """Return the value of an option, or None without one."""
        found = self.find(name)
        return found.value if found else None

    def find_path(self, name: str) -> Path | None:
        """Return the value of an option as a path."""
        value = self.find_value(name)
        return Path(value) if value else None

    def find_number(self, name: str, default: int) -> int:
        """Return the value of an option as a number."""
        value = self.find_value(name)
        return default if value is None else int(value, 0)

    def list_values(self, name: str) -> tuple[str, ...]:
        """Return the values of all occurrences of a list."""
        return tuple(value for one in self._by_name.get(name, ()) for value in one.split())


def split_list(value: str, quoting: Quoting, text: str) -> tuple[str, ...]:
    """Split a value at commas, and leave out spaces around the pieces and empty pieces.

    Args:
        value: The value.
        quoting: What becomes of quotes and backslashes.
        text: The option and its value, for the message.

    Raises:
        ConfigurationError: A double quote is not closed.
    """
    pattern = _ESCAPED_PIECE if quoting == "escapes" else _PIECE
    if pattern.sub("", value).strip(","):
        raise ConfigurationError(
            f"option '{text}': a double quote is not closed, or a backslash has nothing to "
            "protect; close the quote"
        )
    pieces = (piece.strip() for piece in pattern.findall(value))
    if quoting == "names":
        pieces = (piece.replace('"', "") for piece in pieces)
    elif quoting == "escapes":
        pieces = (re.sub(r"\\(.)", r"\1", piece, flags=re.DOTALL) for piece in pieces)
    return tuple(piece for piece in pieces if piece)
