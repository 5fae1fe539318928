"""`kbuild diff`: usage, exit codes and what cannot be read; real artifacts are in tests/e2e."""

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


def test_equal_is_zero_and_different_is_one(
    sides: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = map(str, sides)

    assert main(["diff", old, old]) == 0
    assert main(["diff", old, new]) == 1
    captured = capsys.readouterr()
    assert "-mov.u32 %r1, 1;" in captured.out
    assert "+mov.u32 %r1, 2;" in captured.out
    assert not captured.err


def test_only_selects(sides: tuple[Path, Path]) -> None:
    old, new = map(str, sides)

    assert main(["diff", old, new, "--only", "abi,resources", "--only", "size"]) == 0
    assert main(["diff", old, new, "--only", "code"]) == 1


def test_report_goes_to_a_file(sides: tuple[Path, Path], tmp_path: Path) -> None:
    report = tmp_path / "report.html"

    assert main(["diff", *map(str, sides), "--format", "html", "-o", str(report)]) == 1
    assert report.read_text().startswith("<!DOCTYPE html>")


def test_report_does_not_replace_an_artifact(sides: tuple[Path, Path]) -> None:
    old, new = map(str, sides)

    assert main(["diff", old, new, "-o", new]) == 2
    assert sides[1].read_text() == PTX.format(constant=2)


def test_code_beyond_the_limit_is_named(
    sides: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["diff", *map(str, sides), "--code-limit", "0"]) == 1

    output = capsys.readouterr().out
    assert "bytes differ; not listed: beyond --code-limit" in output
    assert "note: the bytes of 1 functions differ" in output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "two paths are compared"),
        (["a.ptx"], "two paths are compared"),
        (["a", "b", "c"], "two paths are compared"),
        (["a", ""], "two paths are compared"),
        (["a", "b", "--only", "cod"], "did you mean 'code'?"),
        (["--git", "HEAD..HEAD"], "--git needs the command"),
        (["--git", "HEAD", "--", "true"], "not in the work tree of a git repository"),
        (["none.so", "none.so"], "none.so: No such file"),
    ],
)
def test_bad_usage(
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


def test_truncated_input_is_one_message(
    sides: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.so"
    broken.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(20))

    assert main(["diff", str(sides[0]), str(broken)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_unreadable_part_is_never_equal(
    sides: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "k.ptx").write_text(sides[0].read_text())
        (tmp_path / name / "x.so").write_bytes(b"\x7fELF\x02\x01\x01" + name.encode() * 20)

    assert main(["diff", str(tmp_path / "a"), str(tmp_path / "b")]) == 2
    assert "x.so: unreadable on the old side" in capsys.readouterr().out


def test_file_is_compared_with_the_one_of_its_name(
    sides: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = sides
    folder = tmp_path / "folder"
    for name in ("lib/old.ptx", "lib/other.ptx"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(new.read_text())

    # Not `other.ptx`, which has the same kernel.
    assert main(["diff", str(old), str(folder)]) == 1
    assert "changed: f" in capsys.readouterr().out
    assert main(["diff", str(folder), str(old)]) == 1
    assert "removed" not in capsys.readouterr().out

    wheel = tmp_path / "k-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in ("old.ptx", "other.ptx"):
            archive.write(new, f"k/{name}")
    assert main(["diff", str(old), str(wheel)]) == 1
    assert main(["diff", str(wheel), str(folder / "lib/old.ptx")]) == 0


def test_file_without_a_partner_names_the_mend(
    sides: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = sides
    folder = tmp_path / "folder"
    for name in ("a/new.ptx", "b/new.ptx"):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text(new.read_text())

    assert main(["diff", str(old), str(folder)]) == 2
    error = capsys.readouterr().err
    assert "holds no artifact called old.ptx" in error
    assert "give one of its artifacts instead (a/new.ptx, b/new.ptx)" in error
    assert main(["diff", str(folder), str(new)]) == 2
    assert "holds 2 artifacts called new.ptx" in capsys.readouterr().err
    assert main(["diff", str(folder), str(new), "--artifacts", "a/*"]) == 0


def test_part_that_nobody_compares_may_be_unreadable(
    sides: tuple[Path, Path], tmp_path: Path
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in ("old.ptx", "other.ptx"):
        (folder / name).write_text(sides[0].read_text())
    (folder / "broken.so").write_bytes(b"\x7fELF\x02\x01\x01" + b"x" * 20)

    assert main(["diff", str(sides[0]), str(folder)]) == 0
    assert main(["diff", str(folder), str(folder)]) == 2


def git(folder: Path, *words: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.example")
    return subprocess.run(
        ["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two commits on main and one on a branch of the first; the build copies the PTX."""
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    for constant in (1, 2):
        (folder / "k.in").write_text(PTX.format(constant=constant))
        git(folder, "add", "k.in")
        git(folder, "commit", "-qm", f"constant {constant}")
    git(folder, "branch", "side", "HEAD^")
    return folder


BUILD = ("sh", "-c", "mkdir -p build && cp k.in build/k.ptx")


def test_revisions_are_built_apart(
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


def test_revision_against_the_work_tree(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Changed, staged, new and deleted files are as they stand; ignored ones and builds stay."""
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
    # The commit's own build has to work, too.
    build = (
        'test "$(git status --porcelain)" && set -- new || set -- k.in; '
        'test "$1" = new && test -e gone && exit 8; test -e ignored && exit 9; '
        "test -e out && exit 10; mkdir build; cp -L $1 build/k.ptx"
    )

    assert main(["diff", "--git", "HEAD", "--", "sh", "-c", build]) == 1

    output = capsys.readouterr().out
    assert "-> work tree (on " in output
    assert "+mov.u32 %r1, 3;" in output
    assert git(repository, "status", "--porcelain", "--ignored") == before
    assert (repository / ".git/index").read_bytes() == index
    assert git(repository, "worktree", "list").count("\n") == 1


def test_clean_work_tree_is_its_revision(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository)

    assert main(["diff", "--git", "HEAD", "--", *BUILD]) == 0
    assert main(["diff", "--git", "HEAD^", "--", *BUILD]) == 1


def test_failing_build_leaves_nothing(
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
        (("nothing..HEAD", "--", "true"), 2, "'nothing' is no revision"),
        (("--help..HEAD", "--", "true"), 2, "no revision"),
        (("HEAD^..HEAD", "--", "no-such-command"), 4, "no-such-command: not found"),
        (("HEAD^..HEAD", "--artifacts", "*.so", "--", "true"), 2, "no artifact that matches *.so"),
    ],
)
def test_what_cannot_be_built(  # noqa: PLR0913, PLR0917 - three of them are fixtures
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


def test_no_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)

    assert main(["diff", "--git", "HEAD^..HEAD", "--", "true"]) == 2
    assert "not in the work tree of a git repository" in capsys.readouterr().err


def test_interrupted_build_leaves_nothing(repository: Path, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    started = tmp_path / "started"
    # Whoever runs the tests in the background has it ignored.
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
    # As a terminal does.
    os.killpg(process.pid, signal.SIGINT)

    _, error = process.communicate(timeout=20)
    assert process.returncode == 130
    assert error == "kbuild: interrupted\n"
    assert list(temporary.iterdir()) == []
    assert git(repository, "worktree", "list").count("\n") == 1
