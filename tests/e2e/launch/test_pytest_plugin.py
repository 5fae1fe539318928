"""``pytest --kbuild-check``: findings fail the tests that made them, and suites fail closed."""

from __future__ import annotations

import pytest

from support.commands import run_kbuild

pytest_plugins = ("pytester",)

KERNELS = """\
__global__ void fill(int* out) { out[threadIdx.x] = 1; }
__global__ void mark(int* out) { *out = 1; }
"""
SUITE = """\
import numpy, kbuild, pathlib, pytest

KERNELS = kbuild.KernelCompiler("cpu").compile(pathlib.Path(__file__).with_name("kernels.cu"))

def fill(count):
    KERNELS["fill"][1, count](numpy.zeros(32, "int32"))

@pytest.fixture
def filled():
    fill(33)

def test_correct():
    fill(32)

def test_wrong():
    fill(40)

def test_wrong_again():
    fill(40)

def test_other_correct():
    fill(1)

def test_warning(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    KERNELS["mark"][1, 32](numpy.zeros(1, "int32"))

def test_fixture(filled):
    pass

def test_failure():
    fill(34)
    assert False, "of the test itself"
"""


def write_suite(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(SUITE)
    (pytester.path / "kernels.cu").write_text(KERNELS)


@pytest.mark.parametrize(
    "words", [pytest.param((), marks=pytest.mark.slow), ("-n", "2")], ids=["one process", "xdist"]
)
def test_findings_fail_their_tests(pytester: pytest.Pytester, words: tuple[str, ...]) -> None:
    write_suite(pytester)
    result = pytester.runpytest_subprocess("--kbuild-check", "-v", *words)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=3, failed=3, errors=1)
    text = result.stdout.str()
    for name in ("test_correct", "test_other_correct", "test_warning"):
        assert f"FAILED test_findings_fail_their_tests.py::{name} " not in text
    assert "::test_wrong: checks found mistakes in kernels" in text
    assert "::test_wrong_again: checks found mistakes in kernels" in text
    assert "error KC101 out-of-bounds in kernel fill(int*)" in text
    assert "write of 4 bytes at kernels.cu:1 by block (0, 0, 0), thread (32, 0, 0)" in text
    assert "of the test itself" in text
    assert "warning KC204 same-value-writes in kernel mark(int*)" in text
    assert "7 launches of 2 kernels checked for memory, race, barrier, init, arithmetic" in text


@pytest.mark.slow
def test_without_the_option_nothing_is_checked(pytester: pytest.Pytester) -> None:
    write_suite(pytester)
    result = pytester.runpytest_subprocess("-k", "correct")
    result.assert_outcomes(passed=2, deselected=5)
    assert "checks memory" not in result.stdout.str()
    assert "kbuild checks" not in result.stdout.str()


@pytest.mark.slow
def test_libraries_are_checked(pytester: pytest.Pytester) -> None:
    (pytester.path / "kernels.cu").write_text(KERNELS)
    (pytester.path / "kbuild.toml").write_text(
        '[target.kernels]\nsources = ["kernels.cu"]\narchitectures = ["x86-64"]\n'
        'kind = "shared"\ncheck = true\n'
    )
    built = run_kbuild("build", cwd=pytester.path)
    assert built.returncode == 0, built.stderr
    pytester.makepyfile(
        "import numpy, kbuild\n\n"
        "def test_wrong():\n"
        "    kernels = kbuild.load('build/kbuild/kernels/libkernels.so')\n"
        "    kernels['fill'][1, 40](numpy.zeros(32, 'int32'))\n"
    )
    result = pytester.runpytest_subprocess("--kbuild-check")
    result.assert_outcomes(failed=1)
    assert "KC101 out-of-bounds in kernel fill(int*)" in result.stdout.str()


