"""Colors of text for terminals (ECMA-48, section 8.3.117, "Select Graphic Rendition")."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from kbuild.values import dataclass

Style: TypeAlias = Literal[
    "error", "warning", "info", "ok", "heading", "path", "faint", "added", "removed"
]

_RESET: Final = "\033[0m"
# The first 8 colors, which every terminal shows on its own background.
_CODES: Final[dict[Style, str]] = {
    "error": "\033[1;31m",
    "warning": "\033[1;33m",
    "info": "\033[36m",
    "ok": "\033[1;32m",
    "heading": "\033[1m",
    "path": "\033[1m",
    "faint": "\033[2m",
    "added": "\033[32m",
    "removed": "\033[31m",
}


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a line in one style."""

    text: str
    style: Style


# A line of text. Styles do not change what it says.
Line: TypeAlias = str | Span | tuple[str | Span, ...]


def paint(text: str, style: Style) -> str:
    """Return text with the control sequences of a style."""
    return f"{_CODES[style]}{text}{_RESET}" if text else text
