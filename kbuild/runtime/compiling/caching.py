"""Find out whether the kernel cache can keep a compilation, and compute its key."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

from kbuild import resources
from kbuild.files import sha256
from kbuild.records import to_json
from kbuild.stages.depfiles import read_depfile
from kbuild.stages.edges import CompileEdge
from kbuild.toolchain.caches import KernelCache, is_switched_on

# The result depends on more than the files that the compiler includes.
_TIMES: Final = re.compile(rb"__(?:DATE|TIME|TIMESTAMP)__")
_READERS: Final = re.compile(
    r"@.*|--?(?:optf|options-file|specs|fplugin|fprofile|load|use-pch|pch|create-pch|B).*"
)


def choose_cache(*, requested: bool | None, options: tuple[str, ...]) -> KernelCache | None:
    """Return the kernel cache if it is requested, and usable with these options.

    Options that make the compiler read files of other kinds are not.
    """
    if not (is_switched_on() if requested is None else requested):
        return None
    return None if any(_READERS.fullmatch(option) for option in options) else KernelCache()


def hash_key(*parts: Any) -> str:
    """Return a key for everything that determines the output of a compiler."""
    known = (resources.identify_installation(), *parts)
    plain = [part.hex() if isinstance(part, bytes) else to_json(part) for part in known]
    return sha256(json.dumps(plain).encode())[:32]


def list_dependencies(edge: CompileEdge, text: bytes) -> tuple[Path, ...] | None:
    """Return the headers that an edge read; None if the result depends on more."""
    if uses_time(text) or not edge.depfile.is_file():
        return None
    read = read_depfile(edge.depfile.read_text(errors="surrogateescape"))
    made = edge.output.parent
    return tuple(
        path.absolute() for path in read if path != edge.source and not path.is_relative_to(made)
    )


def uses_time(text: bytes) -> bool:
    """Return whether the text asks for the time of the compilation."""
    return _TIMES.search(text) is not None
