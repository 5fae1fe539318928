from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kbuild.errors import ConfigurationError
from kbuild.smoke.cases import call_case, read_cases


@pytest.fixture(autouse=True)
def _restore_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend("/nonexistent")


def write(directory: Path, text: str) -> Path:
    path = directory / "cases.py"
    path.write_text(text)
    return path


def test_cases_have_the_order_of_the_file(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "test_number = 5\n"
        "def test_b(m): pass\n"
        "def helper(): pass\n"
        "def case_a(m, n=3): pass\n"
        "def test_c(): pass\n"
        "class test_class: pass\n",
    )
    assert list(read_cases(path)) == ["test_b", "case_a", "test_c"]


def test_cases_can_import_modules_of_their_directory(tmp_path: Path) -> None:
    (tmp_path / "neighbor_of_cases.py").write_text("VALUE = 4\n")
    path = write(
        tmp_path, "from neighbor_of_cases import VALUE\ndef test_it(m): assert VALUE == m\n"
    )
    module: Any = 4
    call_case(read_cases(path)["test_it"], module)


def test_case_without_parameters_is_called(tmp_path: Path) -> None:
    path = write(tmp_path, "def test_it(): raise ZeroDivisionError\n")
    module: Any = None
    with pytest.raises(ZeroDivisionError):
        call_case(read_cases(path)["test_it"], module)


@pytest.mark.parametrize(
    "text",
    [
        "def helper(m): pass\n",
        "def test_it(m, n): pass\n",
        "def test_it(*, m): pass\n",
        "async def test_it(m): pass\n",
        "def test_it(m): yield\n",
    ],
)
def test_file_without_callable_cases_is_rejected(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigurationError, match=r"cases\.py"):
        read_cases(write(tmp_path, text))
