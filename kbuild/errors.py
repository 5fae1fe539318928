"""Errors that a user can cause, each with the exit code it stands for.

One root, :class:`KbuildError`.  The library raises; ``kbuild.cli`` is the one place
that catches, prints the message and turns the error into an exit code.
"""

from __future__ import annotations

from collections.abc import Iterable


class KbuildError(Exception):
    """Root of everything that kbuild raises on purpose.

    ``str(error)`` is one clear message that names the thing and the mend.  ``setting`` is the
    keyword of ``kbuild_add_kernels`` that it is about, where that is known.
    """

    exit_code: int = 2
    setting: str | None = None


class ConfigurationError(KbuildError):
    """Bad usage or bad configuration: wrong keyword, missing file, unknown kernel."""


class InputError(KbuildError):
    """Unreadable input: an artifact that is empty, truncated or of no known kind."""


class SourceError(KbuildError):
    """A kernel source that breaks kbuild's own rules (no kernel in it, host code in it)."""


class ToolchainError(KbuildError):
    """A compiler or tool is missing or too old."""

    exit_code = 3


class ToolError(KbuildError):
    """An external tool failed; the message holds its argv and the tail of its stderr."""

    exit_code = 4


class BuildError(ToolError):
    """A build failed; ``exit_code`` is that of the edge that failed first."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class LaunchError(KbuildError):
    """A launch, allocation or copy that the artifact's runtime refused."""

    exit_code = 1


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``"; did you mean 'x'?"`` with the nearest known word, or which words there are."""
    import difflib  # noqa: PLC0415 - only on the way to an error

    words = sorted(known)
    nearest = difflib.get_close_matches(word, words, n=1, cutoff=0.5)
    if nearest:
        return f"; did you mean {nearest[0]!r}?"
    return f"; known are {', '.join(words)}"
