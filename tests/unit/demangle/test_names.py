from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbuild.demangle import server
from kbuild.demangle.names import demangle, is_nameable, names_instance, split_function


@pytest.mark.parametrize(
    ("name", "display"),
    [
        ("_ZN2ns5scaleEPffi", "ns::scale(float*, float, int)"),
        ("_Z4axpyIfEvT_PS0_", "void axpy<float>(float, float*)"),
        ("_ZN12_GLOBAL__N_11fEv", "(anonymous namespace)::f()"),
        ("saxpy", "saxpy"),
        ("", ""),
        ("i", "i"),
        ("_Z", "_Z"),
        ("_Znonsense", "_Znonsense"),
        ("_ZN2ns5scale", "_ZN2ns5scale"),
        ("_Z\udc80", "_Z\udc80"),
        ("_Z1f" + "P" * 100_000 + "i", "_Z1f" + "P" * 100_000 + "i"),
    ],
)
def test_name_is_demangled(name: str, display: str) -> None:
    assert demangle(name) == display


def substitute(number: int) -> str:
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return "S_" if number == 0 else f"S{digits[number - 1]}_"


def double(steps: int) -> str:
    """Return a name in which each step contains the previous step twice."""
    rest = "".join(f"S0_I{2 * substitute(2 + step)}E" for step in range(steps))
    return f"_Z1f1a1bIS_S_E{rest}"


def test_name_that_expands_to_gigabytes_stays_mangled() -> None:
    assert len(demangle(double(8))) > 500
    assert demangle(double(33)) == double(33)
    # A new process replaces the one that exceeded its limit.
    assert demangle(LONG) == f"f({', '.join(['A', *['A'] * 40])})"


def test_name_that_needs_many_megabytes_is_demangled_in_another_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(server, "ask", lambda _: "asked")
    assert demangle(double(20)) == "asked"
    assert demangle("_Z1f" + "P" * 1100 + "i") == "asked"
    assert demangle(double(9)) != "asked"


def test_names_stay_mangled_after_many_that_exceed_the_time_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    starts: list[None] = []

    class Stuck:
        def __init__(self, _: str) -> None:
            starts.append(None)

        def ask(self, _: bytes) -> None:
            return None

    monkeypatch.setattr(server, "Server", Stuck)
    monkeypatch.setattr(server, "_servers", {})
    monkeypatch.setattr(server, "_failures", {})
    assert [server.ask(f"_Z{number}") for number in range(20)] == [None] * 20
    assert len(starts) == 3


LONG = "_Z1f1A" + "S_" * 40


def test_name_with_many_substitutions_is_demangled() -> None:
    assert demangle(LONG) == f"f({', '.join(['A'] * 41)})"
    assert demangle("_Z" + "S_" * 40) == "_Z" + "S_" * 40
    assert demangle("_Z\n" + "S_" * 40) == "_Z\n" + "S_" * 40


@pytest.mark.parametrize(
    ("display", "name", "types"),
    [
        ("saxpy", "saxpy", None),
        ("f()", "f", ()),
        ("f(void)", "f", ()),
        ("ns::scale(float*, float, int)", "ns::scale", ("float*", "float", "int")),
        ("void ns::axpy<float>(float, float*)", "ns::axpy<float>", ("float", "float*")),
        ("(anonymous namespace)::f(int)", "(anonymous namespace)::f", ("int",)),
        (
            "void ns::(anonymous namespace)::k<float>(float*)",
            "ns::(anonymous namespace)::k<float>",
            ("float*",),
        ),
        ("void k<(a>b)>(int)", "k<(a>b)>", ("int",)),
        ("void k<(a<b)>(int)", "k<(a<b)>", ("int",)),
        ("void k<&(S::f(int))>(int)", "k<&(S::f(int))>", ("int",)),
        (
            "void k(std::map<int, float> const&, void (*)(int, int), int (&) [3])",
            "k",
            ("std::map<int, float> const&", "void (*)(int, int)", "int (&) [3]"),
        ),
        ("unsigned long k<std::pair<int, int> >(int)", "k<std::pair<int, int> >", ("int",)),
        ("S::operator()(int, long) const", "S::operator()", ("int", "long")),
        ("void S::operator()<int>(int) const", "S::operator()<int>", ("int",)),
        ("bool operator< <int>(A<int>, int)", "operator< <int>", ("A<int>", "int")),
        ("S::operator<<(int)", "S::operator<<", ("int",)),
        ("S::operator->()", "S::operator->", ()),
        ("S::operator unsigned int()", "S::operator unsigned int", ()),
        ("operator new[](unsigned long)", "operator new[]", ("unsigned long",)),
        ("my_operator(int)", "my_operator", ("int",)),
        ("operator_of(int)", "operator_of", ("int",)),
        (
            "f(int)::{lambda(float)#1}::operator()(float) const",
            "f(int)::{lambda(float)#1}::operator()",
            ("float",),
        ),
        ("f(int) [clone .cold]", "f", ("int",)),
        ("f(int) (.isra.0)", "f", ("int",)),
    ],
)
def test_function_name_is_split(display: str, name: str, types: tuple[str, ...] | None) -> None:
    assert split_function(display) == (name, types)


