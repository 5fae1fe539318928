"""Jobs of a ``make`` that runs kbuild are borrowed, and returned."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from kbuild.project.jobserver import borrow_jobs, find_jobserver

TOKENS = b"abc"


@pytest.fixture(params=["pipe", "fifo"])
def server(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[int]:
    """Provide the descriptor from which make would read the jobs that nobody uses."""
    if request.param == "fifo":
        path = tmp_path / "jobs"
        os.mkfifo(path)
        read = write = os.open(path, os.O_RDWR)
        place = f"fifo:{path}"
    else:
        read, write = os.pipe()
        place = f"{read},{write}"
    monkeypatch.setenv("MAKEFLAGS", f" -j4 --jobserver-auth={place}")
    os.write(write, TOKENS)
    yield read
    for descriptor in {read, write}:
        os.close(descriptor)


@pytest.mark.parametrize(("most", "borrowed"), [(2, 2), (9, len(TOKENS))])
def test_jobs_are_borrowed_and_returned(server: int, most: int, borrowed: int) -> None:
    jobserver = find_jobserver()
    assert jobserver is not None
    with pytest.raises(RuntimeError), borrow_jobs(jobserver, most) as jobs:  # noqa: PT012
        assert jobs == borrowed
        with borrow_jobs(jobserver, 9) as others:
            assert others == len(TOKENS) - borrowed
        raise RuntimeError
    assert sorted(os.read(server, 9)) == sorted(TOKENS)


@pytest.mark.parametrize("place", ["fifo:/no/such/pipe", "900,901", "0,901"])
def test_jobs_that_make_did_not_offer_are_not_borrowed(
    monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setenv("MAKEFLAGS", f"-j4 --jobserver-auth={place}")
    jobserver = find_jobserver()
    assert jobserver is not None
    with borrow_jobs(jobserver, 3) as jobs:
        assert jobs == 0
