"""The CMake functions, from the documentation blocks in ``cmake/*.cmake``."""

from __future__ import annotations

import re
from typing import Final

from kbuild import resources

_BLOCK: Final = re.compile(r"^#\[(=*)\[\.rst:\n(.*?)^#?\]\1\]", re.MULTILINE | re.DOTALL)
_COMMAND: Final = re.compile(r"^\.\. command:: (\w+)$", re.MULTILINE)


def read_blocks() -> dict[str, str]:
    """Return the documentation of each public function and of the package, by name."""
    blocks = {}
    for path in sorted(resources.cmake_directory().glob("*.cmake")):
        for match in _BLOCK.finditer(path.read_text(encoding="utf-8")):
            command = _COMMAND.search(match[2])
            blocks[command[1] if command else path.stem] = match[2]
    return blocks


def render(argument: str, _body: str) -> str:
    """Render the documentation of one function, or of the package."""
    blocks = read_blocks()
    if argument not in blocks:
        raise ValueError(f"unknown block {argument!r}; expected one of {', '.join(blocks)}")
    return f"```{{eval-rst}}\n{blocks[argument]}```\n"
