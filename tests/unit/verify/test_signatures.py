from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.demangle.names import demangle, list_groups, split_function
from kbuild.model import Param
from kbuild.verify.signatures import contradict_name, size_of

_NAMES = Path(__file__).with_name("kernel_names.txt")
REAL = [
    (symbol, [int(size) for size in sizes])
    for line in _NAMES.read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
    for symbol, *sizes in [line.split()]
]
LAMBDA = "A<int, B<float (*)()>(C&, float (*)())::{lambda(unsigned long)#1}&>::{lambda(int)#1}"


def _layout(sizes: list[int]) -> tuple[Param, ...]:
    return tuple(Param(index=n, offset=8 * n, size=size) for n, size in enumerate(sizes))


@pytest.mark.parametrize(("symbol", "sizes"), REAL, ids=range(len(REAL)))
def test_names_of_public_libraries_agree_with_their_layouts(symbol: str, sizes: list[int]) -> None:
    display = demangle(symbol)
    _, types = split_function(display)
    assert types is None or len(types) == len(sizes)
    assert contradict_name(display, _layout(sizes)) is None


@pytest.mark.parametrize(("symbol", "sizes"), REAL[::10], ids=range(len(REAL[::10])))
def test_another_parameter_contradicts_a_real_name(symbol: str, sizes: list[int]) -> None:
    if demangle(symbol) != symbol:
        assert contradict_name(demangle(symbol), _layout([*sizes, 8])) is not None


@pytest.mark.parametrize(
    ("kind", "size"),
    [
        ("float*", 8),
        ("float const*", 8),
        ("int&", 8),
        ("T&&", 8),
        ("void (*)(int)", 8),
        ("int (&) [3]", 8),
        ("void (*(*)(int))(float)", 8),
        (f"{LAMBDA}*", 8),
        (LAMBDA, None),
        ("ns::f(void (*)(), int&)::Local", None),
        ("void (S::*)(int)", None),
        ("int S::*", None),
        ("A<void (*)()>", None),
        ("S<(E)1>", None),
        ("int", 4),
        ("unsigned long", 8),
        ("__half", None),
    ],
)
def test_size_of_a_type(kind: str, size: int | None) -> None:
    assert size_of(kind) == size


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("int", []),
        ("void (*)(int)", ["*", "int"]),
        ("f<void (*)()>(int)::{lambda(float)#1} (*)[2]", ["int", "*"]),
        ("S::operator()(int)::Local", ["int"]),
        ("a(b(c))", ["b(c)"]),
        ("a(b", []),
    ],
)
def test_groups_outside_other_brackets(text: str, groups: list[str]) -> None:
    assert list(list_groups(text)) == groups


def test_windows_has_other_sizes_of_long() -> None:
    display = "f(long, unsigned long, wchar_t, long long)"

    assert contradict_name(display, _layout([4, 4, 2, 8]), is_windows=True) is None
    assert contradict_name(display, _layout([4, 4, 2, 8])) is not None
    assert contradict_name(display, _layout([8, 4, 2, 8]), is_windows=True) is not None
