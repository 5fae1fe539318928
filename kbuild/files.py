"""Files: read with clear messages, written atomically."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from kbuild.errors import ConfigurationError, InputError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def sha256(content: bytes) -> str:
    """The hexadecimal SHA-256 of ``content``."""
    import hashlib  # noqa: PLC0415 - loads OpenSSL; an edge with nothing to do hashes nothing

    return hashlib.sha256(content).hexdigest()


def write_file(path: Path, content: bytes) -> None:
    """Write ``path`` atomically: readers see the old content or the new, never a part."""
    write_parts(path, (content,))


def write_parts(path: Path, parts: Iterable[bytes], *, modified: int | None = None) -> None:
    """Write a file of these parts, atomically as `write_file` does.

    ``modified`` is the time that the file shall have, in ns since the epoch.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = _name_temporary(path)
    try:
        with temporary.open("xb") as stream:
            stream.writelines(parts)
        if modified is not None:
            os.utime(temporary, ns=(modified, modified))
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _name_temporary(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.urandom(8).hex()}")


def begin_stamp(path: Path) -> int:
    """Remove the stamp of an edge that begins; the time that `write_stamp` shall give it.

    What ends early leaves no stamp, and so is never taken for finished.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    # By the clock that gives files their times, which may be coarse, or a server's.
    probe = _name_temporary(path)
    try:
        with probe.open("xb") as stream:
            return os.fstat(stream.fileno()).st_mtime_ns
    finally:
        probe.unlink(missing_ok=True)


def write_stamp(path: Path, content: bytes, started: int) -> None:
    """Write an edge's stamp as of its start: an input changed since then is newer."""
    write_parts(path, (content,), modified=started)


def write_if_changed(path: Path, content: bytes) -> bool:
    """Write ``path`` only if its content differs, so that what depends on it stays fresh.

    Returns whether it was written.
    """
    try:
        if path.read_bytes() == content:
            return False
    except FileNotFoundError:
        pass
    write_file(path, content)
    return True


def read_file(path: Path) -> bytes:
    """The file's content; InputError where it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error


def read_toml(path: Path) -> dict[str, Any]:
    """The document at ``path``; ConfigurationError where it cannot be read."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(f"{path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: not TOML: {error}") from error
