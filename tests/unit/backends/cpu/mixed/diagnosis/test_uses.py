"""Tests for where a compiler's warnings say that a text uses functions."""

from __future__ import annotations

from kbuild.backends.cpu.mixed.diagnosis.uses import Use, mark_declarations, read_uses
from kbuild.cxx.model import Edit
from kbuild.cxx.unit import Unit

TEXT = 'int f();\nint g() { return f(); }\nint h(const char*);\nint i = h("\u00e4") + f();'


def describe(line: int, column: int) -> str:
    """Return gcc's warning about a use of the first function. Columns count bytes."""
    return f"kbuild-text:{line}:{column}: warning: 'int f()' is deprecated: kbuild 0 [-Wdep]\n"


def find_uses(*places: tuple[int, int]) -> list[Use]:
    code = Unit(TEXT)
    removed = Edit(start=TEXT.index("int h"), end=TEXT.index("int h") + 3, text="long long\nint")
    marked = mark_declarations(code, (removed,), ((0, ""),))
    return list(read_uses("".join(describe(*place) for place in places), marked))


def test_uses_are_at_the_original_positions() -> None:
    in_g, last = TEXT.index("f(); }"), TEXT.rindex("f()")

    # The edit has added a line, and the letter has two bytes.
    assert find_uses((2, 18), (5, 19)) == [
        Use(0, in_g, is_instance=False),
        Use(0, last, is_instance=False),
    ]


def test_places_outside_of_the_text_are_ignored() -> None:
    assert find_uses((3, 2), (6, 1), (99, 1)) == []
