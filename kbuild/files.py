"""Read files with clear error messages, and write files atomically."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from kbuild.errors import ConfigurationError, InputError


def sha256(content: bytes) -> str:
    """Return the SHA-256 digest of ``content`` in hexadecimal."""
    import hashlib  # noqa: PLC0415 - loads OpenSSL, which an up-to-date edge does not need

    return hashlib.sha256(content).hexdigest()


def write_file(path: Path, content: bytes) -> None:
    """Write a file atomically: readers see either the old or the new content."""
    write_parts(path, (content,))


def write_parts(
    path: Path, parts: Iterable[bytes], *, modified: int | None = None, mode: int | None = None
) -> None:
    """Write the concatenated parts to a file, atomically like `write_file`.

    Args:
        path: The file.
        parts: The content.
        modified: The modification time to set, in ns since the epoch.
        mode: The permissions to set.
    """
    with open_replacement(path, modified=modified, mode=mode) as stream:
        stream.writelines(parts)


@contextmanager
def open_replacement(
    path: Path, *, modified: int | None = None, mode: int | None = None
) -> Iterator[BinaryIO]:
    """Yield a new file that replaces the one at ``path`` at the end, unless an error occurs.

    A device or a pipe, such as ``/dev/null``, is not replaced: it gets the content.
    """
    if path.exists() and not path.is_file():
        content = io.BytesIO()
        yield content
        path.write_bytes(content.getvalue())
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = _name_temporary(path)
    try:
        with temporary.open("x+b") as stream:
            yield stream
        if modified is not None:
            os.utime(temporary, ns=(modified, modified))
        if mode is not None:
            temporary.chmod(mode)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def remove_output(path: Path) -> None:
    """Remove what an earlier run wrote, so that nothing takes it for new; devices stay."""
    if path.is_file() or path.is_symlink():
        path.unlink(missing_ok=True)


def _name_temporary(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.urandom(8).hex()}")


def begin_stamp(path: Path) -> int:
    """Remove the stamp of an edge that starts, so that it has none if it fails.

    Returns:
        The start time for `write_stamp`, in ns since the epoch.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    # Use the clock of the file system, which can be coarse, or that of a file server.
    probe = _name_temporary(path)
    try:
        with probe.open("xb") as stream:
            return os.fstat(stream.fileno()).st_mtime_ns
    finally:
        probe.unlink(missing_ok=True)


def write_stamp(path: Path, content: bytes, started: int) -> None:
    """Write an edge's stamp, dated back to its start, so that later changes of inputs are newer."""
    write_parts(path, (content,), modified=started)


def write_if_changed(path: Path, content: bytes) -> bool:
    """Write a file only if its content changes, so that its dependents stay up to date.

    Returns:
        Whether the file was written.
    """
    try:
        if path.read_bytes() == content:
            return False
    except FileNotFoundError:
        pass
    write_file(path, content)
    return True


def read_file(path: Path) -> bytes:
    """Return the content of a file. Raise InputError if it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file. Raise ConfigurationError if it cannot be read."""
    if sys.version_info >= (3, 11):
        import tomllib  # noqa: PLC0415 - slow to import, and build edges read no TOML
    else:
        import tomli as tomllib  # noqa: PLC0415 - see above
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(f"{path}: {error.strerror}") from error
    except RecursionError as error:
        raise ConfigurationError(f"{path}: not TOML: the values are nested too deeply") from error
    except ValueError as error:  # also a number with thousands of digits
        raise ConfigurationError(f"{path}: not TOML: {error}") from error
