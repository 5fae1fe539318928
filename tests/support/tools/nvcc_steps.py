"""The commands that nvcc would run for a command line (``--dryrun``), which needs no GPU."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from support.tools.nvidia_compiler import NVCC

_ASSIGNMENT: Final = re.compile(r"#\$ \w+=")
_IMAGE: Final = re.compile(r"kind=(\w+),sm=(\w+)")


@dataclass(frozen=True)
class DryRun:
    """What nvcc would do.

    Attributes:
        error: The message of nvcc if it rejects the command line; empty otherwise.
        commands: The words of each command.
    """

    error: str
    commands: tuple[tuple[str, ...], ...]

    def find(self, *words: str) -> tuple[str, ...]:
        """Return the last command with these words."""
        return [command for command in self.commands if set(words) <= set(command)][-1]

    @property
    def images(self) -> set[tuple[str, str]]:
        """The kinds and numbers of the images in the fat binary."""
        text = " ".join(word for command in self.commands for word in command)
        return set(_IMAGE.findall(text))


def run_dry(
    words: Sequence[str], directory: Path, variables: Mapping[str, str] | None = None
) -> DryRun:
    """Return what nvcc would do with the words."""
    result = subprocess.run(
        [str(NVCC), "--dryrun", *words],
        cwd=directory,
        env={**os.environ, **(variables or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    lines = (result.stdout + result.stderr).splitlines()
    errors = [line for line in lines if "fatal   :" in line or "error   :" in line]
    if result.returncode:
        return DryRun(error=errors[0] if errors else "\n".join(lines), commands=())
    try:
        commands = [
            tuple(shlex.split(line.removeprefix("#$ ")))
            for line in lines
            if line.startswith("#$ ") and not _ASSIGNMENT.match(line)
        ]
    except ValueError as problem:  # the shell rejects the command
        return DryRun(error=str(problem), commands=())
    return DryRun(error="", commands=tuple(commands))


@cache
def run_plain(*words: str) -> DryRun:
    """Return what nvcc would do with words that many tests compare others with."""
    return run_dry(words, Path(tempfile.gettempdir()))


def subtract(words: Sequence[str], others: Sequence[str]) -> Counter[str]:
    """Return the words that ``others`` lacks."""
    return Counter(words) - Counter(others)


def join_values(words: Sequence[str]) -> list[str]:
    """Join options such as ``-D X`` to one word."""
    remaining = iter(words)
    return [
        word + next(remaining, "") if word in ("-D", "-U", "-I", "-L") else word
        for word in remaining
    ]
