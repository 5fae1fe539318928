"""Errors that users can cause, and the exit code of each.

Library code raises a subclass of `KbuildError`. Only ``kbuild.cli.main`` catches it, prints the
message, and exits with its exit code.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path


class KbuildError(Exception):
    """Base class of all errors that kbuild raises on purpose.

    ``str(error)`` is one message that states the problem and the fix. It does not say where the
    user wrote the setting that caused the error: a setting is a key of ``kbuild.toml``, an option
    of a command, a keyword of CMake, or an argument in ``setup.py``. The code that prints the
    message says so, in the words of the user's case.

    Attributes:
        setting: The setting that caused the error: a key of ``kbuild.toml``, or in ``kbuild plan``
            a keyword of ``kbuild_add_kernels``. None if no setting did, or if it is unknown.
        target: The target with the setting, or None.
        manifest: The file with the target, or None if no file describes it.
    """

    exit_code: int = 2

    def __init__(
        self, message: str = "", *, setting: str | None = None, target: str | None = None
    ) -> None:
        super().__init__(message)
        self.setting = setting
        self.target = target
        self.manifest: Path | None = None


class ConfigurationError(KbuildError):
    """Bad usage or configuration, for example a wrong keyword or a missing file."""


class InputError(KbuildError):
    """Unreadable input, for example an artifact that is empty, truncated, or of unknown type."""


class SourceError(KbuildError):
    """A kernel source that kbuild rejects, for example because it defines a host function."""


class ToolchainError(KbuildError):
    """A compiler or tool that is missing or too old."""

    exit_code = 3


class ToolError(KbuildError):
    """A failed external tool.

    ``str(error)`` is the output of the tool, followed by ``message``.

    Attributes:
        message: One line that names the tool and its exit status, or another problem.
        log: The output of the tool, without a line break at the end; empty if it is unknown.
        command: The command line of the tool, or empty.
    """

    exit_code = 4

    def __init__(self, message: str, *, log: str = "", command: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.log = log
        self.command = command

    def __str__(self) -> str:
        return f"{self.log}\n{self.message}" if self.log else self.message


class BuildError(ToolError):
    """A failed build, with the exit code of the kbuild command that failed first.

    Attributes:
        is_reported: Whether the user has seen the message, in the output of the build.
    """

    def __init__(self, message: str, exit_code: int, *, is_reported: bool = False) -> None:
        super().__init__(message)
        self.exit_code = exit_code
        self.is_reported = is_reported


class LaunchError(KbuildError):
    """A launch, allocation, or copy that the artifact's runtime rejected."""

    exit_code = 1


@contextmanager
def about(
    *, setting: str | None = None, target: str | None = None, manifest: Path | None = None
) -> Iterator[None]:
    """Add to errors what they are about, as far as they do not say it themselves."""
    try:
        yield
    except KbuildError as error:
        error.setting = error.setting or setting
        error.target = error.target or target
        error.manifest = error.manifest or manifest
        raise


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean 'x'?"`` with the nearest known word.

    If no known word is similar, return ``"; expected one of a, b, c"``.
    """
    words = sorted(known)
    return suggest(word, words) or f"; expected one of {', '.join(words)}"


def suggest(word: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean 'x'?"`` with the nearest known word, or nothing."""
    nearest = find_similar(word, known)
    return f"; did you mean {nearest!r}?" if nearest else ""


def find_similar(word: str, known: Iterable[str], similarity: float = 0.5) -> str | None:
    """Return the nearest known word, or None if none of them is similar enough."""
    import difflib  # noqa: PLC0415 - needed only for errors

    return next(iter(difflib.get_close_matches(word, known, n=1, cutoff=similarity)), None)
