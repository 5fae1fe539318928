"""Let a compiler tell what is wrong with a mixed source."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from kbuild import files, process
from kbuild.backends.interface.build import Builder, CompileUnit
from kbuild.stages.mixed.texts import make_tool_error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kbuild.backends.interface.mixed import HostUnit, MixedPasses
    from kbuild.backends.interface.toolchain import Toolchain
    from kbuild.cxx.unit import Unit


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
    as it is if the compiler accepts the text.

    Raises:
        ToolError: The compiler rejects the text.
    """
    try:
        yield
    except Exception:
        if passes.describe_diagnosis is not None:
            _run(code, unit, tc, passes, builder)
        raise


def _run(
    code: Unit,
    unit: CompileUnit | HostUnit,
    tc: Toolchain,
    passes: MixedPasses,
    builder: Builder,
) -> None:
    if passes.describe_diagnosis is None:
        return
    found = passes.describe_diagnosis(code, unit, tc)
    files.write_file(found.text, found.content.encode(errors="surrogateescape"))
    result = process.run(found.command)
    if result.returncode > 0:
        compiled = unit if isinstance(unit, CompileUnit) else None
        raise make_tool_error(result, partial(builder.read_log, unit=compiled))
    found.text.unlink()
