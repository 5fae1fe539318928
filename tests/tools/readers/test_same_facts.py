"""kbuild's reader and libclang find the same kernels, launches, and marked declarations."""

from __future__ import annotations

import os
import shlex
import sys
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from support.commands import ROOT
from support.cxx_facts import kbuild_reader
from support.cxx_facts.facts import Difference, Fact, Launched, find_differences
from support.cxx_facts.sources import (
    STANDARD,
    UnreadableSourceError,
    list_prelude,
    preprocess,
)
from support.tools.toolchains import require_programs

clang_reader = pytest.importorskip(
    "support.cxx_facts.clang_reader", reason="needs libclang; install the wheel 'libclang'"
)

FORMS: Final = Path(__file__).with_name("forms.cu")
LAUNCHES: Final = ROOT / "tests" / "tools" / "cxx" / "launches"
# What the reader does not know, and no pass needs: the one difference of a source.
UNKNOWN: Final = {
    "spelling": "a comma between two comparisons in a configuration",
    "templates": "the second function of a declaration",
}
WORDS: Final = (
    *(f"-D__{word}__=__kbuild_{word}__" for word in ("global", "device", "host", "constant")),
    *("-D__managed__=__kbuild_managed__",),
    "-D__launch_bounds__(...)=__kbuild_launch_bounds__(__VA_ARGS__)",
)
OWN_SOURCES: Final = sorted(
    path.relative_to(ROOT)
    for directory in ("examples", "tests/conformance", "tests/projects")
    for path in (ROOT / directory).rglob("*.cu")
)
# Directories with sources, each with options for the preprocessor, such as
# `/src/cuda-samples -I/src/cuda-samples/Common`. A semicolon separates them.
COLLECTIONS: Final = "KBUILD_TEST_COLLECTIONS"


@pytest.fixture(autouse=True)
def require_preprocessor() -> None:
    require_programs("g++")


def compare(text: str) -> tuple[frozenset[Fact], tuple[Difference, ...]]:
    """Return what kbuild's reader found, and where libclang disagrees."""
    ours = kbuild_reader.read_facts(text)
    theirs = clang_reader.read_facts(text, STANDARD)
    return ours, find_differences(text, ours, theirs.facts, theirs.errors)


def count(facts: frozenset[Fact]) -> Counter[str]:
    return Counter(
        "launches"
        if isinstance(fact, Launched)
        else "kernels"
        if "__kbuild_global__" in fact.words
        else f"{fact.kind}s"
        for fact in facts
    )


def test_all_forms() -> None:
    facts, differences = compare(preprocess(FORMS, *WORDS))

    assert not [str(difference) for difference in differences if not difference.error]
    # libclang does not know spaces in the brackets, or words after a lambda's template parameters.
    assert [difference.code for difference in differences] == [
        "templated < int > << < 1, 2 >> > (&n);",
        "auto generic = []<class T> __kbuild_device__(T v) { return v; };",
    ]
    assert count(facts) == {
        "functions": 123,
        "kernels": 28,
        "lambdas": 17,
        "launches": 128,
        "variables": 45,
    }


@pytest.mark.parametrize(
    "text",
    [
        # The callee of the launch starts with the object.
        (
            "struct S { template <class T> void (*get())(T); };"
            "template <class T> void f(S s) { s.template get<T><<<1, 2>>>(3); }"
        ),
        # The first `<` in the template arguments compares.
        (
            "template <class T, int N> __kbuild_global__ void k(T);"
            "template <class T> void f(T v) { k<T, sizeof(T) < 3><<<1, 2>>>(v); }"
        ),
        # A cast, an attribute, or a lambda with a return type is before it.
        "void f(void (*g)(int)) { (void)(g)<<<1, 2>>>(3); }",
        "void f(void (*g)(int), int n) { if (n) [[likely]] (g)<<<1, 2>>>(3); }",
        "void f(void (*g)(int)) { [=]() -> void (*)(int) { return g; }()<<<1, 2>>>(3); }",
        # The name has template arguments.
        (
            "template <class T> __kbuild_device__ T v[2];"
            "template <class T> __kbuild_device__ T v<T*>[3];"
        ),
    ],
)
def test_unusual_forms(text: str) -> None:
    assert compare(text)[1] == ()


@pytest.mark.xfail(
    raises=AssertionError, strict=True, reason="the last `<` in the template header compares"
)
def test_a_form_that_kbuild_does_not_read() -> None:
    text = "constexpr int n = 1; template <int N = n < 3 ? 1 : 2> __kbuild_device__ void f() {}"
    assert compare(text)[1] == ()


# The others are read in the slow tests, as the reader's own tests do.
USUAL_LAUNCHES = ("spelling", "modern")


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(p, id=p.stem, marks=() if p.stem in USUAL_LAUNCHES else pytest.mark.slow)
        for p in sorted(LAUNCHES.glob("*.cu"))
    ],
)
def test_launches_of_the_rewriter_test(source: Path) -> None:
    facts, differences = compare(preprocess(source, *list_prelude()))

    unexpected = [str(difference) for difference in differences if not difference.error]
    assert len(unexpected) == (source.stem in UNKNOWN), unexpected
    assert len(differences) < len(facts) / 10


@pytest.mark.slow
@pytest.mark.parametrize("source", OWN_SOURCES, ids=str)
def test_own_sources(source: Path) -> None:
    try:
        text = preprocess(ROOT / source, *list_prelude())
    except UnreadableSourceError as error:
        pytest.skip(f"the CPU backend's host pass does not read it: {error}")
    _, differences = compare(text)

    assert not [str(difference) for difference in differences if not difference.error]


@pytest.mark.slow
def test_collections() -> None:
    if not os.environ.get(COLLECTIONS):
        pytest.skip(f"needs directories with sources and options in {COLLECTIONS}")
    faults: list[str] = []
    for entry in os.environ[COLLECTIONS].split(";"):
        directory, *options = shlex.split(entry)
        faults += compare_collection(Path(directory), options)

    assert not faults


def compare_collection(directory: Path, options: list[str]) -> list[str]:
    """Compare all sources in a directory, write a summary, and return the differences."""
    totals: Counter[str] = Counter()
    differences: set[str] = set()
    for source in sorted(directory.rglob("*.cu")):
        try:
            text = preprocess(source, *list_prelude(), *options)
        except UnreadableSourceError:
            totals["sources that the host pass does not read"] += 1
            continue
        facts, found = compare(text)
        totals += count(facts) + Counter({"sources": 1})
        totals["not read by libclang"] += sum(bool(difference.error) for difference in found)
        # Most sources include the same headers.
        differences |= {str(difference) for difference in found if not difference.error}
    assert totals["sources"], f"{directory} has no source that the host pass reads"
    sys.stdout.write(f"{directory}: {dict(totals)}, {len(differences)} differences\n")
    return sorted(differences)
