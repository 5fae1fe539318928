"""Describe how a compiler diagnoses a source. See `MixedPasses.describe_diagnosis`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kbuild.backends.cpu import build
from kbuild.backends.cpu.mixed import qualifiers as q
from kbuild.backends.interface.build import CompileUnit
from kbuild.backends.interface.mixed import Diagnosis, HostUnit
from kbuild.model import Command

if TYPE_CHECKING:
    from kbuild.backends.interface.toolchain import Toolchain
    from kbuild.cxx.unit import Unit

# Warnings are those of the real text, which is optimized.
_OPTIONS: Final = ("-fsyntax-only", "-w")
# clang shows the line that it reads, and not that of the file.
_CLANG_OPTIONS: Final = ("-fno-caret-diagnostics",)


def describe_diagnosis(code: Unit, unit: CompileUnit | HostUnit, tc: Toolchain) -> Diagnosis:
    """See `MixedPasses`: a compile of the user's own text, without code generation."""
    from kbuild.backends.cpu.diagnosis.text import write_diagnosis_text  # noqa: PLC0415 - only failures need it

    text = unit.output.with_name(f"{unit.output.name}.diagnosis.cpp")
    argv: tuple[str, ...]
    if isinstance(unit, CompileUnit):
        argv = build.compile_command(replace(unit, text=text), tc).argv
        argv = argv[: argv.index("-c")]
    else:
        standard = f"-std=gnu++{unit.device_standard}"
        argv = (str(unit.compiler), "-x", "c++", standard, *unit.options)
    options = _CLANG_OPTIONS if q.compiles_with_clang(code.text) else ()
    command = Command(argv=(*argv, *_OPTIONS, *options, str(text)), inputs=(text,))
    return Diagnosis(command=command, text=text, content=write_diagnosis_text(code))
