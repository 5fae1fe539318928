from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbuild.demangle.sentences import shorten_texts
from kbuild.demangle.short_names import shorten_names

# A kernel of CUB 3 in a public wheel, with shorter names of namespaces.
FOR_EACH = (
    "void cub::_V_300303_SM_750_800_900::detail::for_each::static_kernel<"
    "cub::_V_300303_SM_750_800_900::detail::for_each::policy_hub_t::policy_500_t, unsigned long, "
    "cub::_V_300303_SM_750_800_900::detail::for_each::op_wrapper_t<unsigned long, "
    "boost::detail::GradOp<{0} const, float const>, thrust::counting_iterator<unsigned long, "
    "thrust::use_default, thrust::use_default, thrust::use_default> > >(unsigned long, "
    "boost::detail::GradOp<{0} const, float const>)"
)
LAMBDA = (
    "void dh::LaunchN<boost::Impl<float, 1>::operator()<boost::(anonymous namespace)::Margin<"
    "boost::{0}::ToMargin(boost::Tensor<float, 1>*) const::{{lambda(float)#1}}, "
    "boost::StringView (*)()> >(boost::Context const*)::{{lambda(unsigned long)#1}}>("
    "boost::Context const*, unsigned long)"
)


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["saxpy"], ["saxpy"]),
        (["saxpy(int, float, float const*)"], ["saxpy"]),
        (["void ns::axpy<float>(float, float*)"], ["ns::axpy<float>"]),
        (["ns::(anonymous namespace)::f(int)"], ["ns::(anonymous namespace)::f"]),
        (["f(int)", "f(float)"], ["f(int)", "f(float)"]),
        (["f(int, long, char)", "f(int, long)"], ["f(..., char)", "f"]),
        (
            ["f(int)::{lambda(float)#1}::operator()(float) const"],
            ["f::{lambda#1}::operator() const"],
        ),
        (["bool operator< <int>(A<int>, int)"], ["operator< <int>"]),
        (["void k<(a<b)>(int)"], ["k<(a<b)>"]),
        (["void k<A<B<int> > >(int)"], ["k<A<B<int>>>"]),
        ([FOR_EACH.format("int")], ["cub::detail::for_each::static_kernel<...>"]),
        (
            [FOR_EACH.format("int"), FOR_EACH.format("unsigned int")],
            [
                "cub::detail::for_each::static_kernel<..., op_wrapper_t<..., "
                f"GradOp<{kind} const, float const>, ...>>"
                for kind in ("int", "unsigned int")
            ],
        ),
        (
            [LAMBDA.format("Gamma"), LAMBDA.format("Tweedie")],
            [
                f"dh::LaunchN<Impl<...>::operator()<Margin<boost::{name}::ToMargin "
                "const::{lambda#1}, ...>>::{lambda#1}>"
                for name in ("Gamma", "Tweedie")
            ],
        ),
        (["cub::A_200302_600_NS::f<int>()"], ["cub::f<int>"]),
        (
            [
                f"void sort<rocm::(anonymous namespace)::config, (rocm::arch){n}, rocm::op>()"
                for n in (11, 12)
            ],
            ["sort<..., 11, ...>", "sort<..., 12, ...>"],
        ),
        (
            ["cub::A_200302_600_NS::f<int>()", "cub::A_200500_600_NS::f<int>()"],
            ["cub::A_200302_600_NS::f<int>()", "cub::A_200500_600_NS::f<int>()"],
        ),
        (["a" * 2000], ["a" * 70 + "..." + "a" * 40]),
        (["", "(", "f<", "g(", "a>b", ">"], ["", "(", "f<", "g(", "a>b", ">"]),
    ],
)
def test_names_are_shortened(names: list[str], short: list[str]) -> None:
    assert list(shorten_names(names).values()) == short


TYPES = st.recursive(
    st.sampled_from(["int", "float*", "unsigned long", "void (*)(int, char)", "ns::V<3>", "(E)1"]),
    lambda inner: st.lists(inner, min_size=1, max_size=3).map(lambda t: f"b::A<{', '.join(t)}>"),
    max_leaves=12,
)
NAMES = st.builds(
    lambda types, params: f"void ns::k<{', '.join(types)}>({', '.join(params)})",
    st.lists(TYPES, min_size=1, max_size=4),
    st.lists(TYPES, max_size=3),
)


@given(st.lists(NAMES, unique=True, max_size=6))
def test_different_names_have_different_forms(names: list[str]) -> None:
    short = shorten_names(names)
    assert list(short) == names
    assert len(set(short.values())) == len(names)


@given(st.lists(st.text(alphabet="ab:<>(){}[], *&o\n"), max_size=6))
def test_any_text_is_a_name(names: list[str]) -> None:
    short = shorten_names(names)
    assert len(set(short.values())) == len(set(names))
    assert len(list(shorten_texts(names))) == len(names)


@given(NAMES, st.sampled_from(["", ", ", ": x", " on sm_90", " (3 bytes)"]))
def test_names_in_sentences_are_shortened(name: str, rest: str) -> None:
    (text,) = shorten_texts([f"the library exports {name}{rest}"])
    assert text == f"the library exports {shorten_names([name])[name]}{rest}"


@pytest.mark.parametrize(
    "text",
    [
        "no image (container 3) for sm_90: a < b, c > d",
        "libdemo.so.1 was not named; see /usr/lib/x.so(y)",
        "the file a.cu:12:3 has 3 errors ('x')",
        "spell `__launch_bounds__(256)`",
        "an unclosed name<of a template",
        "",
    ],
)
def test_other_words_stay_as_they_are(text: str) -> None:
    assert list(shorten_texts([text])) == [text]


@pytest.mark.parametrize(
    "part",
    [
        *("a<", "a ", "f() ", "f(", "a::", "(", "a, ", "f<a, ", "{", "a<(b)"),
        *(pytest.param(part, marks=pytest.mark.slow) for part in ("a<b>", "operator<")),
    ],
)
def test_forged_names_take_little_time(part: str) -> None:
    names = [part * 20_000, part * 20_000 + "x"]
    closed = "a<" * 20_000 + "b" + ">" * 20_000
    start = time.perf_counter()
    assert len(list(shorten_texts([*names, closed, closed + ">"]))) == 4
    assert len(set(shorten_names([*names, closed]).values())) == 3
    assert time.perf_counter() - start < 20


def test_names_in_all_sentences_differ() -> None:
    assert list(shorten_texts(["f(int) in", "(with f(long))", "f(int), 'f(char)'"])) == [
        *("f(int) in", "(with f(long))", "f(int), 'f(char)'")
    ]
    assert list(shorten_texts(["f(int) in", "ends with g(int)."])) == ["f in", "ends with g."]
