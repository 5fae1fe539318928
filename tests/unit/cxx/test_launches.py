"""Tests for finding launches in preprocessed text."""

from __future__ import annotations

import pytest

from kbuild.cxx.launches import find_launches
from kbuild.cxx.unit import Unit
from kbuild.errors import SourceError


def split(text: str) -> list[tuple[str, str, str]]:
    """Return callee, configuration, and arguments of each launch."""
    return [
        (
            text[slice(*launch.callee)],
            text[slice(*launch.configuration)],
            text[slice(*launch.arguments)],
        )
        for launch in find_launches(Unit(text))
    ]


@pytest.mark.parametrize(
    ("launch", "callee"),
    [
        ("k<<<1, 2>>>(a, b);", "k"),
        ("x = 1; k <<<1, 2>>> (a, b);", "k"),
        ("return k<<<1, 2>>>(a, b);", "k"),
        ("else k<<<1, 2>>>(a, b);", "k"),
        ("case 3: k<<<1, 2>>>(a, b);", "k"),
        ("c ? k<<<1, 2>>>(a, b) : f();", "k"),
        ("::k<<<1, 2>>>(a, b);", "::k"),
        ("return ::ns::k<<<1, 2>>>(a, b);", "::ns::k"),
        ("ns::k<int, 3><<<1, 2>>>(a, b);", "ns::k<int, 3>"),
        ("A<B<int>>::template k<T><<<1, 2>>>(a, b);", "A<B<int>>::template k<T>"),
        ("k<(3 > 2)><<<1, 2>>>(a, b);", "k<(3 > 2)>"),
        ("k<f(1, ')')><<<1, 2>>>(a, b);", "k<f(1, ')')>"),
        ("table[i](3)[j]<<<1, 2>>>(a, b);", "table[i](3)[j]"),
        ("get<int>(x)<<<1, 2>>>(a, b);", "get<int>(x)"),
        ("s.k<<<1, 2>>>(a, b);", "s.k"),
        ("this->s.at(3)->k<<<1, 2>>>(a, b);", "this->s.at(3)->k"),
        ("(*k)<<<1, 2>>>(a, b);", "(*k)"),
        ("(c ? k : q)<<<1, 2>>>(a, b);", "(c ? k : q)"),
        ("if (c) (k)<<<1, 2>>>(a, b);", "(k)"),
        ("if (c) { f(); } (k)<<<1, 2>>>(a, b);", "(k)"),
        ("while (c) k<<<1, 2>>>(a, b);", "k"),
        ("Get{3}()<<<1, 2>>>(a, b);", "Get{3}()"),
        ("f(k<<<1, 2>>>(a, b));", "k"),
        ("f(x, k<<<1, 2>>>(a, b));", "k"),
        ('at["a)"]<<<1, 2>>>(a, b);', 'at["a)"]'),
        ("k\n<T,\n U>\n<<<1, 2>>>(a, b);", "k\n<T,\n U>"),
    ],
)
def test_the_callee_is_a_postfix_expression(launch: str, callee: str) -> None:
    assert split(f"void f() {{ {launch} }}") == [(callee, "1, 2", "a, b")]


@pytest.mark.parametrize(
    "configuration",
    [
        "g(a, b), {1, 2, 3}, sizeof(int) * 3, nullptr",
        "a < b ? 1 : 2, 3",
        "f<g<h<int>>>(n), 1",
        "f<g<h<int>>>(n)",
        "dim3(n >> 2), n << 1",
        "n, x<int>",
        "[] { return a > b; }(), 3",
        "(a >>> b), 3",
        "'>', '>>>'",
        'f(">>>("), 2',
        "\n  1, \n2\n",
        "1'000, 2",
    ],
)
def test_the_configuration_ends_before_the_arguments(configuration: str) -> None:
    assert split(f"void f() {{ k<<<{configuration}>>>(x); }}") == [("k", configuration, "x")]


@pytest.mark.parametrize(
    "text",
    [
        'char* s = "k<<<1, 2>>>(3)";',
        'char* s = R"(\nk<<<1, 2>>>(3)\n)";',
        'char* s = u8R"x(\n)"\nk<<<1, 2>>>(3)\n)x";',
        "#pragma message k<<<1, 2>>>(3)\n",
        '# 1 "k<<<1, 2>>>(3)"\n',
        "A operator<<<int>(A, int);",
        "x.operator<< <int>(3);",
    ],
)
def test_other_text_is_not_a_launch(text: str) -> None:
    assert find_launches(Unit(text)) == ()


def test_nested_launches_are_found_from_the_outside_to_the_inside() -> None:
    text = "void f() { k<<<1, 2>>>([&] { q<<<3, 4>>>(5); }); }"
    assert [callee for callee, _, _ in split(text)] == ["k", "q"]


@pytest.mark.parametrize(
    ("launch", "problem"),
    [
        ("k<<<1, 2>>>;", "there is no '>>>' before an opening parenthesis"),
        ("k<<<1, 2;", "there is no '>>>' before an opening parenthesis"),
        ("k<<<1, 2>>>(3;", "the arguments have no closing parenthesis"),
        ("return <<<1, 2>>>(3);", "there is no kernel before '<<<'"),
    ],
)
def test_a_launch_that_is_not_understood_is_an_error_with_its_line(
    launch: str, problem: str
) -> None:
    text = f'# 7 "a.cu"\nvoid f() {{\n  {launch}'
    with pytest.raises(SourceError) as raised:
        find_launches(Unit(text))
    assert str(raised.value) == (
        f"a.cu:8: cannot read the launch: {problem}; expected "
        "kernel<<<grid, block, shared_bytes, stream>>>(arguments)"
    )
