"""However a checked process ends, and however checks are requested: never 0, and never "ok"."""

from __future__ import annotations

import json
import re
import signal
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any, Final

import pytest

from support.commands import PROJECTS, configure_and_build, ctest, run, run_kbuild, succeed

SOURCE = PROJECTS / "check_ends" / "ends.cu"
# The ways to end, and the rule that says what was wrong.
ENDS = {
    "return": "KC101",
    "exit": "KC101",
    "_exit": "KC101",
    "_Exit": "KC101",
    "quick_exit": "KC101",
    "thread": "KC101",
    "pthread_exit": "KC101",
    "cancel": "KC101",
    "late_thread": "KC101",
    "kill": "KC101",
    "abort": "KC101",
    "null": "KC101",
    "exec": "KC101",
    "execve": "KC101",
    "closed": "KC101",
    "moved": "KC101",
    "reset": "KC101",
    "destructor": "KC101",
    "handler": "KC101",
    "queued": "KC101",
    "environment": "KC101",
    "child": "KC101",
    "child_exit": "KC101",
    "child_kill": "KC101",
    "grandchild": "KC101",
    "child_crash": "KC705",
    "crash": "KC705",
    "caught": "KC705",
    "killed": "KC401",
    "hang": "KC303",
    "trap": "KC703",
    "assert": "KC703",
    "refused": "KC704",
}
LIMIT = "KBUILD_CPU_TIMEOUT"
# How a program ends does not depend on optimization, which takes half of the time of its build.
RUN: Final = ("run", "--check", "-O", "0")


@pytest.fixture(autouse=True)
def limit_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LIMIT, "0.5")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the program as ``kbuild-nvcc --check`` builds it."""
    path = tmp_path_factory.mktemp("ends") / "ends"
    options = ("--backend", "cpu", "-arch=native", "-O0", "--check")
    succeed(run_kbuild("nvcc", *options, SOURCE, "-o", path))
    return path


# The others are slow tests of `kbuild run`. Programs that run alone have all ends by default.
USUAL: Final = ("return", "crash", "child_kill", "killed", "trap", "refused")


@pytest.mark.parametrize(
    "end", [pytest.param(e, marks=() if e in USUAL else pytest.mark.slow) for e in ENDS]
)
def test_kbuild_run_fails(tmp_path: Path, end: str) -> None:
    report = tmp_path / "report.json"
    options = ("--report", report, "--format", "json")
    done = run_kbuild(*RUN, *options, SOURCE, "--", end)
    assert done.returncode != 0
    assert not re.search(r"^ok: ", done.stderr, re.MULTILINE)
    document = json.loads(report.read_text())
    assert document["ok"] is False
    assert document["verdict"] in ("failed", "incomplete")
    assert ENDS[end] in [finding["rule"] for finding in document["findings"]]


@pytest.mark.parametrize("end", ENDS)
def test_a_program_that_runs_alone_fails(program: Path, end: str) -> None:
    done = run(program, end)
    assert done.returncode != 0
    if end != "closed":
        assert f"kbuild: {ENDS[end]}: " in done.stderr


@pytest.mark.parametrize(
    "ends", [USUAL, pytest.param(tuple(ENDS), marks=pytest.mark.slow)], ids=["usual", "all"]
)
def test_tests_of_cmake_fail(tmp_path: Path, ends: tuple[str, ...]) -> None:
    names = [*ends, "ok", "fails"]
    configure_and_build(SOURCE.parent, tmp_path, f"ENDS={';'.join(names)}")
    done = ctest(tmp_path)
    passed = set(re.findall(r"([\w.]*\w) \.*\s+Passed", done.stdout))
    assert passed == {"ok", "orders.verify"}, done.stdout
    assert "only in some orders, as KBUILD_SEED=1" in done.stdout


def test_what_was_checked_to_its_end_is_ok(program: Path) -> None:
    done = run_kbuild(*RUN, SOURCE, "--", "ok")
    assert (done.returncode, "\nok: ends.cu: no findings" in done.stderr) == (0, True)
    assert run_kbuild(*RUN, SOURCE, "--", "fails").returncode == 5
    assert (run(program, "ok").returncode, run(program, "fails").returncode) == (0, 5)


def test_processes_with_an_environment_of_their_own_belong_to_the_report() -> None:
    done = run_kbuild(*RUN, SOURCE, "--", "spawn")
    assert (done.returncode, "error KC101 " in done.stderr) == (1, True)


def test_a_program_without_kernels_has_checked_nothing(program: Path) -> None:
    done = run_kbuild(*RUN, SOURCE, "--", "nothing")
    assert done.returncode == 1
    assert "INCOMPLETE: ends.cu" in done.stderr
    assert run(program, "nothing").stderr == (
        "kbuild: no kernel ran, so the checks have checked nothing\n"
    )


@pytest.mark.parametrize("name", ["sarif", "junit", "github", "text"])
def test_no_format_calls_a_crash_ok(tmp_path: Path, name: str) -> None:
    report = tmp_path / "report"
    options = ("--report", report, "--format", name)
    done = run_kbuild(*RUN, *options, SOURCE, "--", "crash")
    assert done.returncode == -signal.SIGILL
    text = report.read_text()
    if name == "sarif":
        (result,) = json.loads(text)["runs"]
        (end,) = result["invocations"]
        assert end == {"executionSuccessful": False, "exitSignalNumber": signal.SIGILL}
        assert result["properties"]["verdict"] == "incomplete"
    elif name == "junit":
        root = ET.fromstring(text)  # noqa: S314 - the test has written it
        assert root.get("errors") == "1"
        assert [case.get("name") for case in root.iter("testcase") if len(case)] == [
            "KC705 crashed-kernel"
        ]
    else:
        assert re.search(r"^incomplete: ends.cu: 1 error", text, re.MULTILINE | re.IGNORECASE)
        assert "launches: 1 requested, 1 ran, 0 checked, 0 refused" in text


CASES = """\
import atexit, os, signal, sys, threading
import numpy
import kbuild

