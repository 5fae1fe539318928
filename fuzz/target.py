"""What a target is: a function that reads input, and how its input is made."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from kbuild.errors import KbuildError

CORPUS: Final = Path(__file__).parent / "corpus"

# Makes an input from a random number generator and the inputs that are known so far.
Mutator: TypeAlias = Callable[[random.Random, Sequence[bytes]], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A reader to fuzz.

    Attributes:
        name: The name on the command line.
        check: Reads an input. Every error that it raises is a finding.
        seeds: Patterns of the files in the corpus that inputs are made from.
        mutate: Makes an input.
        largest: The maximum size of an input, in bytes.
        weight: The share of the time, compared with other targets.
    """

    name: str
    check: Callable[[bytes], None]
    seeds: tuple[str, ...]
    mutate: Mutator
    largest: int = 20_000
    weight: int = 1

    @property
    def description(self) -> str:
        """The first line of the documentation of ``check``."""
        return (self.check.__doc__ or "").partition("\n")[0]

    def read_seeds(self) -> tuple[bytes, ...]:
        """Return the seeds in a fixed order."""
        files = sorted({file for pattern in self.seeds for file in CORPUS.glob(pattern)})
        return tuple(file.read_bytes() for file in files)


@contextlib.contextmanager
def expect_input_errors() -> Iterator[None]:
    """Accept the errors that kbuild documents for malformed input.

    If running out of memory caused the error, it is a finding.
    """
    try:
        yield
    except KbuildError as error:
        if isinstance(error.__cause__, MemoryError):
            raise error.__cause__ from error
