"""What a random kernel consists of."""

from __future__ import annotations

from dataclasses import dataclass

INPUTS = 4096  # elements of the input


@dataclass(frozen=True, slots=True)
class Text:
    """The same expression, name, or condition in C++ and in Python."""

    cxx: str
    python: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomKernel:
    """A kernel ``void NAME(const unsigned* in, unsigned* out, unsigned p)``.

    Attributes:
        name: Its name in C++, and that of the generator in Python.
        cxx: Its definition in C++.
        python: The definition of the generator, with the parameters ``(x, y, bid, n, width, p,
            in_, out, shared)``.
        arrays: The sizes of the arrays in shared memory, by name.
        blocks: The number of blocks.
        width: The threads of a block in the direction of x.
        height: The threads of a block in the direction of y.
        argument: The value of ``p``.
    """

    name: str
    cxx: str
    python: str
    arrays: dict[str, int]
    blocks: int
    width: int
    height: int
    argument: int

    @property
    def threads(self) -> int:
        return self.width * self.height
