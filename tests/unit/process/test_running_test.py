"""The test that runs a process."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kbuild.process.running_test import name_running_test

_PRINT = "from kbuild.process.running_test import name_running_test as f; print(f())"


def test_pytest_names_its_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    assert name_running_test().endswith("test_running_test.py::test_pytest_names_its_tests")
    monkeypatch.setenv("PYTEST_CURRENT_TEST", "a.py::b[x (y)] (call)")
    assert name_running_test() == "a.py::b[x (y)]"
    monkeypatch.delenv("PYTEST_CURRENT_TEST")
    assert name_running_test() == ""


def test_a_test_of_ctest_is_its_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_CURRENT_TEST")
    for name in ("ctest", "tests"):
        shutil.copy("/bin/sh", tmp_path / name)
    script = tmp_path / "script"
    script.write_text(f"'{sys.executable}' -c '{_PRINT}'; true\n")
    command = f"'{tmp_path}/tests' {script} --gtest_filter=A.b; true"

    argv = [str(tmp_path / "ctest"), "-c", command]
    result = subprocess.run(argv, capture_output=True, text=True, check=True)
    assert result.stdout == f"tests {script} --gtest_filter=A.b\n"
