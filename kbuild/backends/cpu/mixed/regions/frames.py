"""Sets of threads around a place in a divided kernel."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from kbuild.cxx.statements import Block
from kbuild.values import dataclass

LIVE: Final = "__kbuild_live__"  # the set of the threads that have not exited
ENTERED: Final = "__kbuild_entered__"  # the set of those that are in a device function


@dataclass(frozen=True, slots=True)
class Frame:
    """A set of threads: those that live, or are in a device function, or have entered a block.

    ``run`` are the threads that are in a loop, and ``turn`` those that are in this turn of it.
    """

    name: str
    kind: Literal["live", "branch", "run", "turn"]
    block: Block | None = None

    @property
    def label(self) -> str:
        """The label behind what the threads of the set do."""
        return f"__kbuild_end_of_{self.name.strip('_')}__"


Frames: TypeAlias = tuple[Frame, ...]


def list_left(frames: Frames, keyword: str, loop: Block | None) -> list[str]:
    """Return the sets that a thread leaves with a statement such as ``break``."""
    if keyword == "return":
        return [frame.name for frame in frames]
    run = next(i for i, f in enumerate(frames) if f.kind == "run" and f.block is loop)
    first = run if keyword == "break" else run + 1
    return [frame.name for frame in frames[first:]]