@pytest.mark.slow
def test_suppressed_findings_fail_no_test(pytester: pytest.Pytester) -> None:
    write_suite(pytester)
    (pytester.path / "suppressions.toml").write_text(
        '[[suppressions]]\nrule = "KC101"\nkernels = "fill"\nreason = "known"\n'
        "expires = 2999-01-01\n"
        '[[suppressions]]\nrule = "KC601"\nreason = "old"\nexpires = 2026-01-31\n'
    )
    words = ("--kbuild-check", "--kbuild-suppressions", "suppressions.toml", "-k", "not failure")
    result = pytester.runpytest_subprocess(*words)
    result.assert_outcomes(passed=6, deselected=1)
    text = result.stdout.str()
    assert "suppressed until 2999-01-01: KC101 out-of-bounds in fill(int*): known" in text
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "the suppression of KC601 in suppressions.toml expired on 2026-01-31" in text


ORDERS = """\
import numpy, kbuild, pathlib, pytest, unittest

KERNELS = kbuild.KernelCompiler("cpu").compile(pathlib.Path(__file__).with_name("order.cu"))

def run():
    KERNELS["order"][2, 1](numpy.zeros(1, "int32"))

@pytest.fixture(params=["a", "b"])
def early(request):
    run()

def test_order(): run()
def test_fixture(early): pass
class TestMethods(unittest.TestCase):
    def test_method(self): run()
"""
ORDER = """\
__global__ void order(int* out) {
    int before = atomicAdd(out, 1);
    if (blockIdx.x == 1 && before == 0) atomicAdd(out + 1, 1);
}
"""


def test_each_test_runs_in_several_orders(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(ORDERS)
    (pytester.path / "order.cu").write_text(ORDER)
    words = ("--kbuild-check", "--kbuild-schedules", "2", "-v")
    result = pytester.runpytest_subprocess(*words)
    result.assert_outcomes(passed=4, failed=1, errors=2)
    text = result.stdout.str()
    assert "::test_order[KBUILD_SEED=0] PASSED" in text
    assert "::test_order[KBUILD_SEED=1]: checks found mistakes in kernels" in text
    assert "::TestMethods::test_method runs in one order of blocks only" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--kbuild-schedules", "2"), "no effect without --kbuild-check"),
        (("--kbuild-check", "--kbuild-schedules", "0"), "expected a number from 1 to 1000"),
    ],
)
def test_wrong_schedules_are_rejected(
    pytester: pytest.Pytester, words: tuple[str, ...], message: str
) -> None:
    result = pytester.runpytest_subprocess(*words)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert message in result.stderr.str()


@pytest.mark.parametrize(
    ("words", "message"),
    [((), "no effect without --kbuild-check"), (("--kbuild-check",), "unknown rule 'KC999'")],
)
def test_wrong_suppressions_are_rejected(
    pytester: pytest.Pytester, words: tuple[str, ...], message: str
) -> None:
    (pytester.path / "suppressions.toml").write_text(
        '[[suppressions]]\nrule = "KC999"\nreason = "known"\nexpires = 2999-01-01\n'
    )
    words = (*words, "--kbuild-suppressions", "suppressions.toml")
    result = pytester.runpytest_subprocess(*words)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert message in result.stderr.str()


@pytest.mark.slow
@pytest.mark.parametrize("words", [(), ("-n", "1")], ids=["one process", "xdist"])
def test_suite_without_checked_kernels_fails(
    pytester: pytest.Pytester, words: tuple[str, ...]
) -> None:
    pytester.makepyfile("def test_nothing(): pass\n")
    result = pytester.runpytest_subprocess("--kbuild-check", *words)
    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "error KC701 no-launch" in result.stdout.str()


@pytest.mark.parametrize(
    ("checks", "message"),
    [("mem", "unknown check 'mem'"), ("leak", "does not find leaks")],
)
def test_wrong_checks_are_rejected(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, checks: str, message: str
) -> None:
    monkeypatch.setenv("KBUILD_CHECK", checks)
    result = pytester.runpytest_subprocess("--kbuild-check")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert message in result.stderr.str()
