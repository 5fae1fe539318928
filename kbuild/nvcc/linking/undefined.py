"""Explain links that miss a kernel."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from kbuild.backends.interface.build import CompilerLog
from kbuild.formats.elf.file import Elf
from kbuild.stages.mixed.launched import SECTION
from kbuild.stages.relocatable import list_objects

# The messages of GNU ld and gold, and of lld and mold.
_UNDEFINED: Final = re.compile(r"undefined (?:reference to|symbol:) (.*)")


def read_log(log: str, paths: Iterable[Path]) -> CompilerLog:
    """Return the log of a failed link, and the fix if a kernel is launched that no file defines.

    Args:
        log: What the linker printed.
        paths: The objects and archives of the link.
    """
    missing = "\n".join(_UNDEFINED.findall(log))
    objects = (
        content for path in paths if missing for _, content in list_objects(path, SECTION.encode())
    )
    launched = sorted({name for content in objects for name in read_launched(content)})
    kernels = [f"'{name}'" for name in launched if _names(name, missing)]
    if not kernels:
        return CompilerLog(text=log)
    subject = (
        f"kernel {kernels[0]} is" if len(kernels) == 1 else f"kernels {', '.join(kernels)} are"
    )
    text = f"{subject} launched, but no linked file defines {'it' if len(kernels) == 1 else 'them'}"
    return CompilerLog(text=log, fix=f"{text}; link the object of the source that does")


def _names(kernel: str, symbols: str) -> bool:
    """Return whether one of the demangled symbols is a kernel, or an instance of it."""
    return re.search(rf"(?<!\w){re.escape(kernel)}[(<]", symbols) is not None


def read_launched(content: bytes) -> frozenset[str]:
    """Return the names of the kernels that an object launches."""
    elf = Elf(content)
    sections = elf.sections_named(SECTION)
    return frozenset(
        name for section in sections for name in bytes(elf.content(section)).decode().split()
    )
