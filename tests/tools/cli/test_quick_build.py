"""A build with nothing to do: when that is said, and when it is left to others."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kbuild.cli.quick_build import FILE, find_nothing_to_do, format_quick_file, list_folders, mark
from kbuild.project.directory import BuildFolder
from kbuild.toolchain.find import find_build_program
from support.commands import ROOT

RULES = "rule copy\n command = cp $in $out\nbuild made: copy input\nbuild k_all: phony made\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BuildFolder:
    """A build that is up to date, in the current folder."""
    monkeypatch.chdir(tmp_path)
    folder = BuildFolder(root=tmp_path / "build" / "kbuild")
    folder.cmake.mkdir(parents=True)
    folder.lock.touch()
    (folder.cmake / "build.ninja").write_text(RULES)
    (folder.cmake / "input").touch()
    (tmp_path / "src").mkdir()
    (tmp_path / "kbuild.toml").touch()
    ninja = str(find_build_program("ninja"))
    subprocess.run([ninja, "-C", folder.cmake], check=True, stdout=subprocess.DEVNULL)
    marks = [mark(str(path)) for path in (tmp_path / "kbuild.toml", tmp_path / "src")]
    monkeypatch.setenv("CXX", "g++")
    folder.quick.write_bytes(
        format_quick_file(str(folder.root), ("CXX",), ninja, {"k": "libk.so"}, marks)
    )
    assert folder.quick.name == FILE
    return folder


@pytest.mark.parametrize(
    "words", [[], ["k"], ["-j", "2"], ["-j2", "k"], ["--profile", "release"], ["--profile=release"]]
)
def test_nothing_to_do(folder: BuildFolder, words: list[str]) -> None:
    assert folder.quick.is_file()
    assert find_nothing_to_do(words) == ("libk.so",)


@pytest.mark.parametrize("words", [["--profile", "debug"], ["k", "--profile=debug", "-j", "1"]])
def test_profiles_have_folders(folder: BuildFolder, words: list[str]) -> None:
    assert find_nothing_to_do(words) is None
    profile = folder.root / "debug"
    whole = folder.root.rename(folder.root.with_name("other"))
    folder.root.mkdir()
    whole.rename(profile)
    quick = profile / FILE
    quick.write_text(quick.read_text().replace(str(folder.root), str(profile)))

    assert find_nothing_to_do(words) == ("libk.so",)
    assert find_nothing_to_do([]) is None


@pytest.mark.parametrize(
    "words",
    [
        *(["other"], ["-j"], ["-j", "0"], ["-jx"], ["-j", "k"], ["--", "k"], ["-o", "out"]),
        *(["k", "--profile", "debug"], ["--profile"], ["--profile", "../kbuild"], ["--profile="]),
        *(["--device-jobs", "2"], ["--prof", "release"]),
    ],
)
def test_other_calls_are_left_to_others(folder: BuildFolder, words: list[str]) -> None:
    assert folder.quick.is_file()
    assert find_nothing_to_do(words) is None


def test_edited_input(folder: BuildFolder) -> None:
    (folder.cmake / "made").unlink()

    assert find_nothing_to_do([]) is None


def test_edited_manifest(folder: BuildFolder, tmp_path: Path) -> None:
    (tmp_path / "kbuild.toml").write_text("edited")

    assert folder.quick.is_file()
    assert find_nothing_to_do([]) is None


def test_new_file_beside_the_sources(folder: BuildFolder, tmp_path: Path) -> None:
    os.utime(tmp_path / "src", ns=(1, 1))
    (tmp_path / "src" / "new.cu").touch()

    assert folder.quick.is_file()
    assert find_nothing_to_do([]) is None


def test_time_that_was_set_back(folder: BuildFolder, tmp_path: Path) -> None:
    manifest = tmp_path / "kbuild.toml"
    before = manifest.stat().st_mtime_ns
    manifest.touch()
    os.utime(manifest, ns=(before, before))

    assert folder.quick.is_file()
    assert find_nothing_to_do([]) is None


def test_copied_folder(
    folder: BuildFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find_nothing_to_do([]) is not None
    (tmp_path / "copy" / "build").mkdir(parents=True)
    shutil.copytree(folder.root, tmp_path / "copy" / "build" / "kbuild")
    monkeypatch.chdir(tmp_path / "copy")

    assert Path("build/kbuild", FILE).is_file()
    assert find_nothing_to_do([]) is None


def test_another_compiler(folder: BuildFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "clang++")

    assert folder.quick.is_file()
    assert find_nothing_to_do([]) is None


def test_somebody_is_building(folder: BuildFolder) -> None:
    with folder.lock.open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)

        assert find_nothing_to_do([]) is None


@pytest.mark.parametrize("content", [b"", b"kbuild.quick/0\na\nb\nc\n0", b"\xff"])
def test_file_of_another_kbuild(folder: BuildFolder, content: bytes) -> None:
    folder.quick.write_bytes(content)

    assert find_nothing_to_do([]) is None


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("k.cu", [""]),
        ("src/*.cu", ["src"]),
        ("src/**/*.cu", ["src", "src/inner"]),
        ("s?c/inner/*.cu", ["", "build", "src", "src/inner"]),
    ],
)
def test_folders_of_a_pattern(tmp_path: Path, pattern: str, expected: list[str]) -> None:
    (tmp_path / "src" / "inner").mkdir(parents=True)
    (tmp_path / "build" / "kbuild" / "made").mkdir(parents=True)

    found = list_folders(str(tmp_path), pattern, str(tmp_path / "build" / "kbuild"))

    assert found is not None
    assert sorted(found) == [str(tmp_path / name) for name in expected]


def test_links_are_followed_as_patterns_do(tmp_path: Path) -> None:
    for name in ("src", "other/inner"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "src" / "link").symlink_to(tmp_path / "other")
    (tmp_path / "other" / "inner" / "around").symlink_to(tmp_path / "src")
    (tmp_path / "src" / "later.cu").symlink_to(tmp_path / "nothing.cu")

    found = list_folders(str(tmp_path), "src/**/*.cu", "")

    expected = ("src", "src/later.cu", "src/link", "src/link/inner")
    assert found == [str(tmp_path / name) for name in expected]
    assert list_folders(str(tmp_path), "src/*.cu", "") == found[:2]


def test_too_many_folders_are_not_watched(tmp_path: Path) -> None:
    for number in range(201):
        (tmp_path / str(number)).mkdir()

    assert list_folders(str(tmp_path), "**/*.cu", "") is None


def test_it_starts_with_next_to_nothing() -> None:
    code = "import sys; import kbuild.cli.entry, kbuild.cli.quick_build; print(*sys.modules)"
    words = [sys.executable, "-S", "-c", code]
    root = ROOT

    done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=root)

    heavy = {"argparse", "dataclasses", "json", "pathlib", "re", "subprocess", "typing"}
    assert "kbuild.cli.quick_build" in done.stdout.split()
    assert heavy.isdisjoint(done.stdout.split())
