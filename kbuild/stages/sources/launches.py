"""Find launches with ``<<<>>>`` in source text that is not preprocessed."""

from __future__ import annotations

from kbuild.cxx.unit import Unit


def find_launch(text: bytes) -> int | None:
    """Return the line of the first launch that every compiler of the source sees.

    Launches in conditions of the preprocessor are possibly not compiled, so they do not count.
    """
    if b"<<<" not in text:
        return None
    unit = Unit(text.decode(errors="surrogateescape"), is_source=True)
    if not unit.is_balanced:
        return None
    # `operator<<<int>` is an operator with template arguments.
    places = [unit.starts[i] for i in unit.find(("<<<",)) if unit.get(i - 1) != "operator"]
    for place in places:
        depth = 0
        for directive in unit.directives:
            kind = directive.text[1:].lstrip() if directive.start < place else ""
            depth += kind.startswith("if") - kind.startswith("endif")
        if depth == 0:
            return unit.text.count("\n", 0, place) + 1
    return None
