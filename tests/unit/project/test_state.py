"""When a build folder has to be configured again."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from kbuild.project.directory import BuildFolder, claim_folder
from kbuild.project.state import (
    BuildState,
    SourcePattern,
    TargetOutput,
    is_current,
    make_request,
    mark_files,
    match_sources,
    read_state,
    write_state,
)


@pytest.fixture
def state(tmp_path: Path) -> BuildState:
    manifest = tmp_path / "kbuild.toml"
    for name in ("kbuild.toml", "a.cu", "b.cu"):
        (tmp_path / name).write_text(name)
    return BuildState(
        request=make_request(manifest, BuildFolder(root=tmp_path / "build"), "release", None),
        files=mark_files((manifest, tmp_path / "missing")),
        patterns=(SourcePattern(pattern="*.cu", files=match_sources(tmp_path, "*.cu")),),
        outputs=(TargetOutput(target="k", artifact=tmp_path / "libk.so"),),
        ninja=Path("/usr/bin/ninja"),
    )


def test_nothing_changed(state: BuildState, tmp_path: Path) -> None:
    folder = BuildFolder(root=tmp_path / "build")
    claim_folder(folder, ("k",))
    for path in (folder.cmake / "build.ninja", folder.project / "CMakeLists.txt"):
        path.parent.mkdir()
        path.touch()

    write_state(folder, state)

    assert read_state(folder) == state
    assert is_current(state, state.request)


def test_folder_is_not_configured_without_what_cmake_wrote(
    state: BuildState, tmp_path: Path
) -> None:
    folder = BuildFolder(root=tmp_path / "build")

    write_state(folder, state)

    assert read_state(folder) is None


@pytest.mark.parametrize("content", [b"", b'{"schema":"kbuild.build-state/0"}', b"{"])
def test_state_of_another_kbuild_is_none(tmp_path: Path, content: bytes) -> None:
    folder = BuildFolder(root=tmp_path)
    folder.cmake.mkdir()
    (folder.cmake / "build.ninja").touch()
    folder.state.write_bytes(content)

    assert read_state(folder) is None


def test_new_source_of_a_pattern(state: BuildState, tmp_path: Path) -> None:
    (tmp_path / "c.cu").touch()

    assert not is_current(state, state.request)


def test_removed_source(state: BuildState, tmp_path: Path) -> None:
    (tmp_path / "a.cu").unlink()

    assert not is_current(state, state.request)


def test_edited_source_is_nothing_to_configure(state: BuildState, tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text("edited")

    assert is_current(state, state.request)


def test_older_file_in_the_place_of_another(state: BuildState, tmp_path: Path) -> None:
    os.utime(tmp_path / "kbuild.toml", ns=(1, 1))

    assert not is_current(state, state.request)


def test_time_that_was_set_back(state: BuildState, tmp_path: Path) -> None:
    manifest = tmp_path / "kbuild.toml"
    before = manifest.stat().st_mtime_ns
    manifest.write_text("KBUILD.TOML")
    os.utime(manifest, ns=(before, before))

    assert not is_current(state, state.request)


def test_file_that_was_missing(state: BuildState, tmp_path: Path) -> None:
    (tmp_path / "missing").touch()

    assert not is_current(state, state.request)


@pytest.mark.parametrize(
    "change",
    [
        {"profile": "debug"},
        {"device_jobs": 2},
        {"environment": ("CXX=clang++",)},
        {"folder": Path("/other")},
    ],
)
def test_another_request(state: BuildState, change: dict[str, object]) -> None:
    assert not is_current(state, replace(state.request, **change))  # type: ignore[arg-type]


def test_what_was_built_is_no_source(tmp_path: Path) -> None:
    for name in ("k.cu", "build/k.cu", "build/kbuild/target/k.cu"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()

    assert match_sources(tmp_path, "**/*.cu") == (tmp_path / "build/k.cu", tmp_path / "k.cu")


def test_folders_are_no_sources(tmp_path: Path) -> None:
    (tmp_path / "src.cu").mkdir()
    (tmp_path / "src.cu" / "k.cu").touch()

    assert match_sources(tmp_path, "**/*.cu") == (tmp_path / "src.cu" / "k.cu",)
    assert match_sources(tmp_path, str(tmp_path / "src.cu")) == ()