IDENTIFIERS = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True).filter(
    lambda word: not word.startswith("operator")
)
TYPES = st.recursive(
    st.sampled_from(["int", "float*", "unsigned long", "void (*)(int, char)", "ns::V<3>"]),
    lambda inner: st.lists(inner, min_size=1, max_size=3).map(lambda t: f"A<{', '.join(t)}>"),
    max_leaves=6,
)


@given(st.lists(IDENTIFIERS, min_size=1, max_size=3), st.lists(TYPES, max_size=4))
def test_splitting_reverses_joining_for_functions(scopes: list[str], types: list[str]) -> None:
    name = "::".join(scopes)
    assert split_function(f"{name}({', '.join(types)})") == (name, tuple(types))


@given(IDENTIFIERS, st.lists(TYPES, min_size=1, max_size=3), st.lists(TYPES, max_size=4))
def test_splitting_reverses_joining_for_templates(
    name: str, arguments: list[str], types: list[str]
) -> None:
    instance = f"{name}<{', '.join(arguments)}>"
    assert split_function(f"void {instance}({', '.join(types)})") == (instance, tuple(types))


@pytest.mark.parametrize("text", [" " * 300_000 + "x", " [clone x" * 50_000, " [clone x]" * 9_000])
def test_splitting_long_text_takes_linear_time(text: str) -> None:
    split_function(text)


@given(st.text("abo:<>()[]{},*&-> \t", max_size=40))
def test_splitting_arbitrary_text_does_not_raise(display: str) -> None:
    split_function(display)


@given(st.text(max_size=30))
def test_demangling_arbitrary_text_does_not_raise(name: str) -> None:
    demangle("_Z" + name)


@pytest.mark.parametrize(
    ("symbol", "expected"),
    [
        ("weights", True),
        ("_ZN2ns5innerE", True),
        ("_Z2tvIfE", True),
        ("_ZZ1kPfiE5local", False),
        ("_ZL5table", False),
        ("_ZTV1A", False),
        ("$str", False),
        ("__cudart_i2opi_f", False),
        ("__nv_static_22__ea6f4494_4_v_cu_scale_hidden", False),
        ("_ZN31_INTERNAL_ea6f4494_4_v_cu_scale2ns4anonE", False),
        ("_ZN12_GLOBAL__N_14anonE", False),
    ],
)
def test_nameable_variables_are_recognized(symbol: str, expected: bool) -> None:
    assert is_nameable(symbol) is expected


@pytest.mark.parametrize(
    ("symbol", "expected"),
    [
        ("_Z4fillIfEvPT_", True),
        ("_ZN2ns4fillIfLi8EEEvPT_S1_", True),
        ("_ZN2nsL4fillIfEEvPT_", True),
        ("_ZL4fillIfEvPT_", True),
        ("_ZN12_GLOBAL__N_14fillIfEEvPT_", True),
        ("_ZN2nsB3tag4fillB5otherIfEEvPT_", True),
        ("_ZSt4fillIfEvPT_", True),
        ("_Z4fillISt16integer_sequenceIiJ" + "Li0E" * 3000 + "EEEviT_", True),
        ("_Z4fillPf", False),
        ("_ZN2ns4fillEPSt6vectorIfE", False),
        ("_Z4fillSt6vectorIfE", False),
        ("_Z8fillIntsIfEvPT_", True),
        ("_Z8fillIntsi", False),
        ("_Z4move3BoxIiE", False),
        ("_ZL4move3BoxIiE", False),
        ("_ZN2ns4moveE3BoxIiE", False),
        ("_Z4moveB3tag3BoxIiE", False),
        ("_Z4moveB3tagIiEv3BoxIT_E", True),
        ("fill", False),
        ("Ifill", False),
        ("_Z", False),
    ],
)
def test_instances_are_recognized(symbol: str, expected: bool) -> None:
    assert names_instance(symbol) == expected
