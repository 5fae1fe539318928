"""Describe how an image was compiled, without anything that depends on directories."""

from __future__ import annotations

import re
from typing import Final

from kbuild.backends.interface.build import Builder, CompileUnit
from kbuild.backends.interface.toolchain import Toolchain
from kbuild.model import CompilerRecord

_PATH: Final = re.compile(r"/.*", re.DOTALL)
_HIDDEN: Final = "<path>"


def record_compiler(unit: CompileUnit, toolchain: Toolchain, builder: Builder) -> CompilerRecord:
    """Return the compiler, and the standard, definitions, and options of the target.

    Include directories and the options that every edge has are left out: they depend on the
    machine, or the note has them elsewhere.
    """
    options = (
        f"-std=c++{unit.device_standard}",
        *(f"-D{definition}" for definition in unit.definitions),
        *builder.target_options(unit),
    )
    return CompilerRecord(
        name=toolchain.compiler_id,
        version=toolchain.version,
        options=tuple(map(hide_path, options)),
    )


def hide_path(option: str) -> str:
    """Replace everything from the first slash, because it can be a path of this machine."""
    return _PATH.sub(_HIDDEN, option, count=1)
