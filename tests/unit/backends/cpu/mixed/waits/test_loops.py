"""In which loops a thread can wait for memory, and how they let other threads run."""

from __future__ import annotations

import pytest

from kbuild.backends.cpu.mixed.waits.loops import find_waiting_loops, mark_loops
from kbuild.cxx.rewriting.rewrite import apply_edits
from kbuild.cxx.unit import Unit

CALL = "::kbuild_cpu::wait_in_loop();"
FIXED = pytest.mark.xfail(reason="the word volatile itself does not count")


def mark(body: str) -> str:
    """Return the body of a function with marked loops."""
    unit = Unit(f"void f() {{ {body} }}")
    loops = find_waiting_loops(unit, frozenset(("cas", "fence")), frozenset(("flag",)))
    text = apply_edits(unit.text, tuple(mark_loops(unit, loops)), (0, len(unit.text)))
    return text.removeprefix("void f() { ").removesuffix(" }")


@pytest.mark.parametrize(
    ("loop", "marked"),
    [
        ("while (cas(p, 1)) {}", f"while (cas(p, 1)) {{ {CALL}}}"),
        ("while (flag == 0) ;", f"while (flag == 0) {{ {CALL} ; }}"),
        ("while (flag) f();", f"while (flag) {{ {CALL} f(); }}"),
        ("do { fence(); } while (x);", f"do {{ {CALL} fence(); }} while (x);"),
        ("do f(); while (flag);", f"do {{ {CALL} f(); }} while (flag);"),
        ("for (;;) if (flag) break;", f"for (;;) {{ {CALL} if (flag) break; }}"),
        (
            "while (x) for (int i = 0; i < n; ++i) old = cas(p, x[i]);",
            f"while (x) {{ {CALL} for (int i = 0; i < n; ++i) old = cas(p, x[i]); }}",
        ),
        (
            "while (x) g([&] { return flag; });",
            f"while (x) {{ {CALL} g([&] {{ return flag; }}); }}",
        ),
        pytest.param(
            "while (*(volatile int*)p) {}", f"while (*(volatile int*)p) {{ {CALL}}}", marks=FIXED
        ),
    ],
)
def test_loops_that_wait(loop: str, marked: str) -> None:
    assert mark(loop) == marked


@pytest.mark.parametrize(
    "loop",
    [
        "while (x) { f(); }",
        "while (x) { cas(p, 1); }",  # nobody uses the result
        "for (int i = 0; i < n; ++i) old = cas(p, x[i]);",
        "for (int i = n; i > 0; i--) sum += flag;",
        "x = flag; while (x) {}",
    ],
)
def test_other_loops(loop: str) -> None:
    assert mark(loop) == loop


@pytest.mark.parametrize(
    "loop",
    [
        "for (int i = 0; i < *n; ++i) flag;",  # the limit is memory
        "for (int i = 0; i < n; ++i) i -= flag;",
        "for (int i = 0; i < n; ++i) g(i, flag);",  # which can change it
        "for (int i = 0; j < n; ++i) old = flag;",
        "for (int i = 0; i < n || flag; ++i) ;",
        "for (auto x : flag) ;",
    ],
)
def test_loops_that_do_not_count_to_a_limit(loop: str) -> None:
    assert CALL in mark(loop)
