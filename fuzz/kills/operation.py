"""What a kill test repeats: a command, the state before it, and the files that it writes."""

from __future__ import annotations

import hashlib
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

# The digest of each output, by its name.
Digests: TypeAlias = Mapping[str, str]


class Operation(ABC):
    """A command that is killed, and then runs again.

    Attributes:
        name: The name in reports.
        is_group_killed: Whether a kill ends all processes of the command. Otherwise, it sometimes
            ends only the first one, and the others go on.
        has_atomic_outputs: Whether no output can be incomplete. CMake and pip copy files directly
            to their final names, so that a kill can leave a part of a file there.
    """

    name: str
    is_group_killed = True
    has_atomic_outputs = True

    @abstractmethod
    def prepare(self, number: int) -> None:
        """Set the state before a run.

        Even and odd numbers prepare different inputs. Numbers 0 and 1 of each four also remove
        what earlier runs wrote, if the operation can start without it.
        """

    @property
    @abstractmethod
    def command(self) -> Sequence[str]:
        """The command to kill."""

    @property
    @abstractmethod
    def directory(self) -> Path:
        """The working directory of the command."""

    @abstractmethod
    def list_outputs(self) -> Mapping[str, Path]:
        """Return the files that the command writes under their final names, if they exist."""

    def digest(self) -> Digests:
        """Return the digests of the outputs that exist."""
        return {
            name: hashlib.sha256(path.read_bytes()).hexdigest()
            for name, path in self.list_outputs().items()
        }


def run_command(command: Sequence[str], directory: Path) -> None:
    """Run a command without disturbing it. Raise FailedRunError if it fails."""
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise FailedRunError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


class FailedRunError(Exception):
    """A run that was not disturbed, but failed."""


def find_files(root: Path) -> dict[str, Path]:
    """Return all files below a directory by their relative path."""
    return {str(path.relative_to(root)): path for path in root.rglob("*") if path.is_file()}
