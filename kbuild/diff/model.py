"""The nouns of a comparison.  ``None`` means *unknown*, or what a field's docstring says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from kbuild.model import ImageKind, Param

Aspect: TypeAlias = Literal["abi", "resources", "code", "size"]
ASPECTS: Final[tuple[Aspect, ...]] = get_args(Aspect)

# `signature` is a kernel of the same name with other parameters in its symbol.
Status: TypeAlias = Literal["added", "removed", "renamed", "signature", "changed"]
Value: TypeAlias = int | str | tuple[int, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """One fact on both sides."""

    field: str
    old: Value
    new: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class ParamChange:
    """A parameter whose layout or type differs; None on the side that has no such one."""

    index: int
    old: Param | None
    new: Param | None


class Row(NamedTuple):
    """One line of a side-by-side comparison. A side is None if it has no such line."""

    old: str | None
    new: str | None

    @property
    def is_equal(self) -> bool:
        """Whether it is context."""
        return self.old is not None and self.new is not None and self.old == self.new


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunk:
    """Rows that follow each other; the numbers of the first line on both sides, from 1."""

    old_start: int
    new_start: int
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeChange:
    """How the code of a function differs.

    Where nobody could look at the instructions, ``undecided`` says why: then the bytes
    differ, or what they refer to, and there are no ``hunks``.  ``omitted`` counts the
    lines that the hunks leave out.
    """

    language: str
    undecided: str | None = None
    removed_lines: int = 0
    added_lines: int = 0
    hunks: tuple[Hunk, ...] = ()
    omitted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionChange:
    """A kernel, or another function of an image, that differs.

    ``old_name`` and ``new_name`` are symbols, None on the side that does not have it.
    ``breaks`` says what host code built against the old side must not do without being
    built anew; ``files`` the artifacts that show this very change.
    """

    status: Status
    backend: str
    arch: str
    kind: ImageKind
    is_kernel: bool
    old_name: str | None
    new_name: str | None
    old_display: str | None
    new_display: str | None
    breaks: tuple[str, ...] = ()
    params: tuple[ParamChange, ...] = ()
    abi: tuple[FieldChange, ...] = ()
    resources: tuple[FieldChange, ...] = ()
    sizes: tuple[FieldChange, ...] = ()
    code: CodeChange | None = None
    files: tuple[str, ...] = ()

    @property
    def display(self) -> str:
        """The name for people, the new one where there are two."""
        return self.new_display or self.old_display or ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageChange:
    """The images of one architecture and kind in an artifact, taken together."""

    file: str
    status: Literal["added", "removed", "changed"]
    backend: str
    arch: str
    kind: ImageKind
    sizes: tuple[FieldChange, ...] = ()
    code: tuple[FieldChange, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DataChange:
    """A variable, or a section of data, whose first content or size differs."""

    file: str
    status: Literal["added", "removed", "changed"]
    backend: str
    arch: str
    kind: ImageKind
    name: str
    display: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HandleChange:
    """The host symbol of a kernel: whether other files can name it."""

    file: str
    kernel: str
    display: str
    old: str | None
    new: str | None
    is_break: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactChange:
    """An artifact with device code that one side alone has."""

    file: str
    status: Literal["added", "removed"]
    kernels: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """What could not be read on a side, so that it was not compared."""

    side: Literal["old", "new"]
    file: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffReport:
    """All that differs between two sides in the ``aspects`` asked for.

    ``compared`` is the number of kernels by architecture that both sides have; ``notes``
    say what was not looked at, and why.
    """

    old: str
    new: str
    aspects: tuple[Aspect, ...]
    compared: int
    artifacts: tuple[ArtifactChange, ...]
    images: tuple[ImageChange, ...]
    functions: tuple[FunctionChange, ...]
    data: tuple[DataChange, ...]
    handles: tuple[HandleChange, ...]
    unreadable: tuple[Unreadable, ...]
    notes: tuple[str, ...]

    @property
    def has_differences(self) -> bool:
        """Whether anything that was compared differs."""
        return bool(self.artifacts or self.images or self.functions or self.data or self.handles)

    @property
    def is_equal(self) -> bool:
        """Whether all was compared and nothing differs."""
        return not self.has_differences and not self.unreadable

    @property
    def kernels(self) -> tuple[FunctionChange, ...]:
        """The functions that can be launched."""
        return tuple(function for function in self.functions if function.is_kernel)

    @property
    def breaks(self) -> int:
        """How many changes of kernels and handles break the host code of the old side."""
        names = {f.old_name for f in self.functions if f.breaks}
        return len(names | {handle.kernel for handle in self.handles if handle.is_break})
