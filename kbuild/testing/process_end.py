"""Let a test that ends the process of pytest fail the run.

Such a test skips the verdict. Code in C that ends the process is not seen.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final, NoReturn

_FUNCTIONS: Final = ("_exit", "execv", "execve")  # what all others in `os` call


class ProcessEnd:
    """The functions that end the process, as long as they would hide a verdict."""

    def __init__(self, report: Callable[[str], None]) -> None:
        """Remember the process, and the function that reports an error."""
        self._report = report
        self._process = os.getpid()
        self._former: dict[str, Callable[..., NoReturn]] = {}

    def guard(self) -> None:
        """Replace the functions."""
        for name in _FUNCTIONS:
            self._former[name] = getattr(os, name)
            setattr(os, name, self._make_guarded(name))

    def release(self) -> None:
        """Restore the functions."""
        for name, function in self._former.items():
            setattr(os, name, function)

    def _make_guarded(self, name: str) -> Callable[..., NoReturn]:
        def end(*arguments: Any) -> NoReturn:
            # A child can end as it likes, and a test can expect an error.
            is_error = name != "_exit" and not os.access(arguments[0], os.X_OK)
            if is_error or os.getpid() != self._process:
                self._former[name](*arguments)
            self._report(f"os.{name} ended pytest, so its checks have no verdict")
            status = arguments[0] if name == "_exit" else 0
            self._former["_exit"](status or 1)

        return end
