from __future__ import annotations

from pathlib import Path

from kbuild.smoke.journal import Journal, read_journal


def test_incomplete_last_event_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    assert read_journal(path) == ()
    Journal(path).write(kernels=["a\n", "b"])
    Journal(path).write(problem=None)
    with path.open("ab") as stream:
        stream.write(b'{"problem": "cut')
    assert read_journal(path) == ({"kernels": ["a\n", "b"]}, {"problem": None})
