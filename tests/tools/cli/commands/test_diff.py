"""`kbuild diff`: usage, exit codes, and unreadable input; end-to-end tests use real artifacts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from kbuild.cli.main import main

PTX = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry f(.param .u64 f_param_0)
.maxntid 256, 1, 1
{{
 .reg .b32 %r<2>;
 mov.u32 %r1, {constant};
 ret;
}}
"""


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Path, Path]:
    old, new = tmp_path / "old.ptx", tmp_path / "new.ptx"
    old.write_text(PTX.format(constant=1))
    new.write_text(PTX.format(constant=2))
    return old, new


def test_exit_code_is_zero_when_equal_and_one_when_different(
    sides: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = map(str, sides)

    assert main(["diff", old, old]) == 0
    assert main(["diff", old, new]) == 1
    captured = capsys.readouterr()
    assert "-mov.u32 %r1, 1;" in captured.out
    assert "+mov.u32 %r1, 2;" in captured.out
    assert not captured.err


def test_only_selects_aspects(sides: tuple[Path, Path]) -> None:
    old, new = map(str, sides)

    assert main(["diff", old, new, "--only", "abi,resources", "--only", "size"]) == 0
    assert main(["diff", old, new, "--only", "code"]) == 1


def test_report_is_written_to_a_file(sides: tuple[Path, Path], tmp_path: Path) -> None:
    report = tmp_path / "report.html"

    assert main(["diff", *map(str, sides), "--format", "html", "-o", str(report)]) == 1
    assert report.read_text().startswith("<!DOCTYPE html>")


def test_report_does_not_overwrite_an_artifact(sides: tuple[Path, Path]) -> None:
    old, new = map(str, sides)

    assert main(["diff", old, new, "-o", new]) == 2
    assert sides[1].read_text() == PTX.format(constant=2)


def test_code_beyond_the_limit_is_listed_as_undecided(
    sides: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["diff", *map(str, sides), "--code-limit", "0"]) == 1

    output = capsys.readouterr().out
    assert "bytes differ; not listed: beyond --code-limit" in output
    assert "note: the bytes of 1 functions differ" in output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "expected two paths"),
        (["a.ptx"], "expected two paths"),
        (["a", "b", "c"], "expected two paths"),
        (["a", ""], "expected two paths"),
        (["a", "b", "--only", "cod"], "did you mean 'code'?"),
        (["--git", "HEAD..HEAD"], "--git expects the build command"),
        (["--git", "HEAD..HEAD", "--run", "a", "b"], "--run takes one command with --git, but got"),
        (["--git", "HEAD", "--", "true"], "not in the working tree of a git repository"),
        (["none.so", "none.so"], "none.so: No such file"),
    ],
)
def test_bad_usage_is_one_message(
    words: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)

    assert main(["diff", *words]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1
    assert not captured.out


def test_truncated_input_causes_one_message(
    sides: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.so"
    broken.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(20))

    assert main(["diff", str(sides[0]), str(broken)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_sides_with_an_unreadable_part_are_not_equal(
    sides: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "k.ptx").write_text(sides[0].read_text())
        (tmp_path / name / "x.so").write_bytes(b"\x7fELF\x02\x01\x01" + name.encode() * 20)

    assert main(["diff", str(tmp_path / "a"), str(tmp_path / "b")]) == 2
    assert "x.so: unreadable on the old side" in capsys.readouterr().out


def test_file_is_compared_with_the_artifact_of_the_same_name(
    sides: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = sides
    directory = tmp_path / "directory"
    for name in ("lib/old.ptx", "lib/other.ptx"):
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text(new.read_text())

    # `other.ptx` has the same kernel, but must not be compared.
    assert main(["diff", str(old), str(directory)]) == 1
    assert "changed: f" in capsys.readouterr().out
    assert main(["diff", str(directory), str(old)]) == 1
    assert "removed" not in capsys.readouterr().out

    wheel = tmp_path / "k-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in ("old.ptx", "other.ptx"):
            archive.write(new, f"k/{name}")
    assert main(["diff", str(old), str(wheel)]) == 1
    assert main(["diff", str(wheel), str(directory / "lib/old.ptx")]) == 0


def test_file_without_a_counterpart_is_rejected_with_the_fix(
    sides: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = sides
    directory = tmp_path / "directory"
    for name in ("a/new.ptx", "b/new.ptx"):
        (directory / name).parent.mkdir(parents=True)
        (directory / name).write_text(new.read_text())

    assert main(["diff", str(old), str(directory)]) == 2
    error = capsys.readouterr().err
    assert "found no artifact named 'old.ptx'" in error
    assert "extract and give one of its artifacts (a/new.ptx, b/new.ptx)" in error
    assert main(["diff", str(directory), str(new)]) == 2
    assert "found 2 artifacts named 'new.ptx'" in capsys.readouterr().err
    assert main(["diff", str(directory), str(new), "--artifacts", "a/*"]) == 0


def test_unreadable_file_is_ignored_when_it_is_not_compared(
    sides: tuple[Path, Path], tmp_path: Path
) -> None:
    directory = tmp_path / "directory"
    directory.mkdir()
    for name in ("old.ptx", "other.ptx"):
        (directory / name).write_text(sides[0].read_text())
    (directory / "broken.so").write_bytes(b"\x7fELF\x02\x01\x01" + b"x" * 20)

    assert main(["diff", str(sides[0]), str(directory)]) == 0
    assert main(["diff", str(directory), str(directory)]) == 2


def git(directory: Path, *words: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.example")
    return subprocess.run(
        ["git", *identity, *words], cwd=directory, check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Make two commits on main and a branch at the first one; the build copies the PTX."""
    directory = tmp_path / "repository"
    directory.mkdir()
    git(directory, "init", "-q", "-b", "main")
    for constant in (1, 2):
        (directory / "k.in").write_text(PTX.format(constant=constant))
        git(directory, "add", "k.in")
        git(directory, "commit", "-qm", f"constant {constant}")
    git(directory, "branch", "side", "HEAD^")
    return directory


BUILD = ("sh", "-c", "mkdir -p build && cp k.in build/k.ptx")


def test_revisions_are_built_in_separate_working_trees(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (repository / "k.in").write_text("dirty")
    monkeypatch.chdir(repository)

    assert main(["diff", "--git", "HEAD^..HEAD", "--", *BUILD]) == 1
    assert main(["diff", "--git", "HEAD..HEAD", "--", *BUILD]) == 0
    assert main(["diff", "--git", "main...side", "--", *BUILD]) == 0
    assert "+mov.u32 %r1, 2;" in capsys.readouterr().out
    assert (repository / "k.in").read_text() == "dirty"
    assert git(repository, "worktree", "list").count("\n") == 1
    assert sorted(p.name for p in repository.iterdir()) == [".git", "k.in"]


def test_a_command_runs_in_each_revision(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository)
    tests = "cp build/k.ptx $KBUILD_DUMP/$KBUILD_DUMP_BY_TEST.ptx"

    assert main(["diff", "--git", "HEAD^..HEAD", "--run", tests, "--", *BUILD]) == 1
    output = capsys.readouterr().out
    assert "+mov.u32 %r1, 2;" in output
    assert "1.ptx" in output
    assert main(["diff", "--git", "HEAD..HEAD", "--run", tests, "--", *BUILD]) == 0

    counted = f"""{tests}; grep 'r1, 2' k.in && echo '["t", "k"]' > $KBUILD_DUMP/.kbuild-launches"""
    assert main(["diff", "--git", "HEAD^..HEAD", "--run", f"{counted} || true", "--", *BUILD]) == 1
    output = capsys.readouterr().out
    assert "1 launch count changed" in output
    assert "t: k: launches 0 -> 1 (+1)" in output

    new = "grep -q 'r1, 2' k.in && cp k.in $KBUILD_DUMP/k.ptx || true"
    assert main(["diff", "--git", "HEAD^..HEAD", "--run", new]) == 1
    assert "added" in capsys.readouterr().out
    assert main(["diff", "--git", "HEAD^..HEAD", "--run", "echo words; grep -q 'r1, 1' k.in"]) == 4
    assert capsys.readouterr().err.startswith('words\nkbuild: error: HEAD: "echo words; grep')
    assert main(["diff", "--git", "HEAD^..HEAD", "--run", "true"]) == 2
    assert "'true' compiled no kernels" in capsys.readouterr().err


def test_revision_is_compared_with_the_working_tree(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The copy has changed, staged, and new files, but no deleted, ignored, or build files."""
    (repository / ".gitignore").write_text("ignored\n")
    (repository / "gone").write_text("")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "more")
    (repository / "k.in").write_text(PTX.format(constant=3))
    (repository / "new").symlink_to("k.in")
    (repository / "ignored").write_text("")
    (repository / "gone").unlink()
    (repository / "out").mkdir()
    (repository / "out/CMakeCache.txt").write_text("")
    before = git(repository, "status", "--porcelain", "--ignored")
    index = (repository / ".git/index").read_bytes()
    monkeypatch.chdir(repository)
    # The build must also work in the checkout of the commit.
    build = (
        'test "$(git status --porcelain)" && set -- new || set -- k.in; '
        'test "$1" = new && test -e gone && exit 8; test -e ignored && exit 9; '
        "test -e out && exit 10; mkdir build; cp -L $1 build/k.ptx"
    )

    assert main(["diff", "--git", "HEAD", "--", "sh", "-c", build]) == 1

    output = capsys.readouterr().out
    assert "-> working tree (on " in output
    assert "+mov.u32 %r1, 3;" in output
    assert git(repository, "status", "--porcelain", "--ignored") == before
    assert (repository / ".git/index").read_bytes() == index
    assert git(repository, "worktree", "list").count("\n") == 1


def test_clean_working_tree_equals_its_revision(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository)

    assert main(["diff", "--git", "HEAD", "--", *BUILD]) == 0
    assert main(["diff", "--git", "HEAD^", "--", *BUILD]) == 1


def test_failing_build_leaves_no_working_tree(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository)

    code = main(["diff", "--git", "HEAD^..HEAD", "--", "sh", "-c", "echo oops >&2; exit 9"])

    assert code == 4
    error = capsys.readouterr().err
    assert "building HEAD^: sh failed with exit status 9" in error
    assert "oops" in error
    assert git(repository, "worktree", "list").count("\n") == 1


@pytest.mark.parametrize(
    ("words", "expected", "message"),
    [
        (("nothing..HEAD", "--", "true"), 2, "unknown revision 'nothing'"),
        (("--help..HEAD", "--", "true"), 2, "unknown revision"),
        (("HEAD^..HEAD", "--", "no-such-command"), 4, "no-such-command: not found"),
        (("HEAD^..HEAD", "--artifacts", "*.so", "--", "true"), 2, "no artifact matches *.so"),
    ],
)
def test_revision_that_cannot_be_built_is_an_error(  # noqa: PLR0913, PLR0917 - three of them are fixtures
    repository: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    expected: int,
    message: str,
) -> None:
    monkeypatch.chdir(repository)

    assert main(["diff", f"--git={words[0]}", *words[1:]]) == expected
    assert message in capsys.readouterr().err


def test_git_outside_of_a_repository_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)

    assert main(["diff", "--git", "HEAD^..HEAD", "--", "true"]) == 2
    assert "not in the working tree of a git repository" in capsys.readouterr().err


def test_interrupted_build_leaves_no_files(repository: Path, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    started = tmp_path / "started"
    # A test run in the background ignores SIGINT, and children inherit that.
    handle = "signal.signal(signal.SIGINT, signal.default_int_handler)"
    main = "from kbuild.cli.main import main; sys.exit(main(sys.argv[1:]))"
    program = f"import signal, sys; {handle}; {main}"
    words = ("diff", "--git", "HEAD^..HEAD", "--", "sh", "-c", f"touch {started}; exec sleep 30")
    process = subprocess.Popen(
        [sys.executable, "-c", program, *words],
        cwd=repository,
        env={**os.environ, "TMPDIR": str(temporary)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not started.exists():
        assert process.poll() is None
        time.sleep(0.01)
    # A terminal sends SIGINT to the whole process group.
    os.killpg(process.pid, signal.SIGINT)

    _, error = process.communicate(timeout=20)
    assert process.returncode == 130
    assert error == "kbuild: interrupted\n"
    assert list(temporary.iterdir()) == []
    assert git(repository, "worktree", "list").count("\n") == 1


def test_commands_that_fail_or_compile_nothing_are_errors(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["diff", "--run", "echo words; exit 3", "true"]) == 4
    assert capsys.readouterr().err == (
        "words\nkbuild: error: 'echo words; exit 3' failed with exit status 3\n"
    )
    assert main(["diff", "--run", "true", "true"]) == 2
    assert "'true' compiled no kernels" in capsys.readouterr().err
    assert main(["diff", "--run", "true", "true", "more"]) == 2
    assert (
        "--run takes exactly two commands, or one with --git, but got 3" in capsys.readouterr().err
    )
