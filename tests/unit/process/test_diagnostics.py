"""Which lines of compilers' logs tell something new."""

from __future__ import annotations

from kbuild.process.diagnostics import drop_columns, select_once

GCC = """\
In file included from a.cu:1:
a.h: In function 'void f()':
a.h:3:5: error: 'y' was not declared in this scope
    3 |     y = 1;
      |     ^
a.h:1:1: note: declared here
"""
GCC_OTHER = """\
a.cu: In instantiation of 'void g(T) [with T = int]':
a.cu:9:4:   required from here
a.cu:5:7: error: no match
"""
EDG = """\
a.cu(2): error: identifier "y" is undefined
          void f() { y; y; }
                     ^

"""


def test_a_diagnostic_of_several_logs_is_shown_once_in_any_order() -> None:
    assert select_once(GCC + GCC_OTHER, GCC_OTHER + GCC) == GCC + GCC_OTHER


def test_context_and_notes_go_with_their_diagnostic() -> None:
    assert select_once(GCC, GCC.replace("3:5", "4:5") + "a.cu: In function 'int main()':\n") == (
        GCC + GCC.replace("3:5", "4:5") + "a.cu: In function 'int main()':\n"
    )
    assert select_once("a.cu:1:9: note: '#pragma message: x'\n" * 2).count("x") == 1


def test_one_place_has_a_diagnostic_once_and_a_line_as_often_as_one_log_has_it() -> None:
    assert select_once(GCC + GCC) == GCC
    other = EDG.replace("          void", "  __attribute__((global)) void")

    assert select_once(EDG + EDG, other + other + other) == EDG + EDG + other
    assert (
        select_once("ld: a.o: undefined reference\n  x\n") == "ld: a.o: undefined reference\n  x\n"
    )


def test_columns_are_dropped_with_their_carets() -> None:
    text = drop_columns(GCC + GCC_OTHER)

    assert "a.h:3: error: 'y' was" in text
    assert "a.cu:9:   required from here" in text
    assert "    3 |     y = 1;" in text
    assert "^" not in text
