"""Build directories: the lock, the claim, and what CMake has to forget."""

from __future__ import annotations

import contextlib
import fcntl
import multiprocessing
import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from kbuild.errors import ConfigurationError, KbuildError, ToolError
from kbuild.project.directory import (
    BuildDirectory,
    claim_directory,
    forget_configuration,
    hold_lock,
    read_ledger,
)


@pytest.fixture
def directory(tmp_path: Path) -> BuildDirectory:
    return BuildDirectory(root=tmp_path / "build")


def in_child(work: Callable[[], None]) -> multiprocessing.process.BaseProcess:
    child = multiprocessing.get_context("fork").Process(target=work)
    child.start()
    return child


def test_second_process_waits_and_learns_who_has_the_lock(directory: BuildDirectory) -> None:
    entered = directory.root.parent / "entered"

    def build() -> None:
        with hold_lock(directory, (directory.root / "waiting").write_text):
            entered.touch()

    with hold_lock(directory, pytest.fail):
        child = in_child(build)
        while not (directory.root / "waiting").is_file():
            assert child.is_alive()
        assert not entered.exists()
    child.join()

    assert (directory.root / "waiting").read_text() == str(os.getpid())
    assert entered.exists()


def test_lock_is_free_after_its_process_was_killed(directory: BuildDirectory) -> None:
    def die() -> None:
        with hold_lock(directory, pytest.fail):
            os.kill(os.getpid(), signal.SIGKILL)

    in_child(die).join()

    with hold_lock(directory, pytest.fail):
        assert directory.lock.read_text() == str(os.getpid())


def test_children_of_a_killed_process_keep_its_lock(directory: BuildDirectory) -> None:
    readable, writable = os.pipe()

    def die() -> None:
        with hold_lock(directory, pytest.fail):
            if os.fork() == 0:
                os.close(writable)
                os.read(readable, 1)
            os._exit(0)

    in_child(die).join()
    waited: list[str] = []

    def release(holder: str) -> None:
        waited.append(holder)
        os.close(writable)

    with hold_lock(directory, release):
        assert len(waited) == 1
    os.close(readable)


def test_directory_that_was_removed_is_made_and_locked_again(directory: BuildDirectory) -> None:
    directory.root.mkdir()
    held = directory.lock.open("w")
    fcntl.flock(held, fcntl.LOCK_EX)

    def remove(_: str) -> None:
        directory.lock.unlink()
        directory.root.rmdir()
        held.close()

    with hold_lock(directory, remove):
        assert directory.lock.is_file()


@pytest.mark.parametrize("link", [False, True])
@pytest.mark.parametrize("name", [".", "kbuild"])
def test_file_in_place_of_the_directory_is_named(tmp_path: Path, name: str, link: bool) -> None:
    file = tmp_path / "build"
    if link:
        file.symlink_to("nowhere")
    else:
        file.touch()

    with (
        pytest.raises(ConfigurationError, match=f"^{file}: not a directory; .* -o DIR"),
        hold_lock(BuildDirectory(root=file / name), print),
    ):
        pass


@pytest.mark.parametrize("name", ["CMakeCache.txt", "build.ninja"])
def test_empty_file_is_no_configuration(directory: BuildDirectory, name: str) -> None:
    directory.cmake.mkdir(parents=True)
    for file in ("CMakeCache.txt", "build.ninja"):
        (directory.cmake / file).write_text("x")
    assert directory.is_configured()

    (directory.cmake / name).write_text("")

    assert not directory.is_configured()


def test_forgetting_a_configuration_keeps_what_was_built(directory: BuildDirectory) -> None:
    kept = directory.cmake / "CMakeFiles" / "k.dir" / "k.o"
    gone = (
        directory.cmake / "CMakeFiles" / "3.25.1" / "CMakeCXXCompiler.cmake",
        directory.cmake / "CMakeCache.txt",
        directory.cmake / "build.ninja",
    )
    for path in (kept, *gone):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    forget_configuration(directory)

    assert kept.is_file()
    assert [path for path in gone if path.exists()] == []


@pytest.mark.parametrize("name", ["project/x", "cmake/FindX.cmake", "src/k.cu"])
def test_directory_with_files_of_others_is_not_claimed(
    directory: BuildDirectory, name: str
) -> None:
    path = directory.root / name
    path.parent.mkdir(parents=True)
    path.touch()

    with pytest.raises(ConfigurationError, match="did not make it"):
        claim_directory(directory, ("src",))

    assert path.is_file()
    assert not directory.is_claimed()


def test_ledger_cannot_name_paths_outside_of_the_directory(directory: BuildDirectory) -> None:
    directory.root.mkdir()
    precious = directory.root.parent / "precious"
    precious.mkdir()
    directory.ledger.write_text(f"../precious\n{precious}\n..\n.\n\nk\n")

    assert read_ledger(directory) == {"k"}
    claim_directory(directory, ("new",))

    assert precious.is_dir()


def test_directories_of_former_targets_are_removed(directory: BuildDirectory) -> None:
    directory.root.mkdir()
    (directory.root / "others").touch()
    (directory.root / "empty").mkdir()  # for example a temporary directory
    claim_directory(directory, ("kept", "former", "empty"))
    for target in ("kept", "former"):
        (directory.root / target).mkdir()
        (directory.root / target / "lib.so").touch()

    claim_directory(directory, ("kept", "new"))

    assert read_ledger(directory) == {"kept", "new"}
    assert sorted(p.name for p in directory.root.iterdir() if p != directory.ledger) == [
        "kept",
        "others",
    ]


def fail_in(directory: BuildDirectory, error: KbuildError) -> None:
    """Let the configuration of a build directory fail."""
    with contextlib.suppress(KbuildError), hold_lock(directory, pytest.fail):
        claim_directory(directory, ("k",))
        directory.cmake.mkdir(exist_ok=True)
        raise error


def test_new_directory_is_removed_if_its_first_build_fails_on_bad_input(tmp_path: Path) -> None:
    directory = BuildDirectory(root=tmp_path / "build" / "kbuild")

    fail_in(directory, ToolError("the compiler failed"))
    assert directory.is_claimed()
    fail_in(directory, ConfigurationError("not the first attempt"))
    assert directory.is_claimed()
    shutil.rmtree(tmp_path / "build")
    fail_in(directory, ConfigurationError("unknown architecture"))

    assert list(tmp_path.iterdir()) == []


def test_directory_that_existed_is_not_removed(directory: BuildDirectory) -> None:
    directory.root.mkdir()

    fail_in(directory, ConfigurationError("unknown architecture"))

    assert list(directory.root.iterdir()) == []


def test_directory_that_cannot_be_made_is_an_error_with_an_alternative() -> None:
    directory = BuildDirectory(root=Path("/proc/self/kbuild"))

    with (
        pytest.raises(ConfigurationError, match=r"^/proc/self/kbuild: cannot be written .* -o DIR"),
        hold_lock(directory, lambda _: None),
    ):
        pass
