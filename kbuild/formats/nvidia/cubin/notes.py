"""The notes in cubins: the toolkit, the virtual architecture, and the tool's command line.

Every cubin of ABI 8 has a ``.note.nv.tkinfo`` and a ``.note.nv.cuinfo``. Toolkits 12.8 and 12.9
call the second ``.note.nv.cuver``. Their layouts are not documented; they were found by
examining files of toolkits 12.8 to 13.4.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import Final

from kbuild.errors import InputError
from kbuild.formats.buffer import read_text
from kbuild.formats.elf.notes import iterate_notes
from kbuild.values import dataclass

_OWNER: Final = b"NVIDIA Corp\0"
_CUINFO: Final = 1000
_CUINFO_WITH_TOOLKIT: Final = 2
_TKINFO: Final = 2000

# version, virtual architecture, toolkit times ten
_CUINFO_BODY: Final = struct.Struct("<HHH")
# version, and the offsets of the texts: object, tool, version, branch, options
_TKINFO_BODY: Final = struct.Struct("<6I")
_RELEASE: Final = re.compile(r"release (\d{1,4})\.(\d)\b", re.ASCII)
_ARCH_OPTION: Final = re.compile(r"(?:^|\s)-{1,2}(?:gpu-name|arch)[=\s]+sm_\d+([a-z]?)(?:\s|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolInfo:
    """The tool that wrote a cubin (``ptxas`` or ``nvlink``), and its command line."""

    tool: str
    version: str
    branch: str
    command_line: str

    @property
    def arch_suffix(self) -> str | None:
        """The suffix of the architecture in the command line, empty for a plain architecture.

        None if the command line does not name an architecture.
        """
        found = _ARCH_OPTION.search(self.command_line)
        return found[1] if found else None

    @property
    def toolkit(self) -> int | None:
        """The toolkit version times ten; None if the version text does not contain it."""
        found = _RELEASE.search(self.version)
        return 10 * int(found[1]) + int(found[2]) if found else None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteFacts:
    """The content of the notes of a cubin. ``toolkit`` is the version times ten."""

    virtual_arch: int | None = None
    toolkit: int | None = None
    tool: ToolInfo | None = None


def read_notes(contents: Iterator[memoryview]) -> NoteFacts:
    """Read the notes in these section contents.

    Raises:
        InputError: A note is damaged.
    """
    virtual_arch = toolkit = tool = None
    for content in contents:
        for kind, body in iterate_notes(content, _OWNER):
            if kind == _CUINFO:
                if len(body) < _CUINFO_BODY.size:
                    raise InputError("the cuinfo note is too short")
                version, virtual_arch, number = _CUINFO_BODY.unpack_from(body)
                # In version 1 (cuver), this field has a different meaning.
                toolkit = number if version >= _CUINFO_WITH_TOOLKIT else None
            elif kind == _TKINFO:
                tool = _read_tool(body)
    if toolkit is None and tool:
        toolkit = tool.toolkit
    return NoteFacts(virtual_arch=virtual_arch, toolkit=toolkit, tool=tool)


def _read_tool(body: memoryview) -> ToolInfo:
    if len(body) < _TKINFO_BODY.size:
        raise InputError("the tkinfo note is too short")
    _, _, *offsets = _TKINFO_BODY.unpack_from(body)
    strings = bytes(body[_TKINFO_BODY.size :])
    texts = [read_text(strings, offset, len(strings)) for offset in offsets]
    tool, version, branch, command_line = texts
    if tool is None or version is None or branch is None or command_line is None:
        raise InputError("a text of the tkinfo note is outside the note")
    return ToolInfo(tool=tool, version=version, branch=branch, command_line=command_line)
