"""Build tools, and what the commands of a build tell it."""

from __future__ import annotations

import sys
from pathlib import Path

from kbuild.model import Command
from kbuild.process import BuildCall, BuildEnd, Failure, stream_build


def python(code: str, **env: str) -> Command:
    return Command(argv=(sys.executable, "-c", code), env=tuple(env.items()))


def leave(message: str) -> str:
    return (
        "from kbuild.process import Failure, leave_failure; "
        f"leave_failure(Failure(exit_code=3, message={message!r}, setting='BACKEND', target='t'))"
    )


def test_build_returns_the_first_failure_of_a_kbuild_command(tmp_path: Path) -> None:
    command = python(f"{leave('first')}; {leave('second')}; raise SystemExit(1)")

    end = stream_build(BuildCall(command=command, directory=tmp_path / "build"))

    assert end.status == 1
    assert end.failure == Failure(exit_code=3, message="first", setting="BACKEND", target="t")
    assert list((tmp_path / "build").iterdir()) == []


def test_build_without_a_failing_kbuild_command_has_no_failure(tmp_path: Path) -> None:
    lines: list[str] = []
    call = BuildCall(command=python("print(1); exit(2)"), directory=tmp_path, on_line=lines.append)

    assert stream_build(call) == BuildEnd(status=2)
    assert lines == ["1"]


def test_build_counts_the_commands_that_reuse_their_outputs(tmp_path: Path) -> None:
    reuse = "from kbuild.process import leave_reuse; leave_reuse()"
    command = python(f"{reuse}; leave_reuse()")

    assert stream_build(BuildCall(command=command, directory=tmp_path)) == (
        BuildEnd(status=0, reused=2)
    )
