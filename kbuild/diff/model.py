"""The result of a comparison. ``None`` means *unknown* unless a docstring says otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from kbuild.model import ImageKind, Param

Aspect: TypeAlias = Literal["abi", "resources", "code", "size"]
ASPECTS: Final[tuple[Aspect, ...]] = get_args(Aspect)

# `signature`: the kernel has the same qualified name, but other parameters in its symbol.
Status: TypeAlias = Literal["added", "removed", "renamed", "signature", "changed"]
Value: TypeAlias = int | str | tuple[int, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """The values of one field on both sides."""

    field: str
    old: Value
    new: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class ParamChange:
    """A parameter whose layout or type differs. None means that the side does not have it."""

    index: int
    old: Param | None
    new: Param | None


class Row(NamedTuple):
    """A line of both sides. None means that the side does not have it."""

    old: str | None
    new: str | None

    @property
    def is_equal(self) -> bool:
        """Whether the line is context."""
        return self.old is not None and self.new is not None and self.old == self.new


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunk:
    """Consecutive rows. The start of each side is a line number that counts from 1."""

    old_start: int
    new_start: int
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeChange:
    """The differences in the code of a function.

    If the instructions could not be compared, ``undecided`` gives the reason. Then the bytes, or
    what they refer to, differ, and ``hunks`` is empty. ``omitted`` counts the differing lines that
    are not in ``hunks``.
    """

    language: str
    undecided: str | None = None
    removed_lines: int = 0
    added_lines: int = 0
    hunks: tuple[Hunk, ...] = ()
    omitted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionChange:
    """A kernel or other function that differs.

    ``old_name`` and ``new_name`` are symbols. They are None on the side that does not have the
    function. ``breaks`` says why host code built against the old side must be rebuilt. ``files``
    are the artifacts with this change.
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
        """The demangled name; the new one if there are two."""
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
    """A variable or data section whose initial content or size differs."""

    file: str
    status: Literal["added", "removed", "changed"]
    backend: str
    arch: str
    kind: ImageKind
    name: str
    display: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HandleChange:
    """A change in the visibility of a kernel's host symbol. None means that it has no symbol."""

    file: str
    kernel: str
    display: str
    old: str | None
    new: str | None
    is_break: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchChange:
    """A kernel that a command or test launches another number of times.

    ``test`` is empty outside of tests.
    """

    test: str
    kernel: str
    old: int
    new: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactChange:
    """An artifact with device code that only one side has."""

    file: str
    status: Literal["added", "removed"]
    kernels: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A part of a side that could not be read and was not compared."""

    side: Literal["old", "new"]
    file: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffReport:
    """All differences between two sides in the requested ``aspects``.

    ``compared`` is the number of kernels that both sides have, counted per architecture.
    ``notes`` say what was not compared, and why.
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
    launches: tuple[LaunchChange, ...] = ()

    @property
    def has_differences(self) -> bool:
        """Whether anything that was compared differs."""
        changes = (self.artifacts, self.images, self.functions, self.data, self.handles)
        return any((*changes, self.launches))

    @property
    def is_equal(self) -> bool:
        """Whether everything was compared and nothing differs."""
        return not self.has_differences and not self.unreadable

    @property
    def kernels(self) -> tuple[FunctionChange, ...]:
        """The functions that are kernels."""
        return tuple(function for function in self.functions if function.is_kernel)

    @property
    def breaks(self) -> int:
        """The number of kernels whose change breaks host code built against the old side."""
        names = {f.old_name for f in self.functions if f.breaks}
        return len(names | {handle.kernel for handle in self.handles if handle.is_break})
