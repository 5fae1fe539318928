"""The directory that ``kbuild build`` works in: its layout, its owner, and its lock."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kbuild.errors import ConfigurationError, KbuildError, ToolError
from kbuild.files import write_if_changed
from kbuild.toolchain.environment import COMPILERS_FILE

# Relative to the directory of the manifest.
DEFAULT_OUTPUT: Final = Path("build") / "kbuild"


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildDirectory:
    """The paths in a build directory. The artifacts of a target are in ``root/<target>``."""

    root: Path

    @property
    def project(self) -> Path:
        """The directory of the generated CMake project."""
        return self.root / "project"

    @property
    def environment(self) -> Path:
        """The file that describes what a build depends on and ninja cannot see."""
        return self.project / "environment.txt"

    @property
    def cmake(self) -> Path:
        """The directory that CMake and ninja work in."""
        return self.root / "cmake"

    def list_compiler_files(self, targets: Iterable[str]) -> tuple[Path, ...]:
        """Return the files in which `kbuild plan` describes the compilers of targets."""
        return tuple(self.cmake / "kbuild" / target / COMPILERS_FILE for target in targets)

    @property
    def lock(self) -> Path:
        """The file that the process that writes in the directory has locked."""
        return self.root / ".kbuild-lock"

    @property
    def ledger(self) -> Path:
        """The file that lists the targets. It marks the directory as one of kbuild's."""
        return self.root / ".kbuild-targets"

    def is_claimed(self) -> bool:
        """Return whether kbuild made the directory."""
        return self.ledger.is_file()

    def is_configured(self) -> bool:
        """Return whether ninja can build here, and run CMake when that is necessary."""
        # CMake writes build.ninja last. A crash of the machine can leave empty files.
        files = (self.cmake / name for name in ("CMakeCache.txt", "build.ninja"))
        return all(path.is_file() and path.stat().st_size for path in files)


def claim_directory(directory: BuildDirectory, targets: tuple[str, ...]) -> None:
    """Make ``directory`` the build directory of ``targets``, and remove what others left there.

    Raises:
        ConfigurationError: The build would write into files that kbuild did not make.
    """
    _check_files(directory, targets)
    former = read_ledger(directory)
    _write_ledger(directory, (*former, *targets))
    for target in former - set(targets):
        shutil.rmtree(directory.root / target, ignore_errors=True)
    _write_ledger(directory, targets)


def _check_files(directory: BuildDirectory, targets: Iterable[str]) -> None:
    own = () if directory.is_claimed() else (directory.project, directory.cmake)
    known = read_ledger(directory)
    for path in (*own, *(directory.root / target for target in targets if target not in known)):
        if path.is_file() or (path.is_dir() and any(path.iterdir())):
            raise ConfigurationError(
                f"{path}: already exists, and kbuild build did not make it; name another "
                "directory with -o DIR"
            )


def read_ledger(directory: BuildDirectory) -> frozenset[str]:
    """Return the targets of the directory, or an empty set if kbuild did not make it."""
    if not directory.is_claimed():
        return frozenset()
    lines = directory.ledger.read_text(errors="replace").splitlines()
    # A ledger that someone else wrote must not lead out of the directory.
    return frozenset(line for line in lines if line not in ("", ".", "..") and "/" not in line)


def _write_ledger(directory: BuildDirectory, targets: Iterable[str]) -> None:
    lines = "".join(f"{target}\n" for target in sorted(set(targets)))
    write_if_changed(directory.ledger, lines.encode())


def forget_configuration(directory: BuildDirectory) -> None:
    """Remove what CMake knows of paths and compilers, but nothing that was built.

    An interrupted configuration also leaves files that CMake does not expect.
    """
    for name in ("build.ninja", "CMakeCache.txt"):
        (directory.cmake / name).unlink(missing_ok=True)
    for detected in (directory.cmake / "CMakeFiles").glob("[0-9]*"):  # one per CMake version
        shutil.rmtree(detected)


def remove_build(directory: BuildDirectory) -> None:
    """Remove what ``kbuild build`` made in the directory. The caller holds the lock."""
    # First, so that the next build configures again if the removal is interrupted.
    (directory.cmake / "build.ninja").unlink(missing_ok=True)
    if directory.is_claimed():
        targets = (directory.root / target for target in read_ledger(directory))
        for path in (directory.project, directory.cmake, *targets):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
        directory.ledger.unlink()
    directory.lock.unlink()


def remove_unused_build(directory: BuildDirectory, unused_since: float) -> bool:
    """Remove a build that no process uses, and return whether it was removed.

    Args:
        directory: The build directory.
        unused_since: The build stays if a process has locked it after this time.
    """
    try:
        descriptor = os.open(directory.lock, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        is_own = _is_same_file(descriptor, directory.lock)
        if not is_own or os.fstat(descriptor).st_mtime > unused_since:
            return False
        remove_build(directory)
        directory.root.rmdir()
    except OSError:  # another process has the lock, or the directory has other files
        return False
    finally:
        os.close(descriptor)
    return True


@contextmanager
def hold_lock(directory: BuildDirectory, on_wait: Callable[[str], object]) -> Iterator[int]:
    """Lock the directory, which is made if it does not exist, and yield the lock's descriptor.

    If the process is killed, the lock ends with the last process that inherited the descriptor.
    If the first build in a new directory fails on bad input, the directory is removed again.

    Args:
        directory: The build directory.
        on_wait: Receives the id of the process that has the lock, if this one has to wait.
    """
    missing = [path for path in (directory.root, *directory.root.parents) if not path.exists()]
    descriptor = _open_locked(directory, on_wait)
    is_new = not directory.is_claimed()
    try:
        os.truncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        yield descriptor
    except KbuildError as error:
        if is_new and error.exit_code != ToolError.exit_code and not directory.is_configured():
            remove_build(directory)
            with contextlib.suppress(OSError):
                for path in missing:
                    path.rmdir()
        raise
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)  # processes that inherited it can still run
        os.close(descriptor)


def _open_locked(directory: BuildDirectory, on_wait: Callable[[str], object]) -> int:
    while True:
        _make_root(directory.root)
        try:
            descriptor = os.open(directory.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise _explain_unwritable(directory.root, error) from error
        try:
            _wait_for(descriptor, directory, on_wait)
            if _is_same_file(descriptor, directory.lock):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)  # `kbuild clean` removed the file in the meantime


def _make_root(root: Path) -> None:
    try:
        root.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        paths = (root, *root.parents)
        file = next((path for path in paths if os.path.lexists(path) and not path.is_dir()), root)
        raise ConfigurationError(
            f"{file}: not a directory; name another build directory with -o DIR"
        ) from error
    except OSError as error:
        raise _explain_unwritable(root, error) from error


def _explain_unwritable(root: Path, error: OSError) -> ConfigurationError:
    return ConfigurationError(
        f"{root}: cannot be written ({error.strerror}); name another build directory with -o DIR, "
        "or with XDG_CACHE_HOME for kbuild run"
    )


def _wait_for(descriptor: int, directory: BuildDirectory, on_wait: Callable[[str], object]) -> None:
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            on_wait(os.pread(descriptor, 20, 0).decode(errors="replace") or "unknown")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
    except OSError as error:
        raise ConfigurationError(
            f"{directory.lock}: cannot be locked ({error.strerror}); name a directory on a file "
            "system that supports locks with -o DIR"
        ) from error


def _is_same_file(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
