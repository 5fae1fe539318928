"""The notes in cubins: which toolkit made them, for what, and with which options.

Every cubin of ABI 8 has a ``.note.nv.tkinfo`` and a ``.note.nv.cuinfo``, which toolkits
12.8 and 12.9 call ``.note.nv.cuver``.  Their layouts are not documented; they were found on
files of toolkits 12.8 to 13.4.  Notes as such: System V ABI (gABI 4.1), "Note Section".
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from kbuild.errors import InputError
from kbuild.formats.elf.notes import iterate_notes

_OWNER: Final = b"NVIDIA Corp\0"
_CUINFO: Final = 1000
_CUINFO_WITH_TOOLKIT: Final = 2
_TKINFO: Final = 2000

# version, virtual architecture, toolkit times ten
_CUINFO_BODY: Final = struct.Struct("<HHH")
# version, and where the texts start that follow: object, tool, version, branch, options
_TKINFO_BODY: Final = struct.Struct("<6I")
_RELEASE: Final = re.compile(r"release (\d{1,4})\.(\d)\b", re.ASCII)
_ARCH_OPTION: Final = re.compile(r"(?:^|\s)-{1,2}(?:gpu-name|arch)[=\s]+sm_\d+([a-z]?)(?:\s|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolInfo:
    """The tool that wrote a cubin: ``ptxas`` or ``nvlink``, and its whole command line."""

    tool: str
    version: str
    branch: str
    command_line: str

    @property
    def arch_suffix(self) -> str | None:
        """The suffix of the architecture in the command line; None where that has none."""
        found = _ARCH_OPTION.search(self.command_line)
        return found[1] if found else None

    @property
    def toolkit(self) -> int | None:
        """The toolkit's version times ten; None where the text does not say it."""
        found = _RELEASE.search(self.version)
        return 10 * int(found[1]) + int(found[2]) if found else None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteFacts:
    """What the notes of a cubin say; ``toolkit`` is ten times the version."""

    virtual_arch: int | None = None
    toolkit: int | None = None
    tool: ToolInfo | None = None


def read_notes(contents: Iterator[memoryview]) -> NoteFacts:
    """The notes of these sections; raises InputError where one is not sound."""
    virtual_arch = toolkit = tool = None
    for content in contents:
        for kind, body in iterate_notes(content, _OWNER):
            if kind == _CUINFO:
                if len(body) < _CUINFO_BODY.size:
                    raise InputError("the cuinfo note is too short")
                version, virtual_arch, number = _CUINFO_BODY.unpack_from(body)
                # Version 1, that of cuver, says something else there.
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
    tool, version, branch, command_line = (_read_text(strings, offset) for offset in offsets)
    return ToolInfo(tool=tool, version=version, branch=branch, command_line=command_line)


def _read_text(strings: bytes, offset: int) -> str:
    end = strings.find(b"\0", offset)
    if end < 0:
        raise InputError("a text of the tkinfo note lies outside of it")
    return strings[offset:end].decode("utf-8", "replace")