def launch(module, name, threads=16):
    try:
        module[name][1, threads](numpy.zeros(16, "int32"))
    except kbuild.KbuildError:
        pass  # as programs that ignore errors

def test_end(module):
    end = os.environ["END"]
    if end == "ok":
        return launch(module, "good")
    if end == "nothing":
        return
    if end == "trap":
        launch(module, "trap")
        return
    if end == "refused":
        launch(module, "good", 2048)
        return
    if end in ("crash", "hang"):
        return launch(module, end)
    launch(module, "bad", 32)
    if end == "_exit":
        os._exit(0)
    if end == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if end == "abort":
        os.abort()
    if end == "closed":
        os.close(1), os.close(2)
    if end == "handler":
        atexit.register(os._exit, 0)
    if end == "thread":
        return threading.Thread(target=sys.exit).run()
    if end == "exec":
        os.execl("/bin/true", "true")
    if end == "exit":
        raise SystemExit(0)
    if end == "child" and os.fork() == 0:
        launch(module, "bad", 32)
        os._exit(0)
"""
CASE_ENDS = (
    *("return", "nothing", "trap", "refused", "_exit", "kill", "abort", "exec", "exit", "child"),
    *("crash", "hang", "closed", "handler", "thread", "plain"),
)


def _mark_slow(*usual: str) -> list[Any]:
    """Return all ends for a parameter. Those that are not named here are slow tests."""
    ends = ("ok", *CASE_ENDS)
    return [pytest.param(end, marks=() if end in usual else pytest.mark.slow) for end in ends]


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with libraries of the same kernels, with checks and without."""
    directory = tmp_path_factory.mktemp("cases")
    (directory / "kernels.cu").write_text(
        "__global__ void bad(int* p) { p[threadIdx.x] = 1; }\n"
        "__global__ void good(int* p) { p[threadIdx.x] = 1; }\n"
        "__global__ void trap(int* p) { if (p != nullptr) __trap(); }\n"
        "__global__ void crash(int* p) { if (p != nullptr) __builtin_trap(); }\n"
        "__global__ void hang(volatile int* p) { while (*p != 1) {} }\n"
    )
    table = 'sources = ["kernels.cu"]\narchitectures = ["x86-64"]\nkind = "shared"\n'
    (directory / "kbuild.toml").write_text(
        f"[target.checked]\n{table}check = true\n[target.plain]\n{table}"
    )
    succeed(run_kbuild("build", cwd=directory))
    (directory / "cases.py").write_text(CASES)
    return directory


def find_library(directory: Path, end: str) -> Path:
    name = "plain" if end == "plain" else "checked"
    return directory / f"build/kbuild/{name}/lib{name}.so"


@pytest.mark.parametrize("end", _mark_slow("ok", "return", "plain"))
def test_kbuild_smoke_fails(libraries: Path, monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    monkeypatch.setenv("END", "ok" if end == "plain" else end)
    words = ("--check", "--no-verify", "--format", "json")
    path = find_library(libraries, end)
    done = run_kbuild("smoke", *words, path, libraries / "cases.py")
    assert done.returncode == (0 if end == "ok" else 1), done.stderr
    assert json.loads(done.stdout)["ok"] is (end == "ok")
    assert bool(re.search(r"^ok: ", done.stderr, re.MULTILINE)) == (end == "ok")


@pytest.mark.parametrize("end", _mark_slow("ok", "return", "plain"))
def test_pytest_fails(
    libraries: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    monkeypatch.setenv("END", "ok" if end == "plain" else end)
    path = find_library(libraries, end)
    (tmp_path / "test_cases.py").write_text(
        f"{CASES}\nimport pytest\n\n@pytest.fixture\ndef module():\n"
        f"    return kbuild.load({str(path)!r})\n\ndef test_later(module):\n    pass\n"
    )
    # Other plugins of the environment take longer to import than the test to run.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    plugins = ("-p", "kbuild.testing.pytest_plugin", "-p", "no:cacheprovider")
    words = (*plugins, "--kbuild-check", "-q")
    done = run(sys.executable, "-m", "pytest", *words, tmp_path, cwd=tmp_path)
    assert (done.returncode == 0) == (end == "ok"), done.stdout
    if end in ("exec", "_exit"):
        assert "so its checks have no verdict" in done.stderr
    assert bool(re.search(r"^ok: ", done.stdout, re.MULTILINE)) == (end == "ok")
