"""Find launches with ``<<<>>>`` in source text that is not preprocessed."""

from __future__ import annotations

from kbuild.cxx.unit import Unit
from kbuild.stages.sources.kernels import list_conditional


def find_launch(text: bytes) -> int | None:
    """Return the line of the first launch that every compiler of the source sees.

    Launches in conditions of the preprocessor are possibly not compiled, so they do not count.
    """
    if b"<<<" not in text:
        return None
    unit = Unit(text.decode(errors="surrogateescape"), is_source=True)
    if not unit.is_balanced:
        return None
    left_out = tuple(list_conditional(unit))
    for index in unit.find(("<<<",)):
        place = unit.starts[index]
        is_optional = any(start < place < end for start, end in left_out)
        # `operator<<<int>` is an operator with template arguments.
        if not is_optional and unit.get(index - 1) != "operator":
            return unit.text.count("\n", 0, place) + 1
    return None
