"""What a user sees who imports a module without a driver."""

from __future__ import annotations

import json
import subprocess
import zipfile
from pathlib import Path

import pytest

from kbuild.smoke.imports import ImportTrial, try_imports
from support.commands import run_kbuild

_DRIVER = "int cuInit(unsigned flags) { return (int)flags; }\n"
_LIBRARY = "int cuInit(unsigned); int start(void) { return cuInit(0); }\n"
_MODULE = "void *PyInit__crash(void) { *(volatile int *)8 = 1; return 0; }\n"


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("imports")
    for name, text in (("driver", _DRIVER), ("library", _LIBRARY), ("module", _MODULE)):
        (path / f"{name}.c").write_text(text)
    command = ("gcc", "-shared", "-fPIC", "-o")
    for words in (
        ("libcuda.so.1", "driver.c", "-Wl,-soname,libcuda.so.1"),
        ("libneeds.so", "library.c", "libcuda.so.1", "-Wl,-z,now"),
        ("_crash.so", "module.c"),
    ):
        subprocess.run((*command, *words), cwd=path, check=True)
    return path


def _summarize(trials: tuple[ImportTrial, ...]) -> list[tuple[str, str, str]]:
    return [(trial.module, trial.driver, trial.outcome) for trial in trials]


def test_library_that_needs_the_driver_loads_only_with_one(directory: Path) -> None:
    report = try_imports(directory / "libneeds.so")

    assert _summarize(report.trials) == [
        ("libneeds.so", "none", "failed"),
        ("libneeds.so", "stand-in", "imported"),
    ]
    assert report.trials[0].message == (
        "OSError: libcuda.so.1: cannot open shared object file: No such file or directory"
    )
    assert not report.has_failed


def test_modules_of_a_wheel_are_imported_with_their_packages(directory: Path) -> None:
    wheel = directory / "p-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("p/__init__.py", "")
        archive.write(directory / "_crash.so", "p/_crash.so")
        archive.writestr("q/__init__.py", "import a_package_that_nobody_has")
        archive.write(directory / "_crash.so", "q/_crash.so")
        archive.writestr("r/__init__.py", "from . import _crash")
        archive.write(directory / "_crash.so", "r/_crash.cpython-30-x86_64-linux-gnu.so")

    result = run_kbuild("verify", "--import", wheel, "--format", "json")

    assert result.returncode == 1, result.stderr
    report = json.loads(result.stdout)
    assert report["schema"] == "kbuild.import/1"
    assert not report["ok"]
    trials = {t["module"]: t for t in report["artifacts"][0]["trials"] if t["driver"] == "none"}
    assert {name: trial["outcome"] for name, trial in trials.items()} == {
        "p": "imported",
        "q": "unjudged",
        "r": "unjudged",
        "p._crash": "crashed",
        "q._crash": "unjudged",
        "r._crash": "unjudged",
    }
    assert trials["p._crash"]["message"].startswith("signal 11 ended Python\nFatal Python error")
    assert trials["q"]["message"] == "a_package_that_nobody_has is not installed here"
    for name in ("r", "r._crash"):
        assert "for another version of Python" in trials[name]["message"]
    text = run_kbuild("verify", "--import", directory / "module.c")
    assert text.returncode == 2
    assert "neither a wheel nor a shared object" in text.stderr
