"""Let a compiler tell what is wrong with a mixed source."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from kbuild import files, process
from kbuild.backends.interface.build import Builder, CompileUnit
from kbuild.errors import SourceError, ToolError
from kbuild.process.diagnostics import drop_columns, select_once
from kbuild.stages.mixed.texts import make_tool_error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kbuild.backends.interface.mixed import Diagnosis, HostUnit, MixedPasses
    from kbuild.backends.interface.toolchain import Toolchain
    from kbuild.cxx.unit import Unit
    from kbuild.model import CommandResult


@contextmanager
def diagnose(
    code: Unit,
    unit: CompileUnit | HostUnit,
    tc: Toolchain,
    passes: MixedPasses,
    builder: Builder,
) -> Iterator[None]:
    """If what is done with a text fails, raise what a compiler says about the text instead.

    kbuild expects valid C++, so that an invalid text can make it fail in any way. A failure remains
    as it is if the compiler accepts the text, apart from the columns of the text that failed.

    Raises:
        ToolError: The compiler rejects the text.
    """
    try:
        yield
    except Exception as error:
        if passes.describe_diagnosis is None:
            raise
        _run(code, unit, tc, passes, builder)
        if not isinstance(error, ToolError):
            raise
        log = drop_columns(select_once(error.log)).rstrip("\n")
        raise ToolError(error.message, log=log, command=error.command) from error


def review(code: Unit, unit: CompileUnit | HostUnit, tc: Toolchain, passes: MixedPasses) -> str:
    """Check that a text keeps the rules of the device language, which C++ compilers do not know.

    Returns:
        Warnings.

    Raises:
        SourceError: It does not.
    """
    if passes.describe_review is None or passes.read_review is None:
        return ""
    found = passes.describe_review(code, unit, tc)
    if found is None:
        return ""
    result = _compile(found)
    if result.returncode:
        return _describe_omission(result, code, unit, tc, passes)
    remarks = [*passes.read_review(code, unit, result.stderr)]
    errors = [f"{remark.place}: {remark.text}" for remark in remarks if remark.is_error]
    if errors:
        raise SourceError("\n".join(errors))
    return "".join(f"{remark.place}: warning: {remark.text}\n" for remark in remarks)


def _describe_omission(
    result: CommandResult,
    code: Unit,
    unit: CompileUnit | HostUnit,
    tc: Toolchain,
    passes: MixedPasses,
) -> str:
    """Return the warning that a text is not reviewed; none if the source is wrong.

    The device pass has compiled the source. The compile of the host pass says what is wrong.
    """
    if passes.describe_diagnosis is not None and not isinstance(unit, CompileUnit):
        diagnosis = passes.describe_diagnosis(code, unit, tc)
        if _compile(diagnosis).returncode:
            return ""
    errors = (line for line in result.stderr.splitlines() if " error: " in line)
    return (
        f"{unit.display_source}: warning: kbuild does not check how host and device code use each "
        f"other's functions and variables; the compiler rejects the text for this check: "
        f"{next(errors, '').strip()}\n"
    )


def _run(
    code: Unit,
    unit: CompileUnit | HostUnit,
    tc: Toolchain,
    passes: MixedPasses,
    builder: Builder,
) -> None:
    if passes.describe_diagnosis is None:
        return
    result = _compile(passes.describe_diagnosis(code, unit, tc))
    if result.returncode > 0:
        compiled = unit if isinstance(unit, CompileUnit) else None
        raise make_tool_error(result, partial(builder.read_log, unit=compiled))


def _compile(found: Diagnosis) -> CommandResult:
    files.write_file(found.text, found.content.encode(errors="surrogateescape"))
    result = process.run(found.command)
    found.text.unlink()
    return result
