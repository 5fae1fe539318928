"""The lock of a build folder, and what is forgotten of one."""

from __future__ import annotations

import fcntl
import multiprocessing
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from kbuild.errors import ConfigurationError
from kbuild.project.directory import (
    BuildFolder,
    claim_folder,
    forget_configuration,
    hold_lock,
    read_ledger,
)


@pytest.fixture
def folder(tmp_path: Path) -> BuildFolder:
    return BuildFolder(root=tmp_path / "build")


def in_child(work: Callable[[], None]) -> multiprocessing.process.BaseProcess:
    child = multiprocessing.get_context("fork").Process(target=work)
    child.start()
    return child


def test_second_waits_for_the_first_and_is_told_of_it(folder: BuildFolder) -> None:
    entered = folder.root.parent / "entered"

    def build() -> None:
        with hold_lock(folder, (folder.root / "waiting").write_text):
            entered.touch()

    with hold_lock(folder, pytest.fail):
        child = in_child(build)
        while not (folder.root / "waiting").is_file():
            assert child.is_alive()
        assert not entered.exists()
    child.join()

    assert (folder.root / "waiting").read_text() == str(os.getpid())
    assert entered.exists()


def test_lock_of_a_killed_process_is_free(folder: BuildFolder) -> None:
    def die() -> None:
        with hold_lock(folder, pytest.fail):
            os.kill(os.getpid(), signal.SIGKILL)

    in_child(die).join()

    with hold_lock(folder, pytest.fail):
        assert folder.lock.read_text() == str(os.getpid())


def test_lock_of_a_killed_process_is_held_by_its_children(folder: BuildFolder) -> None:
    readable, writable = os.pipe()

    def die() -> None:
        with hold_lock(folder, pytest.fail):
            if os.fork() == 0:
                os.close(writable)
                os.read(readable, 1)
            os._exit(0)

    in_child(die).join()
    waited: list[str] = []

    def release(holder: str) -> None:
        waited.append(holder)
        os.close(writable)

    with hold_lock(folder, release):
        assert len(waited) == 1
    os.close(readable)


def test_removed_folder_is_made_and_locked_anew(folder: BuildFolder) -> None:
    folder.root.mkdir()
    held = folder.lock.open("w")
    fcntl.flock(held, fcntl.LOCK_EX)

    def remove(_: str) -> None:
        folder.lock.unlink()
        folder.root.rmdir()
        held.close()

    with hold_lock(folder, remove):
        assert folder.lock.is_file()


def test_forgotten_configuration_keeps_what_was_built(folder: BuildFolder) -> None:
    kept = folder.cmake / "CMakeFiles" / "k.dir" / "k.o"
    gone = (
        folder.cmake / "CMakeFiles" / "3.25.1" / "CMakeCXXCompiler.cmake",
        folder.cmake / "CMakeCache.txt",
        folder.state,
    )
    for path in (kept, *gone):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    forget_configuration(folder)

    assert kept.is_file()
    assert [path for path in gone if path.exists()] == []


@pytest.mark.parametrize("name", ["project/x", "cmake/FindX.cmake", "src/k.cu", ".quick"])
def test_what_others_made_is_not_claimed(folder: BuildFolder, name: str) -> None:
    path = folder.root / name
    path.parent.mkdir(parents=True)
    path.touch()

    with pytest.raises(ConfigurationError, match="did not make it"):
        claim_folder(folder, ("src",))

    assert path.is_file()
    assert not folder.is_ours()


def test_ledger_leads_nowhere_else(folder: BuildFolder) -> None:
    folder.root.mkdir()
    precious = folder.root.parent / "precious"
    precious.mkdir()
    folder.ledger.write_text(f"../precious\n{precious}\n..\n.\n\nk\n")

    assert read_ledger(folder) == {"k"}
    claim_folder(folder, ("new",))

    assert precious.is_dir()


def test_folders_of_former_targets_go(folder: BuildFolder) -> None:
    folder.root.mkdir()
    (folder.root / "others").touch()
    (folder.root / "empty").mkdir()  # as a test's temporary folder may be
    claim_folder(folder, ("kept", "former", "empty"))
    for target in ("kept", "former"):
        (folder.root / target).mkdir()
        (folder.root / target / "lib.so").touch()

    claim_folder(folder, ("kept", "new"))

    assert read_ledger(folder) == {"kept", "new"}
    assert sorted(p.name for p in folder.root.iterdir() if p != folder.ledger) == ["kept", "others"]
