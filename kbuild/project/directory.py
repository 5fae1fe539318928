"""The folder that ``kbuild build`` works in: what is where, and who may write."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kbuild.errors import ConfigurationError
from kbuild.files import write_if_changed

# Relative to the manifest.
OUTPUT: Final = Path("build") / "kbuild"


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildFolder:
    """Artifacts are in ``root/<target>``, all else here."""

    root: Path

    @property
    def project(self) -> Path:
        """The generated CMake project."""
        return self.root / "project"

    @property
    def cmake(self) -> Path:
        """Where CMake and ninja work."""
        return self.root / "cmake"

    @property
    def state(self) -> Path:
        """What was configured; not there while it is not."""
        return self.root / ".state.json"

    @property
    def quick(self) -> Path:
        """What tells a build that it has nothing to do; not there while that is not sure."""
        return self.root / ".quick"

    @property
    def lock(self) -> Path:
        """The file that the one who writes holds a lock on."""
        return self.root / ".kbuild-lock"

    @property
    def ledger(self) -> Path:
        """The names of the targets that were ever built here; what makes the folder ours."""
        return self.root / ".kbuild-targets"

    def is_ours(self) -> bool:
        """Whether `claim_folder` was here."""
        return self.ledger.is_file()

    def is_configured(self) -> bool:
        """Whether the last attempt to configure came to its end."""
        made = (self.state, self.project / "CMakeLists.txt", self.cmake / "build.ninja")
        return self.is_ours() and all(path.is_file() for path in made)


def check_claim(folder: BuildFolder, targets: Iterable[str]) -> None:
    """Refuse to build ``targets`` where that would write into somebody else's files.

    Raises ConfigurationError that names them.
    """
    own = () if folder.is_ours() else (folder.project, folder.cmake, folder.state, folder.quick)
    known = read_ledger(folder)
    for path in (*own, *(folder.root / target for target in targets if target not in known)):
        if path.is_file() or (path.is_dir() and any(path.iterdir())):
            raise ConfigurationError(
                f"{path}: is there already, and kbuild build did not make it; name another folder "
                "with -o DIR"
            )


def claim_folder(folder: BuildFolder, targets: tuple[str, ...]) -> None:
    """Make it the build folder of ``targets``, and remove what others left that are no more.

    Raises ConfigurationError as `check_claim` does.
    """
    check_claim(folder, targets)
    former = read_ledger(folder)
    _write_ledger(folder, (*former, *targets))
    for target in former - set(targets):
        shutil.rmtree(folder.root / target, ignore_errors=True)
    _write_ledger(folder, targets)


def read_ledger(folder: BuildFolder) -> frozenset[str]:
    """The targets that have a folder here; none where it is not ours."""
    if not folder.is_ours():
        return frozenset()
    lines = folder.ledger.read_text(errors="replace").splitlines()
    # A file that came from elsewhere is not to lead out of the folder.
    return frozenset(line for line in lines if line not in ("", ".", "..") and "/" not in line)


def _write_ledger(folder: BuildFolder, targets: Iterable[str]) -> None:
    lines = "".join(f"{target}\n" for target in sorted(set(targets)))
    write_if_changed(folder.ledger, lines.encode())


def begin_configuration(folder: BuildFolder) -> None:
    """From now on it is not configured."""
    folder.quick.unlink(missing_ok=True)
    folder.state.unlink(missing_ok=True)


def forget_configuration(folder: BuildFolder) -> None:
    """Remove what CMake remembers of compilers, but nothing that was built.

    What an attempt that came to no end left is not what CMake expects to find.
    """
    begin_configuration(folder)
    (folder.cmake / "CMakeCache.txt").unlink(missing_ok=True)
    for found in (folder.cmake / "CMakeFiles").glob("[0-9]*"):
        shutil.rmtree(found)


@contextmanager
def hold_lock(folder: BuildFolder, on_wait: Callable[[str], object]) -> Iterator[int]:
    """Be the only one to write in ``folder``, which is made if need be; the lock's descriptor.

    ``on_wait`` is told who has the lock where it has to be waited for.  The lock of a process that
    is killed ends with the last one that inherited the descriptor.
    """
    descriptor = _open_locked(folder, on_wait)
    try:
        os.truncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        yield descriptor
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)  # servers that a build started may have it too
        os.close(descriptor)


def _open_locked(folder: BuildFolder, on_wait: Callable[[str], object]) -> int:
    while True:
        folder.root.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            _wait_for(descriptor, folder, on_wait)
            if _is_still(descriptor, folder.lock):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)  # `kbuild clean` removed it meanwhile


def _wait_for(descriptor: int, folder: BuildFolder, on_wait: Callable[[str], object]) -> None:
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            on_wait(os.pread(descriptor, 20, 0).decode(errors="replace") or "unknown")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
    except OSError as error:
        raise ConfigurationError(
            f"{folder.lock}: cannot be locked ({error.strerror}); name a folder of a file system "
            "with locks with -o DIR"
        ) from error


def _is_still(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
