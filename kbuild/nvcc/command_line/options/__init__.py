"""The options of nvcc 13: names, values, and what `kbuild-nvcc` does with each.

The names are those that ``nvcc --help`` of CUDA 13.5 lists, and three that it hides although builds
use them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kbuild.nvcc.command_line.options.code import ARCHITECTURES, GENERATION, LANGUAGE
from kbuild.nvcc.command_line.options.driver import DIAGNOSTICS, DRIVER, OWN, STEPS
from kbuild.nvcc.command_line.options.model import Effect, Kind, Option, Outcome, Quoting, Receiver
from kbuild.nvcc.command_line.options.phases import DEPENDENCIES, FILES, PHASES

__all__ = [
    "OPTIONS",
    "SECTIONS",
    "Effect",
    "Kind",
    "Option",
    "Outcome",
    "Quoting",
    "Receiver",
]

# The headings of the reference.
SECTIONS: Final[Mapping[str, tuple[Option, ...]]] = {
    "Phases": PHASES,
    "Depfiles": DEPENDENCIES,
    "Files and directories": FILES,
    "Language": LANGUAGE,
    "Architectures": ARCHITECTURES,
    "Code generation": GENERATION,
    "Options for single steps": STEPS,
    "Diagnostics": DIAGNOSTICS,
    "The driver": DRIVER,
    "kbuild's own": OWN,
}
# By name, all spellings.
OPTIONS: Final[Mapping[str, Option]] = {
    name: option for section in SECTIONS.values() for option in section for name in option.names
}
