from __future__ import annotations

import pytest

from kbuild.torch.build import read_jobs


@pytest.mark.parametrize(
    ("value", "jobs"), [("4", 4), ("", None), ("0", None), ("many", None), ("-1", None)]
)
def test_max_jobs(monkeypatch: pytest.MonkeyPatch, value: str, jobs: int | None) -> None:
    monkeypatch.setenv("MAX_JOBS", value)

    assert read_jobs() == jobs
