"""What importing the modules of an artifact showed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Driver: TypeAlias = Literal["none", "stand-in"]
# `unjudged` means that something else than the artifact is missing in this environment.
Outcome: TypeAlias = Literal["imported", "failed", "crashed", "unjudged"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportTrial:
    """One attempt to import a module, or to load a library that is not a Python module.

    ``message`` is what a user sees if it fails: the error, or the end of the output of a crash.
    """

    module: str
    driver: Driver
    outcome: Outcome
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """The attempts for one artifact.

    ``python`` is the version of the interpreter. ``notes`` say what could not be tried.
    """

    path: str
    python: str
    trials: tuple[ImportTrial, ...]
    notes: tuple[str, ...] = ()

    @property
    def has_failed(self) -> bool:
        """Whether an import crashes, or fails although there is a driver."""
        return any(
            trial.outcome == "crashed" or (trial.outcome == "failed" and trial.driver != "none")
            for trial in self.trials
        )
