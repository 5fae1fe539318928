"""Describe how a compiler diagnoses and reviews a source. See `MixedPasses`."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from kbuild.backends.cpu import build
from kbuild.backends.cpu.mixed import qualifiers as q
from kbuild.backends.interface.build import CompileUnit
from kbuild.backends.interface.mixed import Diagnosis, HostUnit, Remark
from kbuild.model import Command
from kbuild.values import replace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kbuild.backends.cpu.mixed.diagnosis.marks import Marks
    from kbuild.backends.cpu.mixed.diagnosis.uses import MarkedText
    from kbuild.backends.cpu.mixed.diagnosis.variables import Part
    from kbuild.backends.interface.toolchain import Toolchain
    from kbuild.cxx.unit import Unit

# The command shows no warnings: those of the real text count, which is optimized.
# kbuild rejects exceptions in device code itself.
_DIAGNOSIS: Final = ("-fsyntax-only", "-w", "-fexceptions")
# The project can make errors of warnings, and of markers of lines.
_REVIEW: Final = (
    *("-fsyntax-only", "-Wdeprecated-declarations", "-Wno-pedantic"),
    *("-Wno-error", "-Wno-error=deprecated-declarations"),
)
# clang shows the line that it reads, and not that of the file.
_NO_CARET: Final = "-fno-caret-diagnostics"
_CARET: Final = "-fdiagnostics-show-caret"
_GCC: Final = ("-fno-diagnostics-show-caret", "-fdiagnostics-column-unit=byte")


def describe_diagnosis(code: Unit, unit: CompileUnit | HostUnit, tc: Toolchain) -> Diagnosis:
    """See `MixedPasses`: a compile of the user's own text, without code generation."""
    from kbuild.backends.cpu.mixed.diagnosis.text import write_diagnosis_text  # noqa: PLC0415 - only failures need it

    options = (*_DIAGNOSIS, _NO_CARET if q.compiles_with_clang(code.text) else _CARET)
    return _describe(unit, tc, options, write_diagnosis_text(code))


def describe_review(code: Unit, unit: CompileUnit | HostUnit, tc: Toolchain) -> Diagnosis | None:
    """See `MixedPasses`: a compile that warns about each use of what can be misused."""
    marks = _find_marks(code, _find_part(unit))
    if not (marks.functions or marks.variables):
        return None
    options = (*_REVIEW, *((_NO_CARET,) if q.compiles_with_clang(code.text) else _GCC))
    return _describe(unit, tc, options, _mark(code, _find_part(unit)).text)


def read_review(code: Unit, unit: CompileUnit | HostUnit, log: str) -> Iterator[Remark]:
    """See `MixedPasses`: device code that uses host code, or the reverse."""
    from kbuild.backends.cpu.mixed.diagnosis.text import read_lines  # noqa: PLC0415 - as above
    from kbuild.backends.cpu.mixed.diagnosis.uses import read_uses  # noqa: PLC0415 - as above
    from kbuild.cxx.columns import describe_place  # noqa: PLC0415 - as above

    marks = _find_marks(code, _find_part(unit))
    uses = [*read_uses(log, _mark(code, _find_part(unit)))]
    said = set()
    for mistake in marks.judge(uses):
        place = describe_place(code, mistake.position, read_lines)
        remark = Remark(place=place, text=mistake.message, is_error=mistake.is_error)
        if remark not in said:
            said.add(remark)
            yield remark


def _find_part(unit: CompileUnit | HostUnit) -> Part:
    if not isinstance(unit, CompileUnit):
        return "host"
    return "device" if unit.is_mixed else "all"


@lru_cache(maxsize=1)
def _find_marks(code: Unit, part: Part) -> Marks:
    from kbuild.backends.cpu.mixed.diagnosis.marks import find_marks  # noqa: PLC0415 - not every source needs it

    return find_marks(code, part)


@lru_cache(maxsize=1)
def _mark(code: Unit, part: Part) -> MarkedText:
    from kbuild.backends.cpu.mixed.diagnosis.text import edit_plainly  # noqa: PLC0415 - most sources do not need it
    from kbuild.backends.cpu.mixed.diagnosis.uses import mark_declarations  # noqa: PLC0415 - most sources do not need it

    return mark_declarations(code, edit_plainly(code), _find_marks(code, part).places)


def _describe(
    unit: CompileUnit | HostUnit, tc: Toolchain, options: tuple[str, ...], content: str
) -> Diagnosis:
    text = unit.output.with_name(f"{unit.output.name}.diagnosis.cpp")
    argv: tuple[str, ...]
    if isinstance(unit, CompileUnit):
        argv = build.compile_command(replace(unit, text=text), tc).argv
        argv = argv[: argv.index("-c")]
    else:
        standard = f"-std=gnu++{unit.device_standard}"
        argv = (str(unit.compiler), "-x", "c++", standard, *unit.options)
    command = Command(argv=(*argv, *options, str(text)), inputs=(text,))
    return Diagnosis(command=command, text=text, content=content)
