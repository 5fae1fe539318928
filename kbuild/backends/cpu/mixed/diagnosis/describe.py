"""Describe how a compiler diagnoses and reviews a source. See `MixedPasses`."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from kbuild.backends.cpu import build
from kbuild.backends.cpu.mixed import qualifiers as q
from kbuild.backends.interface.build import CompileUnit
from kbuild.backends.interface.mixed import Diagnosis, HostUnit
from kbuild.model import Command

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kbuild.backends.cpu.mixed.diagnosis.functions import Function
    from kbuild.backends.cpu.mixed.diagnosis.review import Reviewer
    from kbuild.backends.cpu.mixed.diagnosis.uses import MarkedText
    from kbuild.backends.interface.toolchain import Toolchain
    from kbuild.cxx.unit import Unit

# The command shows no warnings: those of the real text count, which is optimized.
_DIAGNOSIS: Final = ("-fsyntax-only", "-w")
_REVIEW: Final = ("-fsyntax-only", "-Wdeprecated-declarations")
# clang shows the line that it reads, and not that of the file.
_CLANG: Final = ("-fno-caret-diagnostics",)
_GCC: Final = ("-fno-diagnostics-show-caret", "-fdiagnostics-column-unit=byte")


def describe_diagnosis(code: Unit, unit: CompileUnit | HostUnit, tc: Toolchain) -> Diagnosis:
    """See `MixedPasses`: a compile of the user's own text, without code generation."""
    from kbuild.backends.cpu.mixed.diagnosis.text import write_diagnosis_text  # noqa: PLC0415 - only failures need it

    options = (*_DIAGNOSIS, *(_CLANG if q.compiles_with_clang(code.text) else ()))
    return _describe(unit, tc, options, write_diagnosis_text(code))


def describe_review(code: Unit, unit: CompileUnit | HostUnit, tc: Toolchain) -> Diagnosis | None:
    """See `MixedPasses`: a compile that warns about each use of functions that can be misused.

    In a source without host code, what is not marked is device code.
    """
    if isinstance(unit, CompileUnit) and not unit.is_mixed:
        return None
    is_device = isinstance(unit, CompileUnit)
    if not _find_functions(code, is_device=is_device)[1]:
        return None
    options = (*_REVIEW, *(_CLANG if q.compiles_with_clang(code.text) else _GCC))
    return _describe(unit, tc, options, _mark_functions(code, is_device=is_device).text)


def read_review(code: Unit, unit: CompileUnit | HostUnit, log: str) -> Iterator[str]:
    """See `MixedPasses`: device code that uses host code, or the reverse."""
    from kbuild.backends.cpu.mixed.diagnosis.text import read_lines  # noqa: PLC0415 - as above
    from kbuild.backends.cpu.mixed.diagnosis.uses import read_uses  # noqa: PLC0415 - as above
    from kbuild.cxx.columns import describe_place  # noqa: PLC0415 - as above

    is_device = isinstance(unit, CompileUnit)
    reviewer, functions = _find_functions(code, is_device=is_device)
    uses = read_uses(log, _mark_functions(code, is_device=is_device))
    judge = reviewer.judge_host_functions if is_device else reviewer.judge_device_functions
    said = set()
    for mistake in judge(functions, uses):
        message = f"{describe_place(code, mistake.position, read_lines)}: {mistake.message}"
        if message not in said:
            said.add(message)
            yield message


@lru_cache(maxsize=1)
def _find_functions(code: Unit, *, is_device: bool) -> tuple[Reviewer, tuple[Function, ...]]:
    """Return the functions to mark: those of the host in the device pass, and the reverse."""
    from kbuild.backends.cpu.mixed.diagnosis.review import Reviewer  # noqa: PLC0415 - not every source needs it

    reviewer = Reviewer(code)
    if is_device:
        return reviewer, reviewer.find_host_functions()
    return reviewer, reviewer.find_device_functions()


@lru_cache(maxsize=1)
def _mark_functions(code: Unit, *, is_device: bool) -> MarkedText:
    from kbuild.backends.cpu.mixed.diagnosis.text import edit_plainly  # noqa: PLC0415 - most sources do not need it
    from kbuild.backends.cpu.mixed.diagnosis.uses import mark_functions  # noqa: PLC0415 - most sources do not need it

    _, functions = _find_functions(code, is_device=is_device)
    return mark_functions(code, edit_plainly(code), functions)


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
